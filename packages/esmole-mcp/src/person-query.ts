import { Failure, forPerson, type PersonQuery } from '@dbmole/core';
import type { AnswerLimits } from './answer.ts';
import type { ClusterBackend } from './backend.ts';
import { methods } from './methods.ts';
import type { ClusterRequest } from './request.ts';

/** A person wants all of it, but a mistake should not fill the memory. */
const size = 64 * 1024 * 1024;
const limits: AnswerLimits = { bytes: size };

const form = 'GET /index/_search';

/** `query` on the command line: one guarded request, and what came back. */
export const personQuery: PersonQuery<ClusterBackend> = {
  usage: '"GET /PATH" [BODY]',
  about: 'ask yourself, with one request that reads; Ctrl-C stops it',
  example: '"GET /_cat/indices"',
  options: [],
  async run(backend, { words, signal, answer }) {
    const [{ guardRequest }, { answerFailure }, { prettyJson }] = await Promise.all([
      import('./guard/guard.ts'),
      import('./answer-failure.ts'),
      import('./pretty-json.ts'),
    ]);
    const identity = await backend.identify(signal);
    const request = readOf(() => guardRequest(parseQuestion(words), { identity, ...backend.rules }));
    const found = await backend.send(request, { signal, limits });
    const failure = answerFailure(found);
    if (failure !== undefined) throw failure.message.includes('index_not_found') ? forPerson(failure, listHint) : failure;
    answer.text(found.contentType.includes('json') ? prettyJson(found.text) : found.text.trimEnd());
    if (found.cut !== undefined) throw cutFailure();
  },
};

const readHint = 'This command only ever reads. Change data with another program, or let an agent use `es_request`.';
const listHint = '`query CONNECTION "GET /_cat/indices"` shows what there is.';

/** The guard tells a model of its tools, and of the connection: neither would help a person. */
function readOf<T>(guard: () => T): T {
  try {
    return guard();
  } catch (error) {
    throw error instanceof Failure && /es_request|readonly/.test(error.hint ?? '') ? forPerson(error, readHint) : error;
  }
}

/** `"GET /path"` or `GET /path` or `/path`, and perhaps a body. Where a method can have both, one with a body is a POST. */
export function parseQuestion(words: readonly string[]): ClusterRequest {
  const [first = '', ...others] = words.flatMap((word, at) => (at === 0 ? splitFirst(word) : [word]));
  const method = methods.find((one) => one === first.toUpperCase());
  const [path, body, ...rest] = method === undefined ? [first, ...others] : others;
  if (path === undefined || !path.startsWith('/') || rest.length > 0)
    throw new Failure('input', `this is no request: ${JSON.stringify(words.join(' ').slice(0, 200))}`, {
      hint: `Write a method, a path that begins with / and perhaps a body, such as "${form}" '{"size": 1}'.`,
    });
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), path, params: {}, body };
}

/** The method, the path, and what follows them: a body may have spaces, and a path has none. */
function splitFirst(word: string): string[] {
  const [, method, path, body] = /^(\S+)\s+(\S+)\s+(.*)$/s.exec(word.trim()) ?? [];
  return method === undefined || path === undefined || body === undefined ? word.trim().split(/\s+/) : [method, path, body];
}

function cutFailure(): Failure {
  return new Failure('limit', `the answer is longer than ${size} bytes, and was cut there`, {
    code: 'E_TOO_LONG',
    hint: 'Ask for less with size, _source or filter_path.',
  });
}
