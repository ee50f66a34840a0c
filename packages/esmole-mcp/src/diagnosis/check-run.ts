import { setMaxListeners } from 'node:events';
import { Failure } from '@dbmole/core';
import { type Answer, type AnswerLimits, textBytes } from '../answer/answer.ts';
import { answerFailure } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import { mayName } from '../guard/index-names.ts';
import { type Access, formatLacking, type IndexPrivilege, readAccess } from './access.ts';
import { createBlockedIndices } from './blocked-indices.ts';
import { describeRefusal } from './refusal-text.ts';

/** What a check asks with. Requests that several checks have in common are sent once. */
export interface CheckRun {
  readonly call: ClusterCall;
  /** The indices that the caller named. */
  readonly index: string | undefined;
  /** Sentences about what was left out. */
  readonly notes: readonly string[];
  read(request: AskedRequest): Promise<unknown>;
  /** Reads facts that a check can do without: undefined where they are refused, which becomes a note, or do not exist. */
  readIfAllowed(what: string, request: AskedRequest): Promise<unknown>;
  mayName(index: string): boolean;
  /** The indices that were left out, because their metadata may not be read. */
  blocked(): readonly string[];
  /** What the user may see; undefined where the cluster does not say, as one without security. */
  access(): Promise<Access | undefined>;
  /** A sentence when the user has these privileges only on some indices, so that others are silently missing. */
  describeHidden(...privileges: readonly IndexPrivilege[]): Promise<string | undefined>;
}

/** Enough for far more than ten thousand shards. */
const limits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 64 * 1024, list: 48 * 1024 * 1024, total: 48 * 1024 * 1024, values: 400_000 },
};

/** The overview has this many requests under way at most; each listens to the signal of the call. */
const maxRequests = 40;

/** Makes one run for each check of a call. */
export function createRuns(call: ClusterCall, index: string | undefined): () => CheckRun {
  const { rules } = call.lease.backend;
  setMaxListeners(maxRequests, call.signal);
  const aroundBlocks = createBlockedIndices((request) => call.ask(request, limits));
  const listLeftOut = () => aroundBlocks.names().filter((name) => mayName(name, rules));
  const ask = rememberAnswers(aroundBlocks.ask);
  let known: Promise<Access | undefined> | undefined;
  const access = () => {
    known ??= readAccess(ask, index ?? rules.indices);
    return known;
  };
  return () => {
    const notes: string[] = [];
    const note = (text: string) => {
      if (!notes.includes(text)) notes.push(text);
    };
    const read: CheckRun['read'] = async (request) => {
      const answer = await ask(request);
      const failure = answerFailure(answer) === undefined ? undefined : await call.failureOf(answer);
      if (failure !== undefined) throw failure;
      if (listLeftOut().length > 0) note(`Left out, because its metadata is blocked: ${listLeftOut().join(', ')}.`);
      if (answer.isPartial) note('The answer of the cluster was too long to be read whole: name an index.');
      return answer.json;
    };
    return {
      call,
      index,
      notes,
      read,
      async readIfAllowed(what, request) {
        try {
          return await read(request);
        } catch (error) {
          call.signal.throwIfAborted();
          if (!(error instanceof Failure)) throw error;
          const refusal = describeRefusal(error, call.identity);
          if (refusal !== undefined) note(`${what} cannot be seen: ${refusal.reason}. ${refusal.remedy}`);
          else if (!isMissing(error)) throw error;
          return undefined;
        }
      },
      mayName: (name) => mayName(name, rules),
      blocked: listLeftOut,
      access,
      describeHidden: async (...privileges) => formatLacking(await access(), privileges),
    };
  };
}

/** Versions and builds differ in what they can be asked. */
function isMissing({ code, engineCode = '' }: Failure): boolean {
  return code === 'E_NOT_A_READ' || ['400', '404', '405', '410'].includes(engineCode);
}

/** A request that several checks have in common is sent once. Also what the guard refuses is an answer. */
function rememberAnswers(ask: (request: AskedRequest) => Promise<Answer>): (request: AskedRequest) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  return (request) => {
    const key = JSON.stringify(request);
    const answer = asked.get(key) ?? Promise.resolve().then(() => ask(request));
    asked.set(key, answer);
    return answer;
  };
}
