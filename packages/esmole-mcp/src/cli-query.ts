import { type CliQuery, type CliQuestion, Failure } from '@dbmole/core';
import type { AnswerLimits } from './answer/answer.ts';
import type { ClusterBackend } from './backend.ts';
import { type AskedRequest, type ClusterRequest, parseTarget } from './call/cluster-request.ts';
import { methods } from './call/path.ts';

/** A person wants all of it, but a mistake should not fill the memory. */
const size = 64 * 1024 * 1024;
const limits: AnswerLimits = { bytes: size };

const form = 'GET /index/_search';

/** `query` on the command line: the rows of a query, or one guarded request and what came back. */
export const cliQuery: CliQuery<ClusterBackend> = {
  usage: '"FROM …"|"GET /PATH" [BODY]',
  about: 'run a query (ES|QL, SQL, PPL; CSV in a pipe) or one read-only request',
  example: '"FROM logs | LIMIT 10"',
  options: ['format', 'vertical', 'limit', 'param', 'file'],
  async run(backend, question) {
    const text = question.words.join(' ');
    if (!(await import('./query/language.ts')).isQueryText(text)) return await runRequest(backend, question);
    await (await import('./query/print-rows.ts')).printRows(backend, { ...question, text });
  },
};

async function runRequest(backend: ClusterBackend, { words, signal, answer, note, record }: CliQuestion): Promise<void> {
  const [{ guardRequest }, { answerFailure }, { failureWithNames }, { prettyJson }] = await Promise.all([
    import('./guard/guard.ts'),
    import('./call/answer-failure.ts'),
    import('./call/unknown-index.ts'),
    import('./json/pretty-json.ts'),
  ]);
  const identity = await backend.identify(signal);
  const rules = { identity, ...backend.rules };
  const question = withTable(parseQuestion(words));
  const send = async (more: object) => await backend.send(guardRequest(question, rules), { signal, limits, ...more });
  const recording = record && (await import('./recording/recorded-requests.ts')).recordRequests(record, identity);
  const found = recording === undefined ? await send({}) : await recording(question, 'read', send);
  const ask = (request: AskedRequest, within: AbortSignal) =>
    backend.send(guardRequest({ method: 'GET', params: {}, body: undefined, ...request }, rules), { signal: within });
  if (answerFailure(found) !== undefined) throw await failureWithNames(found, ask, signal);
  answer.text(found.contentType.includes('json') ? prettyJson(found.text) : found.text.trimEnd());
  if (found.costNote !== undefined) note(found.costNote);
  if (found.cut !== undefined) throw cutFailure();
}

/** APIs that are made for people return a table with the names of its columns. */
function withTable(request: ClusterRequest): ClusterRequest {
  const { segments, params } = parseTarget(request);
  if (segments[0] !== '_cat' || segments.length === 1 || params.has('format')) return request;
  const [path = ''] = request.path.split('?');
  return { ...request, path, params: { format: 'text', v: 'true', ...Object.fromEntries(params) } };
}

/** `"GET /path"` or `GET /path` or `/path`, and perhaps a body. Where a method can have both, one with a body is a POST. */
export function parseQuestion(words: readonly string[]): ClusterRequest {
  const [first = '', ...others] = words.flatMap((word, at) => (at === 0 ? splitFirst(word) : [word]));
  const method = methods.find((one) => one === first.toUpperCase());
  const [path, body, ...rest] = method === undefined ? [first, ...others] : others;
  if (path === undefined || !path.startsWith('/') || rest.length > 0)
    throw new Failure(
      'input',
      `invalid request ${JSON.stringify(words.join(' ').slice(0, 200))}: expected a query such as FROM logs | LIMIT 10, or a method, a path that begins with / and perhaps a body`,
      {
        hint: `Write a request as in "${form}" '{"size": 1}'.`,
      },
    );
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), path, params: {}, body };
}

/** The method, the path, and what follows them: a body may have spaces, and a path has none. */
function splitFirst(word: string): string[] {
  const [, method, path, body] = /^(\S+)\s+(\S+)\s+(.*)$/s.exec(word.trim()) ?? [];
  return method === undefined || path === undefined || body === undefined ? word.trim().split(/\s+/) : [method, path, body];
}

function cutFailure(): Failure {
  return new Failure('limit', `the answer is longer than ${size} bytes and was cut there`, {
    code: 'E_TOO_LONG',
    hint: 'Ask for less with size, _source or filter_path.',
  });
}
