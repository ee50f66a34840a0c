import { Failure, nearestNames } from '@dbmole/core';
import type { Answer } from './answer.ts';
import { answerFailure, textAt } from './answer-failure.ts';
import type { AskedRequest } from './call.ts';
import { isObject } from './search/hit-table.ts';

type Ask = (request: AskedRequest, signal: AbortSignal) => Promise<Answer>;

/** For looking up what exists: the caller waits for an error that is known already. */
const lookupMs = 2_000;

export const listHint = 'es_list_indices shows what there is.';

/** The error in an answer that has to be JSON. Where an index does not exist, it offers the names that resemble it. */
export async function failureWithNames(answer: Answer, ask: Ask, signal: AbortSignal): Promise<Failure | undefined> {
  const failure = answerFailure(answer) ?? unreadableFailure(answer);
  if (textAt(answer.json, ['error', 'type']) !== 'index_not_found_exception') return failure;
  const wanted = textAt(answer.json, ['error', 'resource.id']) ?? textAt(answer.json, ['error', 'index']) ?? '';
  return failure && (await unknownIndexFailure(wanted, { message: failure.message, ask, signal }));
}

function unreadableFailure({ flaw }: Answer): Failure | undefined {
  if (flaw === undefined) return undefined;
  return new Failure('engine', `the answer cannot be read as JSON: ${flaw}`, { hint: 'es_request shows it as a text.' });
}

export async function unknownIndexFailure(
  wanted: string,
  { message, ask, signal }: { message: string; ask: Ask; signal: AbortSignal },
): Promise<Failure> {
  const nearest = nearestNames(wanted, await existingNames(ask, signal));
  return new Failure('unknown', message, { code: 'E_UNKNOWN_INDEX', engineCode: '404', nearest, hint: listHint });
}

/** Best effort: whatever goes wrong here is less than what went wrong before. */
async function existingNames(ask: Ask, signal: AbortSignal): Promise<string[]> {
  const limit = new AbortController();
  const abort = () => limit.abort(signal.reason);
  const timer = setTimeout(() => limit.abort(new Failure('timeout', 'looking up names took too long')), lookupMs);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return (await resolvedNames(ask, limit.signal)) ?? (await aliasedNames(ask, limit.signal));
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Indices, aliases and data streams at once. Old clusters do not have it. */
async function resolvedNames(ask: Ask, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const { status, json } = await ask({ path: '/_resolve/index/*' }, signal);
    if (status !== 200 || !isObject(json)) return undefined;
    return Object.values(json).flatMap((list) => (Array.isArray(list) ? list.flatMap((one) => textAt(one, ['name']) ?? []) : []));
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function aliasedNames(ask: Ask, signal: AbortSignal): Promise<string[]> {
  const { status, json } = await ask({ path: '/_alias' }, signal);
  if (status !== 200 || !isObject(json)) return [];
  return Object.entries(json).flatMap(([index, value]) => [
    index,
    ...(isObject(value) && isObject(value.aliases) ? Object.keys(value.aliases) : []),
  ]);
}
