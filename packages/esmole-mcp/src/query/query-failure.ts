import { Failure, type FailureOptions, findNearestNames } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { seeFields, textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteText } from '../call/quote-remote-text.ts';
import { readEsqlSources } from '../guard/query/esql-sources.ts';
import { readFieldCaps } from '../mapping/read-field-caps.ts';
import { type Language, noModuleFailure } from './language.ts';

/** Characters of the reason of a cluster. */
const reasonRoom = 300;
const maxExcerpt = 80;

interface Asked {
  readonly language: Language;
  /** The text of the caller, without what we add. */
  readonly query: string;
}

/** One thing that is wrong, and where. */
interface Problem {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** Explains why a query has no rows: one problem, where it is, and the names that resemble an unknown one. */
export async function queryFailure(call: ClusterCall, answer: Answer, asked: Asked): Promise<Failure> {
  if (isMissingRoute(answer)) return noModuleFailure(asked.language, call.identity);
  const [problem, ...others] = readProblems(answer.json);
  if (problem === undefined) return (await call.failureOf(answer)) ?? unreadable();
  const place = findPlace(problem, asked.query);
  const more = others.length === 0 ? '' : `; ${others.length} more`;
  const unknown = /^Unknown (column|index|function) \[([^\]]{1,300})\](?:, did you mean (?:any of )?\[([^\]]{1,500})\])?/.exec(
    problem.text,
  );
  if (unknown !== null) {
    const [, kind = '', name = '', meant = ''] = unknown;
    if (kind === 'index') return await call.unknownIndex(name);
    const nearest = meant === '' ? await findNearest(call, asked, { kind, name }) : meant.split(', ');
    return unknownFailure({ kind, name, more, options: { ...place, nearest } });
  }
  const syntax = textAt(answer.json, ['error', 'type']) === 'parsing_exception';
  const { message, nearest } = await shorten(problem.text);
  const code = syntax ? 'E_SYNTAX' : 'E_ENGINE';
  return new Failure(syntax ? 'input' : 'engine', `${message}${more}`, {
    ...place,
    code,
    engineCode: String(answer.status),
    nearest,
  });
}

function isMissingRoute({ status, json, text }: Answer): boolean {
  const error = textAt(json, ['error']) ?? textAt(json, ['error', 'reason']) ?? text;
  return status >= 400 && /no handler found for uri|Incorrect HTTP method for uri|unknown type name|typed endpoint/i.test(error);
}

/** `Found 2 problems\nline 1:20: …\nline 1:32: …`, or a single one. */
function readProblems(json: unknown): readonly Problem[] {
  const reason = textAt(json, ['error', 'details']) ?? textAt(json, ['error', 'reason']) ?? '';
  const found = [...reason.slice(0, 10_000).matchAll(/(?:^|\n)line (\d{1,6}):(\d{1,6}): ([\s\S]*?)(?=\nline \d|$)/g)];
  if (found.length > 0) return found.map(([, line, column, text = '']) => ({ text, line: Number(line), column: Number(column) }));
  return textAt(json, ['error', 'details']) === undefined ? [] : [{ text: reason, line: 0, column: 0 }];
}

/** What we added at the end of the query counts as its end. */
function findPlace({ line, column }: Problem, query: string): Pick<FailureOptions, 'position' | 'excerpt'> {
  const lines = query.split('\n');
  if (line < 1) return {};
  const isEnd = line > lines.length;
  const text = (isEnd ? lines.at(-1) : lines[line - 1]) ?? '';
  const at = isEnd ? text.length : Math.min(column - 1, text.length);
  const before = lines.slice(0, isEnd ? -1 : line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const from = Math.max(0, at - maxExcerpt / 2);
  return { position: before + at + 1, excerpt: { text: text.slice(from, from + maxExcerpt), column: at - from } };
}

interface Unknown {
  readonly kind: string;
  readonly name: string;
}

function unknownFailure({ kind, name, more, options }: Unknown & { more: string; options: FailureOptions }): Failure {
  const code = kind === 'column' ? 'E_UNKNOWN_FIELD' : 'E_UNKNOWN_FUNCTION';
  const hint = kind === 'column' ? { hint: seeFields } : {};
  return new Failure('unknown', `unknown ${kind} ${quoteRemoteText(name, 100)}${more}`, {
    ...options,
    code,
    engineCode: '400',
    ...hint,
  });
}

/** The cluster itself offers only names that differ little. This is best effort. */
async function findNearest(call: ClusterCall, { language, query }: Asked, { kind, name }: Unknown): Promise<readonly string[]> {
  const indices = kind === 'column' && language.title === 'ES|QL' ? readEsqlSources(query).lists.flat() : [];
  if (indices.length === 0) return [];
  try {
    const caps = await readFieldCaps(call, indices.join(','), { fields: '*', filter_path: 'fields.*.*.type' });
    const names = [...(caps?.fields.keys() ?? [])].filter((one) => !one.startsWith('_'));
    return await findNearestNames(name, names);
  } catch (error) {
    if (call.signal.aborted) throw error;
    return [];
  }
}

/** A parser lists everything that it expected, and shows what we added at the end of the query. */
async function shorten(text: string): Promise<{ message: string; nearest: readonly string[] }> {
  const near = /^no viable alternative at input '(.*)'$/s.exec(text)?.[1];
  const end = near?.search(/\\n\|| \| head|<EOF>$/) ?? -1;
  const shown = near === undefined ? '' : quoteRemoteText(end === -1 ? near : near.slice(0, end), 100);
  if (end !== -1) return { message: `the query ends too early${shown === '""' ? '' : `, after ${shown}`}`, nearest: [] };
  if (near !== undefined) return { message: `unexpected input at the end of ${shown}`, nearest: [] };
  const [, wrong = '', list = ''] = /^(?:mismatched|extraneous) input '([^']{0,100})' expecting \{?(.*?)\}?$/s.exec(text) ?? [];
  if (wrong === '<EOF>' || wrong.startsWith('\\n')) return { message: 'the query ends too early', nearest: [] };
  if (list === '') return { message: quoteRemoteText(text, reasonRoom), nearest: [] };
  const expected = [...list.matchAll(/'([a-z_]+)'/g)].map(([, word = '']) => word);
  const nearest = await findNearestNames(wrong.toLowerCase(), expected);
  const some = expected.length === 0 || expected.length > 8 ? '' : `: expected ${expected.join(', ')}`;
  return { message: `unexpected ${quoteRemoteText(wrong, 100)}${some}`, nearest };
}

function unreadable(): Failure {
  return new Failure('engine', 'the answer of the cluster is no table', { hint: { call: 'es_get', to: 'see it as it is' } });
}
