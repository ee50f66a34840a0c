import { type Failure, type Lease, readonlyFailure } from '@dbmole/core';
import type { Answer, AnswerLimits } from './answer.ts';
import type { ClusterBackend } from './backend.ts';
import { guardRequest } from './guard/guard.ts';
import { acceptNarrowed } from './guard/narrowed-write.ts';
import { acceptOpen } from './guard/open-write.ts';
import type { ClusterIdentity, ClusterRequest } from './request.ts';
import { formatSaid } from './said.ts';
import { failureWithNames, unknownIndexFailure } from './unknown-index.ts';

/** One call of a tool on a cluster, and all it may do there. */
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
  /**
   * Refused on readonly connections, where it names hidden indices that the connection may not read, and as far as nobody can tell that it
   * stays within the indices of a connection that has some.
   */
  write(request: AskedRequest): Promise<Answer>;
}

/** What is left out is `GET`, without parameters and a body. */
export type AskedRequest = Pick<ClusterRequest, 'path'> & Partial<ClusterRequest>;

export function createCall(lease: Lease<ClusterBackend>, identity: ClusterIdentity, signal: AbortSignal): Call {
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
    write: async (request) => {
      const asked = whole(request);
      if (readonly !== false) throw readonlyFailure(name);
      const accept = rules.indices === undefined ? acceptOpen : acceptNarrowed;
      return await backend.send(accept(asked, name, rules), { signal });
    },
  };
}

/** At a time; each is said once. */
const warningsSaid = 5;
/** A cluster that makes up a new one for each answer should not fill the memory. */
const warningsKnown = 1_000;

const told = new WeakMap<ClusterBackend, Set<string>>();

function newsOf(backend: ClusterBackend, warnings: readonly string[]): string[] {
  const known = told.get(backend) ?? new Set();
  told.set(backend, known);
  const news = warnings.filter((warning) => !known.has(warning));
  if (known.size > warningsKnown) known.clear();
  for (const warning of news) known.add(warning);
  const said = news.slice(0, warningsSaid).map((warning) => `The cluster warns: ${formatSaid(warning, 200)}.`);
  return news.length <= warningsSaid ? said : [...said, `And ${news.length - warningsSaid} more warnings.`];
}

function whole(request: AskedRequest): ClusterRequest {
  return { method: 'GET', params: {}, body: undefined, ...request };
}

/** A name or pattern in a path: commas separate names, and the guard looks at each. */
export function pathOf(...segments: readonly (string | undefined)[]): string {
  return `/${segments.flatMap((segment) => (segment === undefined ? [] : [encodeURIComponent(segment)])).join('/')}`;
}
