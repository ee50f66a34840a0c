import { asFields, asList, type Fields } from './walk.ts';

/** The text of a part of a name; undefined for a star or an index. */
export function readText(part: unknown): string | undefined {
  const text = asFields(part).String;
  // The parser leaves out an empty text.
  return text === undefined ? undefined : String(asFields(text).sval ?? '');
}

/** The last part of a name. */
export function readLast(parts: unknown): string | undefined {
  const last = asList(parts).at(-1);
  return last === undefined ? undefined : readText(last);
}

/** The fields of a node that is wrapped in its kind. */
export function getInner(node: unknown): Fields {
  const [inner = {}] = Object.values(asFields(node));
  return asFields(inner);
}

/** The parser omits the location 0, and writes -1 for an unknown one. */
export function findPlace({ location }: Fields): number {
  return typeof location === 'number' ? location : 0;
}

/** Whether it is an uncast constant or parameter, or has one as a part that operators are applied to. */
export function isUntyped(node: unknown): boolean {
  if (node === undefined) return false;
  if (Array.isArray(node)) return node.some(isUntyped);
  const [kind, fields] = wrapped(asFields(node));
  const part = partsOfUntyped.get(kind);
  if (part !== undefined) return isUntyped(fields[part]);
  if (kind === 'TypeCast') return isTypeNamed(fields.typeName, 'unknown');
  return kind === 'ParamRef' || (kind === 'A_Const' && (fields.sval !== undefined || fields.isnull === true));
}

/** A node has one key. This is called for most expressions, so it allocates no list of keys. */
function wrapped(node: Fields): [kind: string, fields: Fields] {
  for (const kind in node) return [kind, asFields(node[kind])];
  return ['', {}];
}

const partsOfUntyped = new Map([
  ['CollateClause', 'arg'],
  ['NamedArgExpr', 'arg'],
  ['CaseWhen', 'expr'],
  ['List', 'items'],
  ['RowExpr', 'args'],
  ['SortBy', 'node'],
]);

/** Ignores the schema. */
export function isTypeNamed(type: unknown, name: string): boolean {
  return readLast(asFields(type).names) === name;
}

export function readConstant(node: unknown): Fields {
  return asFields(asFields(node ?? {}).A_Const ?? {});
}

/** The text of a constant; undefined for any other node. */
export function readLiteral(node: unknown): string | undefined {
  const { sval } = readConstant(node);
  // The parser leaves out an empty text.
  return sval === undefined ? undefined : String(asFields(sval).sval ?? '');
}
