import { type App, type Failure, type Lease, type ToolContext, withManaged } from '@dbmole/core';
import * as z from 'zod';
import type { Answer, AnswerLimits } from './answer.ts';
import type { ClusterBackend } from './backend.ts';
import { toFailure } from './failure.ts';
import { guardRequest } from './guard/guard.ts';
import { acceptWrite, type ClusterIdentity, type ClusterRequest } from './request.ts';
import type { Connection } from './schema.ts';
import { failureWithNames, unknownIndexFailure } from './unknown-index.ts';

/** Arguments that mean the same in every tool. Descriptions are short: the definitions of all tools share one budget. */
export const connectionArgument = z.string().min(1).optional();
export const indexArgument = z.string().min(1).max(10_000).optional();
export const timeoutArgument = z.int().min(1).max(600_000).optional();

export interface Call {
  lease: Lease<ClusterBackend>;
  signal: AbortSignal;
  identity: ClusterIdentity;
  /** Guarded; answers whatever the status is. */
  ask(request: AskedRequest, limits?: AnswerLimits): Promise<Answer>;
  /** The same for those who can do nothing with an error: throws it. */
  read(request: AskedRequest, limits?: AnswerLimits): Promise<Answer>;
  /** The error in an answer, with the names that resemble one that does not exist; undefined when there is none. */
  failureOf(answer: Answer): Promise<Failure | undefined>;
  /** Where the cluster does not say so itself. */
  unknownIndex(name: string): Promise<Failure>;
  /** What the cluster warns of and has not been said before, as sentences. Most warnings come with every answer. */
  news(answer: Pick<Answer, 'warnings'>): string[];
  /** Refused on readonly connections. */
  write(request: AskedRequest): Promise<Answer>;
}

/** What is left out is `GET`, without parameters and a body. */
export type AskedRequest = Pick<ClusterRequest, 'path'> & Partial<ClusterRequest>;

/** The way from a tool's arguments to a cluster. Whatever fails is thrown as a Failure. */
export interface ClusterTools {
  use<T>(connection: string | undefined, context: CallContext, work: (call: Call) => Promise<T>): Promise<T>;
}

type CallContext = Pick<ToolContext, 'signal' | 'timeLimit'>;

export function createClusterTools({ manager }: Pick<App<Connection, ClusterBackend>, 'manager'>): ClusterTools {
  return {
    use(connection, { signal, timeLimit }, work) {
      const run = async (backend: ClusterBackend, lease: Lease<ClusterBackend>) => {
        const identity = await backend.identify(signal);
        return await work(createCall(lease, identity, signal));
      };
      return withManaged(manager, connection, run, { signal, timeLimit, isStaleError: () => false, formatError: toFailure });
    },
  };
}

function createCall(lease: Lease<ClusterBackend>, identity: ClusterIdentity, signal: AbortSignal): Call {
  const { backend, name } = lease;
  const { readonly } = backend.rules;
  const rules = { identity, ...backend.rules };
  const askWithin = (request: AskedRequest, within: AbortSignal, limits?: AnswerLimits) =>
    backend.send(guardRequest(whole(request), rules), { signal: within, ...(limits === undefined ? {} : { limits }) });
  const ask: Call['ask'] = (request, limits) => askWithin(request, signal, limits);
  const failureOf: Call['failureOf'] = (answer) => failureWithNames(answer, askWithin, signal);
  return {
    lease,
    signal,
    identity,
    ask,
    async read(request, limits) {
      const answer = await ask(request, limits);
      const failure = await failureOf(answer);
      if (failure !== undefined) throw failure;
      return answer;
    },
    failureOf,
    unknownIndex: (index) =>
      unknownIndexFailure(index, { message: `no index is called ${JSON.stringify(index)}`, ask: askWithin, signal }),
    news: ({ warnings }) => newsOf(backend, warnings),
    write: (request) => backend.send(acceptWrite(whole(request), { name, readonly }), { signal }),
  };
}

const told = new WeakMap<ClusterBackend, Set<string>>();

function newsOf(backend: ClusterBackend, warnings: readonly string[]): string[] {
  const known = told.get(backend) ?? new Set();
  told.set(backend, known);
  const news = warnings.filter((warning) => !known.has(warning));
  for (const warning of news) known.add(warning);
  return news.map((warning) => `Warning: ${warning.slice(0, 200)}`);
}

function whole(request: AskedRequest): ClusterRequest {
  return { method: 'GET', params: {}, body: undefined, ...request };
}

/** A name or pattern in a path: commas separate names, and the guard looks at each. */
export function pathOf(...segments: readonly (string | undefined)[]): string {
  return `/${segments.flatMap((segment) => (segment === undefined ? [] : [encodeURIComponent(segment)])).join('/')}`;
}
