import { type Approval, type Change, type Failure, type Lease, readonlyFailure } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import type { createWriteSite } from '../approval/write-site.ts';
import type { ClusterBackend, SendOptions } from '../backend.ts';
import { type GuardContext, guardRequest } from '../guard/guard.ts';
import { acceptNarrowed } from '../guard/write/narrowed-write.ts';
import { acceptOpen, findRead } from '../guard/write/open-write.ts';
import { refuseStoredQueries } from '../guard/write/stored-queries.ts';
import type { RequestRecorder } from '../recording/recorded-requests.ts';
import type { AskedRequest, ClusterIdentity, ClusterRequest, ReadRequest, WriteRequest } from './cluster-request.ts';
import { quoteRemoteText } from './quote-remote-text.ts';
import { failureWithNames, unknownIndexFailure } from './unknown-index.ts';

/** What a call has to know of its connection. */
type ClusterLease = Pick<Lease<ClusterBackend>, 'backend' | 'name' | 'config'>;

/** One call of a tool on a cluster, and everything that it may do there. */
export interface ClusterCall {
  lease: ClusterLease;
  signal: AbortSignal;
  identity: ClusterIdentity;
  /** Guarded; answers whatever the status is. */
  ask(request: AskedRequest, limits?: AnswerLimits): Promise<Answer>;
  /** The same for callers that can do nothing with an error: throws it. */
  read(request: AskedRequest, limits?: AnswerLimits): Promise<Answer>;
  /** The error in an answer, with the names that resemble one that does not exist; undefined without an error. */
  failureOf(answer: Answer): Promise<Failure | undefined>;
  /** The fallback when the cluster does not report it. */
  unknownIndex(name: string): Promise<Failure>;
  /** What the policy hides, and warnings that were not shown before, as sentences. Most warnings come with every answer. */
  news(answer: Pick<Answer, 'warnings' | 'policyNote' | 'costNote'>): string[];
  /**
   * Sends a write. It is refused on a readonly connection, for hidden indices that the connection may not read, and wherever it cannot
   * be checked that the request stays within the indices of the connection. Where a person has to confirm it first, it is not sent, and
   * the result is what to ask.
   */
  write(request: AskedRequest, approval: Approval): Promise<Answer | { change: Change }>;
}

interface CallParts {
  signal: AbortSignal;
  /** Where calls are recorded. */
  recorder?: RequestRecorder | undefined;
}

export function createCall(lease: ClusterLease, identity: ClusterIdentity, { signal, recorder }: CallParts): ClusterCall {
  const { backend, name, config } = lease;
  // Several clients share a backend, and some of them may only read.
  const readonly = backend.rules.readonly || config.readonly !== false;
  const rules = { identity, ...backend.rules, readonly };
  const record: RequestRecorder = recorder ?? ((_request, _access, send) => send({}));
  const readWithin = createReader(backend, rules);
  const askWithin = (request: AskedRequest, within: AbortSignal, limits?: AnswerLimits) =>
    record(whole(request), 'read', async (more) => {
      const options = { signal: within, ...more, ...(limits === undefined ? {} : { limits }) };
      return await readWithin(guardRequest(whole(request), rules), options);
    });
  const ask: ClusterCall['ask'] = (request, limits) => askWithin(request, signal, limits);
  const failureOf: ClusterCall['failureOf'] = (answer) => failureWithNames(answer, askWithin, signal);
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
      unknownIndexFailure(index, { message: `there is no index ${JSON.stringify(index)}`, ask: askWithin, signal }),
    news: ({ policyNote, costNote, warnings }) => [policyNote ?? [], costNote ?? [], listNews(backend, warnings)].flat(),
    write: async (request, approval) => {
      const asked = whole(request);
      const place = { name, backend, rules, readWithin };
      let accepted: Accepted;
      try {
        if (readonly) throw readonlyFailure(name);
        accepted = await acceptWrite(asked, place, { signal });
        const change =
          accepted.kind === 'read' ? undefined : await judge(accepted, { ...place, config, approval, ask, failureOf, signal });
        if (change !== undefined) return await record(asked, 'unsent', async () => ({ change }));
      } catch (error) {
        return await record(asked, readonly ? 'read' : 'unsent', () => Promise.reject(error));
      }
      return await record(asked, 'write', async (more) => await sendAccepted(accepted, place, { signal, ...more }));
    },
  };
}

type Accepted = ReadRequest | WriteRequest;

interface WritePlace {
  name: string;
  backend: ClusterBackend;
  rules: GuardContext;
  readWithin(request: ReadRequest, options: SendOptions): Promise<Answer>;
}

async function acceptWrite(
  request: ClusterRequest,
  { name, backend, rules }: WritePlace,
  options: SendOptions,
): Promise<Accepted> {
  const { fields } = backend;
  const isOpen = rules.indices === undefined;
  const read = fields === undefined ? findAnyRead(request, rules) : findRead(request, rules);
  const accepted = read ?? (isOpen ? acceptOpen(request, name, rules) : acceptNarrowed(request, name, rules));
  if (accepted.kind === 'read') return accepted;
  // The answers are not shown, so no policy applies to them.
  const ask = (own: AskedRequest) => backend.send(guardRequest(whole(own), rules), options);
  if (fields !== undefined) await refuseCopies(accepted);
  // The values that a stored query looks up are shown by errors and explanations.
  if (!isOpen || fields !== undefined) await refuseStoredQueries(accepted, { ...rules, indices: rules.indices ?? [] }, ask);
  return accepted;
}

/** A connection that sees everything sends all else as it is, but a person need not confirm what only reads. */
function findAnyRead(request: ClusterRequest, rules: GuardContext): ReadRequest | undefined {
  if (!rules.systemIndices) return undefined;
  try {
    return findRead(request, rules);
  } catch {
    return undefined;
  }
}

async function sendAccepted(accepted: Accepted, { backend, readWithin }: WritePlace, options: SendOptions): Promise<Answer> {
  if (accepted.kind === 'read') return await readWithin(accepted, options);
  // What a write changes of mappings must not be judged by the old ones.
  return await backend.send(accepted, options).finally(() => backend.fields?.forget());
}

/** What a person has to confirm. It is loaded with the first write. */
async function judge(request: WriteRequest, parts: Parameters<typeof createWriteSite>[0]): Promise<Change | undefined> {
  const [{ judgeRequest }, { createWriteSite }] = await Promise.all([
    import('../approval/judge-request.ts'),
    import('../approval/write-site.ts'),
  ]);
  return await judgeRequest(request, createWriteSite(parts));
}

/** Sends reads, with protected fields as the policy shows them. */
function createReader(backend: ClusterBackend, rules: GuardContext) {
  return async (request: ReadRequest, options: SendOptions): Promise<Answer> => {
    const send = (one: ReadRequest, limits?: AnswerLimits) =>
      backend.send(one, { ...options, ...(limits === undefined ? {} : { limits }) });
    if (backend.fields === undefined) return await send(request, options.limits);
    const { readProtected } = await import('../policy/protected-read.ts');
    const askOwn = (own: AskedRequest, bounds: AnswerLimits) => send(guardRequest(whole(own), rules), bounds);
    return await readProtected(backend.fields, { request, send, ask: askOwn }, options.limits);
  };
}

/** What checks it is loaded for a connection with protected fields. */
async function refuseCopies(request: WriteRequest): Promise<void> {
  (await import('../policy/protected-write.ts')).checkProtectedWrite(request);
}

/** The number of warnings that are shown at a time; each is shown once. */
const warningsSaid = 5;
/** A cluster that makes up a new one for each answer should not fill the memory. */
const warningsKnown = 1_000;

const told = new WeakMap<ClusterBackend, Set<string>>();

function listNews(backend: ClusterBackend, warnings: readonly string[]): string[] {
  const known = told.get(backend) ?? new Set();
  told.set(backend, known);
  const news = warnings.filter((warning) => !known.has(warning));
  if (known.size > warningsKnown) known.clear();
  for (const warning of news) known.add(warning);
  const said = news.slice(0, warningsSaid).map((warning) => `The cluster warns: ${quoteRemoteText(warning, 200)}.`);
  return news.length <= warningsSaid ? said : [...said, `And ${news.length - warningsSaid} more warnings.`];
}

function whole(request: AskedRequest): ClusterRequest {
  return { method: 'GET', params: {}, body: undefined, ...request };
}
