import { type ChangeShape, noShape, type RowsOfChange } from '../../../approval/change.ts';
import { openParser, type Parser, type Token } from '../guard/thread/parser.ts';
import { isUnrestricted, listParts } from './unrestricted.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads what a statement would change. It runs in the thread of the guard. */
export async function readChange(sql: string): Promise<ChangeShape> {
  const parser = await openParser();
  try {
    return readStatement(sql, parser);
  } catch {
    // The grammar of the server may be another one, or the text is nested too deeply.
    return { ...noShape, noWhere: 'unknown' };
  }
}

function readStatement(sql: string, parser: Parser): ChangeShape {
  const statements = parser.parse(sql).map(({ stmt }) => stmt);
  const noWhere = findNoWhere(statements);
  const [statement] = statements;
  const [[kind, node] = ['', {}]] = Object.entries(toFields(statement));
  const fields = toFields(node);
  const verb = verbs[kind] ?? '';
  if (verb === '') return { ...noShape, noWhere };
  const relation = toFields(kind === 'TruncateStmt' ? toFields(toList(fields.relations)[0]).RangeVar : fields.relation);
  const isOne = kind !== 'TruncateStmt' || toList(fields.relations).length === 1;
  const target = isOne ? { schema: toText(relation.schemaname), name: toText(relation.relname) ?? '' } : undefined;
  const set = kind === 'UpdateStmt' ? readSet(fields) : [];
  return { verb, target, noWhere, set, rows: readRows(kind, fields, { sql, parser }) };
}

const verbs: Readonly<Record<string, ChangeShape['verb']>> = {
  InsertStmt: 'INSERT',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
  MergeStmt: 'MERGE',
  TruncateStmt: 'TRUNCATE',
};

const conditions: Readonly<Record<string, { noWhere: NonNullable<ChangeShape['noWhere']>; field: string | undefined }>> = {
  UpdateStmt: { noWhere: 'UPDATE', field: 'whereClause' },
  DeleteStmt: { noWhere: 'DELETE', field: 'whereClause' },
  MergeStmt: { noWhere: 'MERGE', field: 'joinCondition' },
  TruncateStmt: { noWhere: 'TRUNCATE', field: undefined },
};

/** What only writes down a statement for later. */
const definitions: ReadonlySet<string> = new Set(['CreateFunctionStmt', 'RuleStmt', 'ViewStmt', 'CreatePolicyStmt']);

/** The first change without a condition, in the statement or in any part of it, such as a WITH. */
function findNoWhere(statements: readonly unknown[]): ChangeShape['noWhere'] {
  for (const [kind, part] of listParts(statements, (one) => definitions.has(one))) {
    const condition = conditions[kind];
    if (condition === undefined) continue;
    const where = condition.field === undefined ? undefined : toFields(part)[condition.field];
    if (isUnrestricted(where)) return condition.noWhere;
  }
  return undefined;
}

function readSet({ targetList }: Fields): string[] {
  return toList(targetList).flatMap((item) => toText(toFields(toFields(item).ResTarget).name) ?? []);
}

interface Text {
  sql: string;
  parser: Parser;
}

/** The rows are read by the same text, so only where its parts can be told apart. */
function readRows(kind: string, fields: Fields, { sql, parser }: Text): RowsOfChange | undefined {
  const isUpdate = kind === 'UpdateStmt';
  if (!isUpdate && kind !== 'DeleteStmt') return undefined;
  if (changesInWith(fields.withClause) || JSON.stringify(fields.whereClause ?? '').includes('CurrentOfExpr')) return undefined;
  const tokens = readTokens(sql, parser);
  const { verb, target, set, others, where, last } = findClauses(tokens, isUpdate);
  if (verb < 0 || (isUpdate && set < 0)) return undefined;
  const ends = (...places: readonly number[]) => Math.min(last, ...places.filter((place) => place >= 0));
  const writer = new PlaceholderWriter(sql, tokens);
  const prefix = writer.write(0, verb);
  const table = writer.write(target, ends(set, others, where));
  const joined = others < 0 ? '' : `, ${writer.write(others + 1, ends(where))}`;
  const condition = where < 0 ? '' : ` ${writer.write(where, last)}`;
  const relation = toFields(fields.relation);
  const alias = toText(toFields(relation.alias).aliasname) ?? toText(relation.relname) ?? '';
  return { with: prefix, from: `${table}${joined}${condition}`, alias: quoteName(alias), params: writer.params };
}

/** Where the clauses begin, as indexes of tokens. A negative one is missing. */
function findClauses(tokens: readonly ReadToken[], isUpdate: boolean) {
  const find = (words: readonly string[], from: number) =>
    tokens.findIndex(({ depth, word, before }, i) => i >= from && depth === 0 && words.includes(word) && before !== 'DISTINCT');
  const verb = find([isUpdate ? 'UPDATE' : 'DELETE'], 0);
  const end = find(['RETURNING', ';'], verb);
  const last = end < 0 ? tokens.length : end;
  const findBefore = (word: string, from: number) => {
    const at = find([word], from);
    return at < last ? at : -1;
  };
  const set = isUpdate ? findBefore('SET', verb) : -1;
  const others = isUpdate ? findBefore('FROM', set) : findBefore('USING', verb);
  return { verb, target: verb + (isUpdate ? 1 : 2), set, others, where: findBefore('WHERE', verb), last };
}

function changesInWith(node: unknown): boolean {
  return node !== undefined && /"(?:Insert|Update|Delete|Merge)Stmt"/.test(JSON.stringify(node));
}

interface ReadToken {
  start: number;
  end: number;
  /** In capitals, for unquoted words and marks. */
  word: string;
  /** The word before it. */
  before: string;
  depth: number;
}

/** The tokens without comments; bounds in UTF-16 units. */
function readTokens(sql: string, parser: Parser): readonly ReadToken[] {
  const bytes = Buffer.from(sql);
  const isAscii = bytes.length === sql.length;
  const place = (at: number) => (isAscii ? at : bytes.toString('utf8', 0, at).length);
  let depth = 0;
  let before = '';
  return parser
    .scan(sql)
    .filter(({ tokenName }) => !tokenName.endsWith('_COMMENT'))
    .map(({ start, end, text }: Token) => {
      const word = text.toUpperCase();
      if (word === ')' || word === ']') depth -= 1;
      const token = { start: place(start), end: place(end), word, before, depth };
      if (word === '(' || word === '[') depth += 1;
      before = word;
      return token;
    });
}

/** Copies parts of a text, with its placeholders counted from 1. */
class PlaceholderWriter {
  readonly params: number[] = [];
  readonly #sql: string;
  readonly #tokens: readonly ReadToken[];

  constructor(sql: string, tokens: readonly ReadToken[]) {
    this.#sql = sql;
    this.#tokens = tokens;
  }

  write(from: number, to: number): string {
    const part = this.#tokens.slice(from, to);
    const [first] = part;
    if (first === undefined) return '';
    let text = '';
    let at = first.start;
    for (const { start, end, word } of part) {
      text += this.#sql.slice(at, start);
      const number = /^\$(\d+)$/.exec(word)?.[1];
      text += number === undefined ? this.#sql.slice(start, end) : this.#renumber(Number(number));
      at = end;
    }
    return text;
  }

  #renumber(number: number): string {
    const known = this.params.indexOf(number - 1);
    return `$${known >= 0 ? known + 1 : this.params.push(number - 1)}`;
  }
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function toFields(value: unknown): Fields {
  // A part of the JSON of the parser.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
