import type { NameUse } from './names.ts';
import { readLast, readText } from './node-parts.ts';
import { asFields, asList, type Fields, type Visited } from './walk.ts';

/** A function in FROM. If it does not return a row, `x.f` is a call of f with its value. */
interface FromFunction {
  /** Its name in the statement. */
  readonly alias: string;
  /** The name of the function; empty: unknown. */
  readonly called: string;
  readonly columns: readonly string[];
}

/** The items of FROM, by their names in the statement. */
export class FromItems {
  /** Any of these names, used without a dot, is a whole row. */
  readonly names = new Set<string>();
  /** Some columns are renamed by an alias. */
  hasRenamed = false;
  /** Marks rows that no single function returns: of a subquery, a join, or several functions together. */
  static readonly notOfFunction = '';
  readonly #functions: FromFunction[] = [];
  /** Items whose rows may be of the type `record`, with the functions that return these rows. */
  readonly #records = new Map(['xmltable', 'json_table'].map((name) => [name, new Set([FromItems.notOfFunction])]));

  get count(): number {
    return this.#functions.length;
  }

  addAlias({ kind, fields }: Visited): void {
    for (const alias of [fields.alias, fields.join_using_alias]) {
      if (alias === undefined) continue;
      const name = getAliasName(alias);
      this.names.add(name);
      this.hasRenamed ||= asFields(alias).colnames !== undefined;
      if (kind !== 'RangeVar' && kind !== 'RangeFunction') this.addRecords(name, FromItems.notOfFunction);
    }
  }

  addRecords(name: string, returnedBy: string): void {
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
    const [call = {}] = calls;
    const isAlone = isOneFunction(fields);
    const names = alias === undefined ? calls.map(readName) : [getAliasName(alias)];
    for (const name of names) this.addRecords(name, isAlone ? readRecordName(call) : FromItems.notOfFunction);
    if (!isAlone) return;
    const called = readFunctionName(call);
    const colnames = alias === undefined ? [] : asFields(alias).colnames;
    const columns = asList(colnames).map((name) => readText(name) ?? '');
    this.#functions.push({ alias: names[0] ?? '', called, columns });
  }

  /** The functions in FROM that x may mean in `x.f`. */
  findValues({ name, of }: Pick<NameUse, 'name'> & { of: string }): readonly string[] {
    const meant = this.#functions.filter(
      ({ alias, columns }) => maySame(alias, of) && !(isPlain(name) && columns.includes(name)),
    );
    return meant.map(({ called }) => called);
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

function listCalls({ functions }: Fields): readonly Fields[] {
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

/** Empty: this may not be a call, or may call another function. */
function readFunctionName(call: Fields): string {
  const name = readName(call);
  return isPlain(name) && !mayBeField(call.args) ? name : '';
}

/** `f(x)` means `x.f` where x is a row and no such function exists. */
function mayBeField(args: unknown): boolean {
  const [first, second] = asList(args);
  if (first === undefined || second !== undefined) return false;
  const { A_Const: constant, ParamRef: param, NamedArgExpr: named } = asFields(first);
  return (constant ?? param ?? named) === undefined;
}

/** The functions that may return the value before the dot in `(…).f`; undefined: unknown. */
export function findNodeValues(node: unknown): readonly string[] | undefined {
  const { FuncCall: call, RowExpr: row } = asFields(node);
  if (call !== undefined) return [readFunctionName(asFields(call))];
  return row === undefined ? undefined : [];
}

function maySame(alias: string, name: string): boolean {
  return alias === name || !isPlain(alias) || !isPlain(name);
}

/** The server may fold other letters, and truncate longer names, differently from the parser. */
function isPlain(name: string): boolean {
  return /^[ -~]{1,62}$/.test(name);
}
