import { type ChangeShape, noShape, type RowsOfChange, type TargetName } from '../../../approval/change.ts';
import { StatementText } from '../../../approval/statement-text.ts';
import { isName, noToken, type Token } from '../../../statement/tokens.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { quoteName } from '../values/identifiers.ts';
import { isUnrestricted } from './unrestricted.ts';

/** What could change rows without a condition. */
const suspicious = /\b(?:update|delete)\b/i;
const verbs = ['INSERT', 'UPDATE', 'DELETE', 'REPLACE'] as const;
/** These only write down a statement for later. */
const definitions: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'DROP']);
const conflictWords: ReadonlySet<string> = new Set(['ROLLBACK', 'ABORT', 'REPLACE', 'FAIL', 'IGNORE']);
const behindTarget: ReadonlySet<string> = new Set('SET WHERE ORDER LIMIT RETURNING INDEXED NOT FROM'.split(' '));

/** Reads what a statement would change from its tokens. A statement of SQLite has one verb, behind its WITH. */
export async function readChange(sql: string): Promise<ChangeShape> {
  try {
    return readShape(sql, tokenize(sql));
  } catch {
    return { ...noShape, noWhere: suspicious.test(sql) ? 'unknown' : undefined };
  }
}

function readShape(sql: string, all: readonly Token[]): ChangeShape {
  const tokens = all.filter(({ word }) => word !== ';');
  if (definitions.has(tokens[0]?.word ?? '')) return noShape;
  const parts = new ChangeParts(sql, tokens);
  const at = parts.findVerb();
  const verb = verbs.find((word) => word === tokens[at]?.word);
  if (verb === undefined) return noShape;
  const { target, end } = parts.readTarget(parts.skipModifiers(at + 1));
  if (verb === 'INSERT' || verb === 'REPLACE') return { ...noShape, verb, target };
  const where = parts.find(['WHERE'], end);
  const condition = where < 0 ? [] : tokens.slice(where + 1, parts.endOfClause(where + 1));
  const noWhere = isUnrestricted(sql, condition) ? verb : undefined;
  const rows = target === undefined ? undefined : parts.readRows({ verb: at, end, target, isUpdate: verb === 'UPDATE' });
  return { verb, target, noWhere, rows, set: rows && verb === 'UPDATE' ? parts.readSet(end) : [] };
}

interface RowsPlace {
  verb: number;
  /** Where the name of the target ends. */
  end: number;
  target: TargetName;
  isUpdate: boolean;
}

const isParam = ({ kind }: Token) => kind === 'variable';

class ChangeParts extends StatementText {
  findVerb(): number {
    if (this.word(0) !== 'WITH') return 0;
    return this.tokens.findIndex(({ word }, i) => i > 0 && this.depths[i] === 0 && verbs.some((verb) => verb === word));
  }

  /** `OR REPLACE`, `INTO`, `FROM`. */
  skipModifiers(from: number): number {
    let at = from;
    if (this.word(at) === 'OR' && conflictWords.has(this.word(at + 1))) at += 2;
    return this.word(at) === 'INTO' || this.word(at) === 'FROM' ? at + 1 : at;
  }

  readRows({ verb, end: behindName, target, isUpdate }: RowsPlace): RowsOfChange | undefined {
    const { alias, end } = this.#readAlias(behindName, target);
    if (!this.#isPlain(end, isUpdate)) return undefined;
    const where = this.find(['WHERE'], end);
    const last = where < 0 ? where : this.endOfClause(where + 1);
    const place = `${target.schema === undefined ? '' : `${quoteName(target.schema)}.`}${quoteName(target.name)}`;
    const condition = where < 0 ? '' : ` ${this.write(where, last)}`;
    const params = [...this.findParams(isParam, 0, verb), ...(where < 0 ? [] : this.findParams(isParam, where, last))];
    return { with: this.write(0, verb), from: `${place} AS ${alias}${condition}`, alias, params };
  }

  #readAlias(behindName: number, target: TargetName): { alias: string; end: number } {
    const hasAs = this.word(behindName) === 'AS';
    const token = this.tokens[behindName + (hasAs ? 1 : 0)] ?? noToken;
    const hasAlias = hasAs || (isName(token) && !behindTarget.has(token.word));
    if (!hasAlias) return { alias: quoteName(target.name), end: behindName };
    return { alias: quoteName(token.name), end: behindName + (hasAs ? 2 : 1) };
  }

  /** With another table, an index, a limit, or named placeholders, the text goes on otherwise. */
  #isPlain(end: number, isUpdate: boolean): boolean {
    const next = this.word(end);
    const isExpected = isUpdate ? next === 'SET' && this.find(['FROM'], end) < 0 : ['', 'WHERE', 'RETURNING'].includes(next);
    return isExpected && this.find(['ORDER', 'LIMIT'], end) < 0 && !this.#hasNamedParams();
  }

  /** The names before each `=` of SET; none for a list of columns in parentheses. */
  readSet(from: number): string[] {
    const set = this.find(['SET'], from);
    const end = this.endOfClause(set + 1);
    const names: string[] = [];
    for (let at = set + 1; at < end; at += 1) {
      if (at !== set + 1 && (this.word(at - 1) !== ',' || this.depths[at] !== 0)) continue;
      names.push(this.tokens[at]?.name ?? '');
    }
    return names.filter((name) => name !== '');
  }

  /** The next of these words outside of parentheses. */
  find(words: readonly string[], from: number): number {
    return this.tokens.findIndex(({ word }, i) => i >= from && this.depths[i] === 0 && words.includes(word));
  }

  endOfClause(from: number): number {
    const end = this.find(['WHERE', 'ORDER', 'LIMIT', 'RETURNING'], from);
    return end < 0 ? this.tokens.length : end;
  }

  #hasNamedParams(): boolean {
    return this.tokens.some(({ kind, name }) => kind === 'variable' && name !== '?');
  }
}
