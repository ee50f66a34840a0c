import type { NameUse } from './names.ts';
import { textOf } from './node-parts.ts';
import { asFields, type Fields } from './walk.ts';

/** A function in FROM. When it gives no row, `x.f` is a call of f with its value. */
export interface Source {
  /** What it is called in the statement. */
  readonly alias: string;
  /** Empty: it has no name. */
  readonly called: string;
  readonly columns: readonly string[];
}

/** Undefined: it stands for rows, whatever the function gives. */
export function readSource({ functions, alias, coldeflist, ordinality }: Fields): Source | undefined {
  const [first, second] = Array.isArray(functions) ? functions : [];
  if (coldeflist !== undefined || ordinality === true || second !== undefined) return undefined;
  const call = callOf(first);
  const called = trustedName(call);
  if (alias === undefined) return { alias: nameOf(call), called, columns: [] };
  const { aliasname, colnames } = asFields(alias);
  return { alias: String(aliasname), called, columns: Array.isArray(colnames) ? colnames.map((name) => textOf(name) ?? '') : [] };
}

/** `[function, column definitions]`. */
function callOf(item: unknown): Fields {
  const { items } = asFields(asFields(item).List);
  const [call] = Array.isArray(items) ? items : [];
  return asFields(asFields(call).FuncCall ?? {});
}

function nameOf({ funcname }: Fields): string {
  return Array.isArray(funcname) ? (textOf(funcname.at(-1)) ?? '') : '';
}

/** Empty: what looks like a call may be none, or of another function than we think. */
function trustedName(call: Fields): string {
  const name = nameOf(call);
  return isPlain(name) && !mayBeField(call.args) ? name : '';
}

/** `f(x)` is `x.f` where x is a row and there is no such function. */
function mayBeField(args: unknown): boolean {
  const [first, second] = Array.isArray(args) ? args : [];
  if (first === undefined || second !== undefined) return false;
  const { A_Const: constant, ParamRef: param, NamedArgExpr: named, TypeCast: cast } = asFields(first);
  return (constant ?? param ?? named) === undefined && !(cast !== undefined && isNoRow(asFields(asFields(cast).typeName)));
}

/** The server has rows of its own as well: `pg_catalog.pg_class`. */
const noRows = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'varchar', 'bpchar', 'json', 'jsonb'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
]);

function isNoRow({ names }: Fields): boolean {
  if (!Array.isArray(names) || names.length !== 2) return false;
  return textOf(names[0]) === 'pg_catalog' && noRows.has(textOf(names[1]) ?? '');
}

/** What `x.f` may be a call with: of the functions in FROM, the names of those that can be meant by x. */
export function valuesOf({ name, of }: Pick<NameUse, 'name'> & { of: string }, sources: readonly Source[]): readonly string[] {
  const meant = sources.filter(({ alias, columns }) => maySame(alias, of) && !(isPlain(name) && columns.includes(name)));
  return meant.map(({ called }) => called);
}

/** The same of `(…).f`; undefined: it can be anything. */
export function valuesOfNode(node: unknown): readonly string[] | undefined {
  const { FuncCall: call, RowExpr: row } = asFields(node);
  if (call !== undefined) return [trustedName(asFields(call))];
  return row === undefined ? undefined : [];
}

function maySame(alias: string, name: string): boolean {
  return alias === name || !isPlain(alias) || !isPlain(name);
}

/** Other letters the server may fold, and longer names cut, in another way than the parser. */
function isPlain(name: string): boolean {
  return /^[ -~]{1,62}$/.test(name);
}
