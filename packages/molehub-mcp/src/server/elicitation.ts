import { randomUUID } from 'node:crypto';
import { Failure, type Fields, formatVisible, isFields } from '@dbmole/core';
import { showHidden } from '../manifest/visible.ts';
import type { CallTimer } from './call-timer.ts';
import type { HubCaller } from './caller.ts';

export interface RunningCall {
  caller: HubCaller;
  timer: CallTimer;
}

/** A question as its person sees it: it says which server asks, and hides no characters. */
export function nameQuestion(server: string, params: Fields): Fields {
  const shown = showHidden(params, ['message']);
  return { ...shown, message: `${formatVisible(server)}: ${String(shown.message ?? '')}` };
}

/** The same for all questions in a result of the newer era. */
export function nameQuestions(server: string, result: Fields): Fields {
  const requests = Object.entries(isFields(result.inputRequests) ? result.inputRequests : {});
  const named = requests.map(([key, request]) => {
    const { method, params }: Fields = isFields(request) ? request : {};
    return [
      key,
      method === 'elicitation/create' && isFields(params) ? { method, params: nameQuestion(server, params) } : request,
    ];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}

/** A server with more questions at a time does not ask a person. */
const maxOpen = 8;

/** Counts the questions of a server that are not answered. */
export class OpenQuestions {
  #count = 0;

  async ask(question: () => Promise<Fields>): Promise<Fields> {
    if (this.#count >= maxOpen) throw refused(`${maxOpen} of its questions are not answered yet`);
    this.#count += 1;
    try {
      return await question();
    } finally {
      this.#count -= 1;
    }
  }
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
