import { asFields, type Fields } from './walk.ts';

/** Of a name; undefined for a star or an index. */
export function textOf(part: unknown): string | undefined {
  const text = asFields(part).String;
  // The parser leaves out an empty text.
  return text === undefined ? undefined : String(asFields(text).sval ?? '');
}

/** The fields of a node that has its kind around them. */
export function innerOf(node: unknown): Fields {
  const [inner = {}] = Object.values(asFields(node));
  return asFields(inner);
}

/** The parser leaves out a 0, and says -1 where it does not know. */
export function placeOf({ location }: Fields): number {
  return typeof location === 'number' ? location : 0;
}

/** Whether it is a constant or parameter without a type, or has one as a part that operators are applied to by itself. */
export function isUntyped(node: unknown): boolean {
  if (node === undefined) return false;
  if (Array.isArray(node)) return node.some(isUntyped);
  const [kind, fields] = wrapped(asFields(node));
  const part = partsOfUntyped.get(kind);
  if (part !== undefined) return isUntyped(fields[part]);
  if (kind === 'TypeCast') return isUnknown(fields.typeName);
  return kind === 'ParamRef' || (kind === 'A_Const' && (fields.sval !== undefined || fields.isnull === true));
}

/** A node has one key. Most expressions come here, so it makes no list of them. */
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
]);

export function isUnknown(type: unknown): boolean {
  const { names } = asFields(type);
  return Array.isArray(names) && textOf(names.at(-1)) === 'unknown';
}
