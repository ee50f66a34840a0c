import type { NameUse } from './names.ts';
import { readLast, readText } from './node-parts.ts';
import { asFields, asList, type Fields, type Visited } from './walk.ts';

/** The items of FROM, by their names in the statement. */
export class FromItems {
  /** Any of these names, used without a dot, is a whole row. */
  readonly names = new Set<string>();
  /** Some columns are renamed by an alias. */
  hasRenamed = false;
  /** Marks rows that no single function returns: of a subquery, a join, or several functions together. */
  static readonly notOfFunction = '';
  /** Items whose rows may be of the type `record`, with the functions that return these rows. */
  readonly #records = new Map(['xmltable', 'json_table'].map((name) => [name, new Set([FromItems.notOfFunction])]));
  /** Functions, which may return values other than rows: then `x.f` is a call of f. With the columns that all of one name have. */
  readonly #values = new Map<string, ReadonlySet<string>>();
  #hasOdd = false;

  addAlias({ kind, fields }: Visited): void {
    for (const alias of [fields.alias, fields.join_using_alias]) {
      if (alias === undefined) continue;
      const name = getAliasName(alias);
      this.names.add(name);
      this.hasRenamed ||= asFields(alias).colnames !== undefined;
      if (kind !== 'RangeVar' && kind !== 'RangeFunction') this.addRecords(name);
    }
  }

  addRecords(name: string, returnedBy = FromItems.notOfFunction): void {
    const functions = this.#records.get(name);
    if (functions === undefined) this.#records.set(name, new Set([returnedBy]));
    else functions.add(returnedBy);
  }

  /** The functions that may return the rows of this name; undefined: the rows have a named type. */
  getRecords(name: string): ReadonlySet<string> | undefined {
    return this.#records.get(name);
  }

  addFunctions({ fields }: Visited): void {
    const { alias } = fields;
    const calls = listCalls(fields);
    const names = alias === undefined ? calls.map(readName) : [getAliasName(alias)];
    const isAlone = isOneFunction(fields);
    for (const name of names) this.addRecords(name, isAlone ? readRecordName(calls[0] ?? {}) : undefined);
    if (!isAlone) return;
    const columns = alias === undefined ? [] : asList(asFields(alias).colnames).map((name) => readText(name) ?? '');
    const [name = ''] = names;
    const known = this.#values.get(name);
    this.#values.set(name, new Set(columns.filter((column) => known?.has(column) !== false)));
    this.#hasOdd ||= !isPlain(name);
  }

  /** Whether x in `x.f` may be a value of a function. */
  mayBeValue({ name, of }: Pick<NameUse, 'name'> & { of: string }): boolean {
    // The server may fold or cut such names differently.
    if (this.#hasOdd || !isPlain(of)) return this.#values.size > 0;
    const columns = this.#values.get(of);
    return columns !== undefined && !(isPlain(name) && columns.has(name));
  }
}

export function getAliasName(alias: unknown): string {
  return String(asFields(alias).aliasname);
}

/** Whether the type of the rows is the function's own: no other function, ordinality or column list changes it. */
function isOneFunction({ functions, coldeflist, ordinality }: Fields): boolean {
  if (coldeflist !== undefined || ordinality === true) return false;
  const [first, second] = asList(functions);
  const { items } = asFields(asFields(first).List);
  return second === undefined && Array.isArray(items) && Object.keys(asFields(items[1])).length === 0;
}

export function listCalls({ functions }: Fields): readonly Fields[] {
  return asList(functions).map(getCall);
}

/** `[function, column definitions]`. */
function getCall(item: unknown): Fields {
  const [call] = asList(asFields(asFields(item).List).items);
  return asFields(asFields(call).FuncCall ?? {});
}

function readName({ funcname }: Fields): string {
  return readLast(funcname) ?? '';
}

/** `unnest` with several arrays is rewritten to several calls. The server may read an unusual name differently. */
function readRecordName(call: Fields): string {
  const name = readName(call);
  const isSeveral = name === 'unnest' && asList(call.args).length > 1;
  return isPlain(name) && !isSeveral ? name : FromItems.notOfFunction;
}

/** The server may fold other letters, and truncate longer names, differently from the parser. */
function isPlain(name: string): boolean {
  return /^[ -~]{1,62}$/.test(name);
}
