import { toFailure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import { unseenClass } from '../text.ts';
import { parseTime } from '../tools/duration.ts';
import { type ParamRules, parseParamLine, type QueryParam } from './param-line.ts';

/** A saved query, as its file describes it. */
export interface SavedQuery {
  name: string;
  description: string;
  /** When to use it: `the user asks …`. */
  when?: string | undefined;
  connection?: string | undefined;
  database?: string | undefined;
  params: readonly QueryParam[];
  timeoutMs?: number | undefined;
  /** Rows at most, unless a caller asks for another number. */
  limit?: number | undefined;
  effect: 'read' | 'write';
  isEnabled: boolean;
  /** The statement or request. The header is replaced by empty lines, so that lines are counted as in the file. */
  body: string;
}

/** What is wrong with a file, at a line that is counted from 1. */
export interface FileIssue {
  line: number;
  message: string;
}

/** What the files of a server may hold. */
export interface FileRules extends ParamRules {
  /** What begins a line of the header. */
  comments: readonly string[];
  /** Keys of the header that other servers do not have. */
  keys: readonly ('database' | 'limit')[];
}

export interface ParsedFile {
  /** The name in the header, also where something else is wrong. */
  name?: string | undefined;
  /** Where each key is. */
  lines: Readonly<Partial<Record<HeaderKey, number>>>;
  /** Undefined when there are issues. */
  query?: SavedQuery | undefined;
  issues: readonly FileIssue[];
}

const maxNameLength = 48;
const maxTextLength = 600;
const maxParams = 50;
const maxHeaderLines = 200;
const maxRowLimit = 10_000;
const maxShownIssues = 10;
const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
export const nameForm = `letters a-z, digits and single underscores, such as customer_orders, at most ${maxNameLength} characters`;

export function isQueryName(name: string): boolean {
  return snakeCase.test(name) && name.length <= maxNameLength;
}

interface HeaderLine {
  line: number;
  key: string;
  /** What is between the key and the colon: of `param id integer: …` the rest of it. */
  value: string;
  /** The colon is missing. */
  isBare?: boolean;
}

const keys = ['tool', 'description', 'when', 'connection', 'database', 'param', 'timeout', 'limit', 'effect', 'enabled'] as const;
type HeaderKey = (typeof keys)[number];

/** Reads a whole file. Every issue is named at once, with the accepted form. */
export function parseQueryFile(bytes: Uint8Array, rules: FileRules): ParsedFile {
  const text = decode(bytes);
  if (text === undefined) return { lines: {}, issues: [{ line: 1, message: 'the file is not UTF-8 text; save it as UTF-8' }] };
  const lines = text.split(/\r?\n/);
  const hidden = findHidden(lines);
  if (hidden !== undefined) return { lines: {}, issues: [hidden] };
  const { header, end } = readHeader(lines, rules.comments);
  const reader = new HeaderReader(header, rules);
  const query = reader.read([...lines.slice(0, end).map(() => ''), ...lines.slice(end)].join('\n'));
  if (end > maxHeaderLines) reader.report(end, `the header has ${end} lines; expected at most ${maxHeaderLines}`);
  if (query.body.trim() === '') reader.report(end + 1, 'nothing follows the header; expected what is to be run');
  const issues = sortIssues(reader.issues).slice(0, maxShownIssues);
  const name = isQueryName(query.name) ? query.name : undefined;
  const found = { name, lines: reader.lines, issues };
  return issues.length > 0 ? found : { ...found, query };
}

export function sortIssues(issues: readonly FileIssue[]): FileIssue[] {
  return issues.toSorted((a, b) => a.line - b.line);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const hiddenCharacter = new RegExp(`[${unseenClass}]`, 'u');

/** What a reviewer cannot see must not be what runs, or what a model is told. */
function findHidden(lines: readonly string[]): FileIssue | undefined {
  const at = lines.findIndex((line) => hiddenCharacter.test(line));
  const [character] = hiddenCharacter.exec(lines[at] ?? '') ?? [];
  if (character === undefined) return undefined;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return { line: at + 1, message: `the line has the invisible character U+${code}; remove it, or write an escape of the engine` };
}

/** The comments at the beginning. A line that is indented by two spaces or more goes on with the one before. */
function readHeader(lines: readonly string[], comments: readonly string[]): { header: HeaderLine[]; end: number } {
  const header: HeaderLine[] = [];
  let end = 0;
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const mark = comments.find((one) => line.startsWith(one));
    if (mark === undefined && line.trim() !== '') break;
    end = index + 1;
    const text = mark === undefined ? '' : line.slice(mark.length).trimEnd();
    const last = header.at(-1);
    if (isOpen && last !== undefined && /^ {2,}\S/.test(text)) last.value += ` ${text.trim()}`;
    else {
      const found = parseHeaderLine(text);
      isOpen = found !== undefined;
      if (found !== undefined) header.push({ line: index + 1, ...found });
    }
  }
  return { header, end };
}

/** A line that would be meant as a key, were it not for the colon; in prose, more words follow. */
const barePattern = /^\s?(limit\s+\d+|timeout\s+\d+[a-z]{1,2}|effect\s+(?:read|write)|enabled\s+(?:true|false))$/;

/** `key: value`, or `param …`. Other comments are comments, unless their key looks like a slip. */
function parseHeaderLine(text: string): Omit<HeaderLine, 'line'> | undefined {
  const [, param] = /^\s?param\s+(\S.*)$/i.exec(text) ?? [];
  if (param !== undefined) return { key: 'param', value: param.trim() };
  const [, key, value = ''] = /^\s?([A-Za-z]{3,20})\s{0,5}:(?:\s(.*))?$/.exec(text) ?? [];
  if (key !== undefined) return { key: key.toLowerCase(), value: value.trim() };
  const [, bare] = barePattern.exec(text) ?? [];
  return bare === undefined ? undefined : { key: bare, value: text.trim(), isBare: true };
}

class HeaderReader {
  readonly issues: FileIssue[] = [];
  readonly #header: readonly HeaderLine[];
  readonly #rules: FileRules;

  constructor(header: readonly HeaderLine[], rules: FileRules) {
    this.#rules = rules;
    this.#header = header.filter((one) => this.#isKnown(one));
  }

  get lines(): ParsedFile['lines'] {
    return Object.fromEntries(this.#header.map(({ key, line }) => [key, line]));
  }

  report(line: number, message: string): void {
    this.issues.push({ line, message });
  }

  read(body: string): SavedQuery {
    const limit = this.#find('limit');
    return {
      name: this.#readName(),
      description: this.#readText('description', true) ?? '',
      when: this.#readText('when'),
      connection: this.#readText('connection'),
      database: this.#readText('database'),
      params: this.#readParams(),
      timeoutMs: this.#readTimeout(),
      limit: limit && this.#readLimit(limit),
      effect: this.#readWord('effect', ['read', 'write'], 'read'),
      isEnabled: this.#readWord('enabled', ['true', 'false'], 'true') === 'true',
      body,
    };
  }

  #isKnown({ key, line, isBare }: HeaderLine): boolean {
    const known = keys.filter((one) => (one !== 'database' && one !== 'limit') || this.#rules.keys.includes(one));
    const [word = key] = key.split(' ');
    if (keys.some((one) => one === word) && !known.some((one) => one === word)) {
      this.report(line, `this server has no key "${word}"; remove the line. The keys are ${known.join(', ')}`);
      return false;
    }
    if (isBare) {
      this.report(line, `"${key}" has no colon; expected "${key.replace(/\s+/, ': ')}"`);
      return false;
    }
    if (known.some((one) => one === key)) return true;
    const [near] = nearestNames(key, known, 1);
    const isSlip = near !== undefined && near[0] === key[0] && Math.abs(near.length - key.length) <= 2;
    if (isSlip) this.report(line, `unknown key "${key}"; did you mean ${near}? The keys are ${known.join(', ')}`);
    return false;
  }

  #find(key: HeaderKey): HeaderLine | undefined {
    const [first, second] = this.#header.filter((one) => one.key === key);
    if (second !== undefined) this.report(second.line, `${key} is given twice; expected it once`);
    return first;
  }

  #readName(): string {
    const found = this.#find('tool');
    const mark = this.#rules.comments[0] ?? '';
    if (found === undefined) {
      this.report(1, `the name is missing; expected the line "${mark} tool: NAME"`);
      return '';
    }
    if (!isQueryName(found.value))
      this.report(found.line, `invalid tool ${JSON.stringify(found.value.slice(0, 60))}; expected ${nameForm}`);
    return found.value;
  }

  #readText(key: HeaderKey, isRequired = false): string | undefined {
    const found = this.#find(key);
    const mark = this.#rules.comments[0] ?? '';
    if (found === undefined && isRequired) this.report(1, `${key} is missing; expected the line "${mark} ${key}: …"`);
    if (found === undefined) return undefined;
    const { line, value } = found;
    if (value === '' || value.length > maxTextLength)
      this.report(line, `${key} has ${value.length} characters; expected 1 to ${maxTextLength}`);
    return value;
  }

  #readWord<const T extends string>(key: HeaderKey, words: readonly T[], fallback: T): T {
    const found = this.#find(key);
    if (found === undefined) return fallback;
    const word = words.find((one) => one === found.value.toLowerCase());
    if (word === undefined)
      this.report(found.line, `invalid ${key} ${JSON.stringify(found.value.slice(0, 60))}; expected ${words.join(' or ')}`);
    return word ?? fallback;
  }

  #readLimit({ line, value }: HeaderLine): number | undefined {
    const limit = /^\d{1,6}$/.test(value) ? Number(value) : 0;
    if (limit >= 1 && limit <= maxRowLimit) return limit;
    this.report(line, `invalid limit ${JSON.stringify(value.slice(0, 60))}; expected a number of rows from 1 to ${maxRowLimit}`);
    return undefined;
  }

  #readTimeout(): number | undefined {
    const found = this.#find('timeout');
    if (found === undefined) return undefined;
    try {
      return parseTime(found.value);
    } catch (error) {
      this.report(found.line, `${toFailure(error).message}, at most 60m`);
      return undefined;
    }
  }

  #readParams(): QueryParam[] {
    const lines = this.#header.filter(({ key }) => key === 'param');
    const beyond = lines[maxParams];
    if (beyond !== undefined) this.report(beyond.line, `there are ${lines.length} parameters; expected at most ${maxParams}`);
    const params: QueryParam[] = [];
    for (const { line, value } of lines.slice(0, maxParams)) {
      const param = parseParamLine(value, this.#rules);
      if (typeof param === 'string') this.report(line, param);
      else if (params.some(({ name }) => name === param.name)) this.report(line, `the parameter ${param.name} is declared twice`);
      else params.push({ ...param, line });
    }
    return params;
  }
}
