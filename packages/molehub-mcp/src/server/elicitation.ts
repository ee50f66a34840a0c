import { randomUUID } from 'node:crypto';
import { Failure, type Fields, isFields } from '@dbmole/core';
import type { CallTimer } from './call-timer.ts';
import type { HubCaller } from './caller.ts';

export interface RunningCall {
  caller: HubCaller;
  timer: CallTimer;
}

/**
 * A question of a server of the older era, which does not say for which of its calls it asks. It is asked where all calls that the server
 * is working on are of one session: no other person may see the question.
 */
export async function askPerson(running: readonly RunningCall[], params: Fields, signal: AbortSignal): Promise<Fields> {
  const [first] = running;
  if (first === undefined) throw refused('no running call could have asked the question');
  if (running.some(({ caller }) => caller.session !== first.caller.session))
    throw refused('calls of several sessions are running, and the question does not name one of them; set "share": "session"');
  for (const { timer } of running) timer.pause();
  try {
    return await elicit(first.caller, params, signal);
  } finally {
    for (const { timer } of running) timer.resume();
  }
}

/** The questions in a result of the newer era, for a client of the older one. */
export async function gatherAnswers({ inputRequests }: Fields, caller: HubCaller, signal: AbortSignal): Promise<Fields> {
  const answers: Fields = {};
  for (const [key, request] of Object.entries(isFields(inputRequests) ? inputRequests : {})) {
    const { method, params }: Fields = isFields(request) ? request : {};
    if (method !== 'elicitation/create' || !isFields(params))
      throw refused(`it asks for ${String(method)}, which is not passed on`);
    answers[key] = await elicit(caller, withId(params), signal);
  }
  return answers;
}

/** The older era names each page that is to be opened, and the newer one does not. */
function withId(params: Fields): Fields {
  return params.mode === 'url' ? { elicitationId: randomUUID(), ...params } : params;
}

async function elicit({ elicitation, elicit: ask }: HubCaller, params: Fields, signal: AbortSignal): Promise<Fields> {
  if (elicitation === undefined) throw refused('this client cannot ask its user (it does not support elicitation)');
  const needsUrl = params.mode === 'url';
  // An empty object means forms alone.
  const has = needsUrl ? elicitation.url !== undefined : elicitation.form !== undefined || elicitation.url === undefined;
  if (!has) throw refused(`this client cannot show a ${needsUrl ? 'URL' : 'form'} to its user`);
  try {
    return await ask(params, signal);
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    throw refused(`the client answered with an error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refused(what: string): Failure {
  return new Failure('refused', `the server has a question for the user, who cannot be asked: ${what}`, {
    code: 'E_NO_ELICITATION',
    hint: 'Call the tool so that it needs no answer, or use a client that can show questions.',
  });
}
