import { Failure, type FailureCode, type FailureKind } from '@dbmole/core';
import type { Answer } from './answer.ts';
import { formatSaid } from './said.ts';

type StatusAnswer = Pick<Answer, 'status' | 'text' | 'json'>;

interface Meaning {
  kind: FailureKind;
  code: FailureCode;
  hint?: string;
}

const meanings: Readonly<Record<number, Meaning>> = {
  401: { kind: 'auth', code: 'E_AUTH', hint: 'Check user and password, or the apiKey: it may have expired.' },
  403: {
    kind: 'auth',
    code: 'E_FORBIDDEN',
    hint: 'Who connects lacks a privilege; a person who manages the cluster can grant it.',
  },
  429: { kind: 'engine', code: 'E_BUSY', hint: 'The cluster is busy or short of memory: ask for less, or call again later.' },
  502: { kind: 'engine', code: 'E_UNAVAILABLE', hint: 'A proxy answers for a cluster that does not; call again later.' },
  503: {
    kind: 'engine',
    code: 'E_UNAVAILABLE',
    hint: 'The cluster is starting, has no master, or is short of something; call again later.',
  },
};

const causesShown = 4;
/** Characters of all causes together. */
const reasonRoom = 1_000;

/** An answer with an error in it as a Failure, for those who need the answer; undefined when it is none. */
export function answerFailure(answer: StatusAnswer): Failure | undefined {
  const { status } = answer;
  if (status < 300) return undefined;
  if (status < 400) return redirectFailure(status);
  if (/plain HTTP request was sent to HTTPS/i.test(answer.text)) return schemeFailure();
  const { kind, code, hint } = meanings[status] ?? ({ kind: 'engine', code: 'E_ENGINE' } satisfies Meaning);
  const reason = formatReason(answer.json);
  const said = reason === undefined ? 'no reason is given' : formatSaid(reason, reasonRoom);
  return new Failure(kind, `status ${status}: ${said}`, {
    code,
    engineCode: String(status),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** `type: reason`, and what caused it, as far as it says something new. */
export function formatReason(json: unknown): string | undefined {
  const error = valueAt(json, ['error']);
  if (typeof error === 'string') return error;
  const parts: string[] = [];
  for (let cause = error; cause !== undefined && parts.length < causesShown; cause = causeOf(cause)) {
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

/** Where all shards failed for one reason, only they say it. */
function causeOf(error: unknown): unknown {
  return valueAt(error, ['caused_by']) ?? valueAt(error, ['failed_shards', '0', 'reason']) ?? valueAt(error, ['root_cause', '0']);
}

/** What stands there in a value out of JSON, or undefined. */
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
  return new Failure('config', `status ${status}: what answers sends us somewhere else, and we do not follow`, {
    code: 'E_REDIRECT',
    engineCode: String(status),
    hint: 'Set host, port and scheme to where the cluster itself answers; a proxy in front may want a login first.',
  });
}

function schemeFailure(): Failure {
  return new Failure('connection', 'what answers speaks TLS, and we do not', { code: 'E_TLS', hint: 'Set "scheme": "https".' });
}
