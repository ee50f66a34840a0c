import { type ChangeShape, noShape, type RowsOfChange, type TargetName } from '../../../approval/change.ts';
import { StatementText } from '../../../approval/statement-text.ts';
import { isName, noToken, type Token } from '../../../statement/tokens.ts';
import { inTurns } from '../guard/in-turns.ts';
import { tokenize } from '../guard/text/lexer.ts';
import type { LexMode } from '../guard/text/sql-mode.ts';
import { isUnrestricted } from './unrestricted.ts';

const usual: LexMode = { ansiQuotes: false, plainBackslash: false, ignoreSpace: false };
/** The mode of the session is not known here; it decides only about texts with these. */
const dependsOnMode = /["\\]/;
const others: readonly LexMode[] = [
  { ...usual, ansiQuotes: true },
  { ...usual, plainBackslash: true },
  { ...usual, ansiQuotes: true, plainBackslash: true },
];
/** What could change rows without a condition; an executable comment could be anything. */
const suspicious = /\b(?:update|delete|truncate|execute)\b|\/\*M?!/i;

/** Reads what a statement would change from its tokens. */
export async function readChange(sql: string): Promise<ChangeShape> {
  const tokens = await readTokens(sql, usual);
  const shape = tokens === undefined ? { ...noShape, noWhere: unreadable(sql) } : readShape(sql, tokens);
  if (shape.noWhere !== undefined || !dependsOnMode.test(sql)) return shape;
  for (const mode of others) {
    const read = await readTokens(sql, mode);
    const noWhere = read && readShape(sql, read).noWhere;
    if (noWhere !== undefined) return { ...shape, noWhere };
  }
  return shape;
}

async function readTokens(sql: string, mode: LexMode): Promise<readonly Token[] | undefined> {
  try {
    return await inTurns(tokenize(sql, mode));
  } catch {
    return undefined;
  }
}

function unreadable(sql: string): ChangeShape['noWhere'] {
  return suspicious.test(sql) ? 'unknown' : undefined;
}

/** These only write down a statement for later, or name a privilege. */
const definitions: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'GRANT', 'REVOKE']);

function readShape(sql: string, tokens: readonly Token[]): ChangeShape {
  const parts = new StatementParts(sql, tokens);
  const noWhere = definitions.has(tokens[0]?.word ?? '') ? undefined : parts.findNoWhere();
  const at = parts.findVerb();
  const verb = verbs.find((word) => word === tokens[at]?.word) ?? '';
  if (verb === '') return { ...noShape, noWhere };
  const from = parts.skipModifiers(at + 1);
  const { target, end } = parts.readTarget(from);
  if (target === undefined) return { ...noShape, verb, noWhere };
  const isUpdate = verb === 'UPDATE';
  const rows = isUpdate || verb === 'DELETE' ? parts.readRows({ verb: at, from, end, isUpdate, target }) : undefined;
  // A second table follows where the text goes on otherwise.
  const isOne = rows !== undefined || (!isUpdate && verb !== 'DELETE');
  return { verb, noWhere, target: isOne ? target : undefined, rows, set: rows && isUpdate ? parts.readSet(end) : [] };
}

const verbs = ['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'TRUNCATE'] as const;
const modifiers: ReadonlySet<string> = new Set('LOW_PRIORITY HIGH_PRIORITY DELAYED QUICK IGNORE INTO FROM TABLE'.split(' '));
/** Before these words, UPDATE and DELETE belong to a clause. */
const clauses: ReadonlySet<string> = new Set(['KEY', 'FOR', 'ON', 'BEFORE', 'AFTER', '.']);

interface RowsPlace {
  verb: number;
  /** Where the target begins and ends. */
  from: number;
  end: number;
  isUpdate: boolean;
  target: TargetName;
}

const isParam = ({ word }: Token) => word === '?';

class StatementParts extends StatementText {
  findNoWhere(): ChangeShape['noWhere'] {
    for (const [at, { word }] of this.tokens.entries()) {
      const before = this.word(at - 1);
      if (word === 'EXECUTE' && (at === 0 || before === ';')) return 'unknown';
      if (word === 'TRUNCATE' && (at === 0 || isStart(before))) return 'TRUNCATE';
      if ((word !== 'UPDATE' && word !== 'DELETE') || clauses.has(before)) continue;
      if (isUnrestricted(this.sql, this.#readCondition(at))) return word;
    }
    return undefined;
  }

  /** The condition of the change at this place; empty without a WHERE. */
  #readCondition(at: number): readonly Token[] {
    const where = this.#find(['WHERE'], at);
    return where < 0 ? [] : this.tokens.slice(where + 1, this.#endOfWhere(where));
  }

  /** The first word, or the one behind WITH. */
  findVerb(): number {
    if (this.word(0) !== 'WITH') return 0;
    return this.tokens.findIndex(({ word }, i) => this.depths[i] === 0 && (word === 'UPDATE' || word === 'DELETE'));
  }

  skipModifiers(from: number): number {
    let at = from;
    while (modifiers.has(this.word(at))) at += 1;
    return at;
  }

  readRows({ verb, from, end: behindName, isUpdate, target }: RowsPlace): RowsOfChange | undefined {
    const hasAs = this.word(behindName) === 'AS';
    const aliasAt = behindName + (hasAs ? 1 : 0);
    const token = this.tokens[aliasAt] ?? noToken;
    const hasAlias = hasAs || (isName(token) && !ends.has(token.word));
    const end = hasAlias ? aliasAt + 1 : behindName;
    // With another table, a partition or a hint, the text goes on otherwise.
    const next = this.word(end);
    if (isUpdate ? next !== 'SET' : !['', ';', 'WHERE', 'ORDER', 'LIMIT', 'RETURNING'].includes(next)) return undefined;
    const last = this.#endOfStatement(end);
    const where = this.#find(['WHERE', 'ORDER', 'LIMIT'], end);
    const isLimited = this.#find(['ORDER', 'LIMIT'], end) >= 0;
    const tail = where < 0 ? '' : ` ${this.write(where, last)}`;
    const name = `${this.write(from, end)}`;
    const alias = quoteName(hasAlias ? token.name : target.name);
    const text = isLimited ? `(SELECT * FROM ${name}${tail}) AS ${alias}` : `${name}${tail}`;
    const prefix = this.write(0, verb);
    const numbers = [...this.findParams(isParam, 0, verb), ...(where < 0 ? [] : this.findParams(isParam, where, last))];
    return { with: prefix, from: text, alias, params: numbers };
  }

  /** The names before each `=` of SET. */
  readSet(from: number): string[] {
    const set = this.#find(['SET'], from);
    const last = this.#find(['WHERE', 'ORDER', 'LIMIT', 'RETURNING'], set);
    const end = last < 0 ? this.#endOfStatement(set) : last;
    const names: string[] = [];
    for (let at = set + 1; at < end; at += 1) {
      const begins = at === set + 1 || (this.word(at - 1) === ',' && this.depths[at] === 0);
      if (!begins) continue;
      while (this.word(at + 1) === '.') at += 2;
      names.push(this.tokens[at]?.name ?? '');
    }
    return names;
  }

  /** The next of these words in the same statement, outside of parentheses that are opened in it. */
  #find(words: readonly string[], from: number): number {
    const depth = this.depths[from] ?? 0;
    const end = this.#endOfStatement(from);
    return this.tokens.findIndex(({ word }, i) => i >= from && i < end && this.depths[i] === depth && words.includes(word));
  }

  #endOfWhere(where: number): number {
    const end = this.#find(['ORDER', 'LIMIT', 'RETURNING'], where);
    return end < 0 ? this.#endOfStatement(where) : end;
  }

  #endOfStatement(from: number): number {
    const depth = this.depths[from] ?? 0;
    const end = this.tokens.findIndex(
      ({ word }, i) => i > from && ((this.depths[i] ?? 0) < depth || (word === ';' && this.depths[i] === depth)),
    );
    return end < 0 ? this.tokens.length : end;
  }
}

const ends: ReadonlySet<string> = new Set(
  'SET WHERE ORDER LIMIT RETURNING USING JOIN INNER LEFT RIGHT CROSS NATURAL PARTITION USE FORCE'.split(' '),
);

/** Words and marks behind which a statement of a block begins. */
function isStart(word: string): boolean {
  return [';', 'BEGIN', 'ATOMIC', 'THEN', 'ELSE', 'DO', 'LOOP', 'REPEAT'].includes(word);
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
