import { readFileSync } from 'node:fs';

/** One statement of a case file, with what the guard has to say about it. */
export interface GuardCase {
  readonly id: string;
  /** `allow` among the attacks: the guard may let it pass, and the engine must make it harmless. */
  readonly verdict: 'refuse' | 'allow';
  readonly why: string;
  /** As written after `only:`, without order: names of flavours, and versions as in `>=17`. */
  readonly only: readonly string[];
  /** Whatever else the head line says as `| key: value`; what it means is up to the tests of that engine. */
  readonly notes: Readonly<Record<string, string>>;
  readonly sql: string;
}

/** What answers, as far as `only:` asks: `mysql` or `mariadb`, and its version as in `8.0`. */
export interface CaseServer {
  readonly flavour?: string;
  readonly version: string;
}

const head = /^--- ([\w.-]+) \| (refuse|allow) \| (.+)$/;
const note = /^(\w+): (\S.*)$/;

/** The cases of `cases/<name>.sql`. Text before the first head line is a comment. */
export function readCases(name: string): GuardCase[] {
  return parseCases(readFileSync(new URL(`./cases/${name}.sql`, import.meta.url), 'utf8'), name);
}

/** Throws when a head line is not in the form, an id is there twice, or a statement is empty. */
export function parseCases(text: string, name = 'cases'): GuardCase[] {
  const cases: GuardCase[] = [];
  for (const part of text.split(/^(?=--- )/m).filter((part) => part.startsWith('--- '))) {
    const parsed = parseCase(part, name);
    if (cases.some(({ id }) => id === parsed.id)) throw new Error(`${name}: ${parsed.id} is there twice`);
    cases.push(parsed);
  }
  return cases;
}

function parseCase(part: string, name: string): GuardCase {
  const [line = '', ...rest] = part.split('\n');
  const [, id = '', verdict, words = ''] = head.exec(line) ?? [];
  if (verdict !== 'refuse' && verdict !== 'allow') throw new Error(`${name}: this is no head line: ${line}`);
  const [why = '', ...fields] = words.split(' | ');
  const notes = Object.fromEntries(fields.map((field) => parseNote(field, `${name}: ${id}`)));
  const { only = '', ...others } = notes;
  const sql = unescapeSql(rest.join('\n').replace(/\n+$/, ''));
  if (sql === '') throw new Error(`${name}: ${id} has no statement`);
  return { id, verdict, why, only: only.split(/[\s,]+/).filter((word) => word !== ''), notes: others, sql };
}

function parseNote(field: string, where: string): [string, string] {
  const [, key, value] = note.exec(field) ?? [];
  if (key === undefined || value === undefined) throw new Error(`${where}: "${field}" is not "key: value"`);
  return [key, value];
}

/** Characters that an editor would not keep. */
function unescapeSql(sql: string): string {
  return sql.replaceAll('\\{0}', '\u0000').replaceAll('\\{r}', '\r');
}

/** Whether a case is for this server: one of the named flavours, if any is named, and all of the versions. */
export function isFor({ id, only }: GuardCase, { flavour, version }: CaseServer): boolean {
  const bounds = only.filter((word) => /^[<>=]/.test(word));
  const flavours = only.filter((word) => !bounds.includes(word));
  if (flavours.length > 0 && (flavour === undefined || !flavours.includes(flavour))) return false;
  return bounds.every((bound) => isWithin(version, bound, id));
}

function isWithin(version: string, bound: string, id: string): boolean {
  const [, operator = '', wanted] = /^(>=|<=|<|>|=)([\d.]+)$/.exec(bound) ?? [];
  if (wanted === undefined) throw new Error(`${id}: "${bound}" is no version, as in ">=17"`);
  const order = compareVersions(version, wanted);
  const found = order < 0 ? '<' : order > 0 ? '>' : '=';
  return operator.includes(found);
}

/** As far as both have parts: 8.0.31 is 8.0. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (const [index, part] of (left ?? []).entries()) {
    const other = right?.[index];
    if (other !== undefined && part !== other) return part - other;
  }
  return 0;
}

/** Replaces `{NAME}` by values. Names without a value stay as they are: braces occur in SQL too. */
export function fillCase(sql: string, values: Readonly<Record<string, string | number>>): string {
  return sql.replace(/\{([A-Z]+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
