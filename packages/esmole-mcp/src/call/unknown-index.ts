import { Failure, findNearestNames, withDeadline } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { isObject } from '../search/hit-table.ts';
import { answerFailure, seeIndices, textAt } from './answer-failure.ts';
import type { AskedRequest } from './cluster-request.ts';
import { quoteRemoteName, quoteRemoteText } from './quote-remote-text.ts';

type Ask = (request: AskedRequest, signal: AbortSignal) => Promise<Answer>;

/** The limit for looking up what exists: the caller waits for an error that is known already. */
const lookupMs = 2_000;

/** The error in an answer that has to be JSON. Where an index does not exist, it offers the names that resemble it. */
export async function failureWithNames(answer: Answer, ask: Ask, signal: AbortSignal): Promise<Failure | undefined> {
  const failure = answerFailure(answer) ?? unreadableFailure(answer);
  if (textAt(answer.json, ['error', 'type']) !== 'index_not_found_exception') return failure;
  const wanted = textAt(answer.json, ['error', 'resource.id']) ?? textAt(answer.json, ['error', 'index']) ?? '';
  return failure && (await unknownIndexFailure(wanted, { message: failure.message, ask, signal }));
}

function unreadableFailure({ flaw }: Answer): Failure | undefined {
  if (flaw === undefined) return undefined;
  return new Failure('engine', `the answer cannot be read as JSON: ${flaw}`, {
    hint: { call: 'es_get', to: 'see it as text' },
  });
}

export async function unknownIndexFailure(
  wanted: string,
  { message, ask, signal }: { message: string; ask: Ask; signal: AbortSignal },
): Promise<Failure> {
  const nearest = await findNearestNames(wanted, await existingNames(ask, signal));
  return new Failure('unknown', message, { code: 'E_UNKNOWN_INDEX', engineCode: '404', nearest, hint: seeIndices });
}

/** A pattern that matches nothing is not an error to a cluster: this sentence offers the names that resemble it. */
export async function formatUnknownIndex(
  call: { unknownIndex(name: string): Promise<Failure> },
  pattern: string,
  what = 'index',
): Promise<string[]> {
  const { nearest } = await call.unknownIndex(pattern.replaceAll('*', ''));
  const names = nearest.length === 0 ? '' : `; nearest: ${nearest.map(quoteRemoteName).join(', ')}`;
  return [`No ${what} matches ${quoteRemoteText(pattern, 100)}${names}.`];
}

/** This is best effort: the original error matters more than any problem here. */
async function existingNames(ask: Ask, signal: AbortSignal): Promise<string[]> {
  const onTimeout = () => new Failure('timeout', 'looking up names took too long');
  try {
    return await withDeadline(
      { signals: [signal], ms: lookupMs, onTimeout },
      async (limited) => (await resolvedNames(ask, limited)) ?? (await aliasedNames(ask, limited)),
    );
  } catch {
    return [];
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
