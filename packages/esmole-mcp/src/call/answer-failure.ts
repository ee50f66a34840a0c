import { Failure, type FailureCode, type FailureKind, type Hint, type Step } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { quoteRemoteText } from './quote-remote-text.ts';

type StatusAnswer = Pick<Answer, 'status' | 'text' | 'json'>;

interface Meaning {
  kind: FailureKind;
  code: FailureCode;
  hint?: Hint;
}

export const seeIndices: Step = { call: 'es_list_indices', run: 'indices CONNECTION', to: 'see the indices' };
export const seeFields: Step = { call: 'es_get_mapping', run: 'mapping CONNECTION INDEX', to: 'see the fields' };

const meanings: Readonly<Record<number, Meaning>> = {
  401: { kind: 'auth', code: 'E_AUTH', hint: 'Check user and password, or whether the API key has expired.' },
  403: {
    kind: 'auth',
    code: 'E_FORBIDDEN',
    hint: 'Ask an administrator of the cluster for this privilege.',
  },
  429: { kind: 'engine', code: 'E_BUSY', hint: 'The cluster is busy or short of memory. Ask for less, or retry later.' },
  502: { kind: 'engine', code: 'E_UNAVAILABLE', hint: 'The proxy gets no answer from the cluster. Retry later.' },
  503: {
    kind: 'engine',
    code: 'E_UNAVAILABLE',
    hint: 'The cluster is starting, has no master, or is short of resources. Retry later.',
  },
};

const causesShown = 4;
/** Characters of all causes together. */
const reasonRoom = 1_000;

/** Converts an answer with an error to a Failure, for callers that need the answer too; undefined when it has none. */
export function answerFailure(answer: StatusAnswer): Failure | undefined {
  const { status } = answer;
  if (status < 300) return undefined;
  if (status < 400) return redirectFailure(status);
  if (/plain HTTP request was sent to HTTPS/i.test(answer.text)) return schemeFailure();
  const { kind, code, hint } = meanings[status] ?? ({ kind: 'engine', code: 'E_ENGINE' } satisfies Meaning);
  const reason = formatReason(answer.json);
  const said = reason === undefined ? `status ${status}, without a reason` : quoteRemoteText(reason, reasonRoom);
  const next = reason === undefined ? undefined : findNext(answer, reason);
  return new Failure(kind, said, { code, engineCode: String(status), hint, ...next });
}

/** Hints for some reasons, whatever the status is. */
const hints: readonly (readonly [reason: RegExp, hint: Hint])[] = [
  [/Result window is too large/, 'Page with search_after: sort by a unique field and pass the sort values of the last hit.'],
  [/too_many_buckets/, 'Ask for fewer buckets: a larger interval, a smaller size, or a composite aggregation with `after`.'],
  [/fielddata is disabled/i, ['Sort and aggregate by a keyword field, such as name.keyword.', seeFields]],
  [/incompatible sort types/, ['Sort only indices where the field has one type.', seeFields]],
  [/Incorrect HTTP method for uri \[\/_/, 'Use an allowed method. If yours is the documented one, this cluster lacks that API.'],
  [/index_not_found_exception/, seeIndices],
  [
    /Cross-cluster calls are not supported in this context/,
    'Use es_search or es_query for remote clusters, or connect to that cluster itself.',
  ],
  [/index_closed_exception/, 'Leave the index out, or ask an administrator of the cluster to open it.'],
];
const noShards = /no_shard_available_action_exception|all shards failed|missing shards/;

function findNext({ status, json }: StatusAnswer, reason: string): { hint: Hint } | undefined {
  const known = hints.find(([pattern]) => pattern.test(reason));
  if (known !== undefined) return { hint: known[1] };
  return status === 503 && noShards.test(reason) ? { hint: seeHealth(json, reason) } : undefined;
}

/** Such an index does not recover on its own, and its health says why. */
function seeHealth(json: unknown, reason: string): Hint {
  const index = textAt(json, ['error', 'failed_shards', '0', 'index']) ?? /\[([^\][\s]+)\]/.exec(reason)?.[1] ?? '';
  const name = /^[^\s"\\*?,$`]{1,255}$/.test(index) ? ` "${index}"` : '';
  const to = `see which shards${name === '' ? '' : ` of${name}`} are missing and why`;
  return { call: 'es_cluster_health', run: `health CONNECTION${name}`, to };
}

/** `type: reason`, and what caused it, as far as it says something new. */
export function formatReason(json: unknown): string | undefined {
  const error = valueAt(json, ['error']);
  if (typeof error === 'string') return error;
  const parts: string[] = [];
  for (let cause = error; cause !== undefined && parts.length < causesShown; cause = findCause(cause)) {
    const part = formatCause(cause);
    if (part !== '' && !parts.includes(part)) parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join(', caused by ');
}

/** Some reasons, such as `closed`, say nothing without the index. */
function formatCause(cause: unknown): string {
  const reason = textAt(cause, ['reason']);
  const index = textAt(cause, ['index']);
  const where = reason === undefined || index === undefined || reason.includes(index) ? '' : ` [${index}]`;
  return [textAt(cause, ['type']), reason].filter((text) => text !== undefined).join(': ') + where;
}

/** When all shards failed for one reason, only their entries name it. */
function findCause(error: unknown): unknown {
  return valueAt(error, ['caused_by']) ?? valueAt(error, ['failed_shards', '0', 'reason']) ?? valueAt(error, ['root_cause', '0']);
}

/** Reads the value at a path of parsed JSON, or undefined. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

export function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}

function redirectFailure(status: number): Failure {
  return new Failure('config', `status ${status}: the server redirects, and redirects are not followed`, {
    code: 'E_REDIRECT',
    engineCode: String(status),
    hint: 'Set host, port and scheme to the cluster itself; a proxy in front may require a login first.',
  });
}

function schemeFailure(): Failure {
  return new Failure('connection', 'the server speaks TLS, and `scheme` is http', {
    code: 'E_TLS',
    hint: 'Set `scheme` to https.',
  });
}
