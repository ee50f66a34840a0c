import { readLiteral, readText } from './node-parts.ts';
import { asFields, asList, type Fields } from './walk.ts';

/** The relation that a constant first argument names. */
export interface Named {
  readonly schema: string | undefined;
  readonly name: string;
}

/**
 * `name`, `"Name"`, `schema.name`, as the server reads them: with the blanks that every version knows. A number would be the one of a table, and
 * what is longer than a name is cut by the server.
 */
const part = '([a-z_][a-z0-9_$]{0,62}|"(?:[^"]|""){1,63}")';
const blanks = '[ \\t\\n\\r\\f]{0,9}';
const names = new RegExp(`^${blanks}(?:${part}${blanks}\\.${blanks})?${part}${blanks}$`, 'i');
const isAscii = /^[\t-\r -~]*$/;

/** Undefined: the relation is known only at run time. */
export function readRelation(args: unknown): Named | undefined {
  const text = readCast(asList(args)[0], ['regclass']) ?? '';
  const [, schema, name] = (isAscii.test(text) && names.exec(text)) || [];
  return name === undefined ? undefined : { schema: schema === undefined ? undefined : decode(schema), name: decode(name) };
}

/** Whether the first argument is a constant that names a user's schema. */
export function namesOwnSchema(args: unknown): boolean {
  const text = readCast(asList(args)[0], ['name', 'text']);
  return text !== undefined && !/^(?:pg_|information_schema$)/.test(text);
}

/** The text of each argument that is one literal, with or without a cast to text. */
export function readLiterals(args: readonly unknown[]): readonly (string | undefined)[] {
  return args.map((arg) => readCast(arg, ['text']));
}

/** XPath takes cubic time and cannot be interrupted. */
const maxXml = 1_000;

export function areSmall(args: readonly unknown[]): boolean {
  const texts = args.map((arg) => readCast(arg, ['text', 'xml']));
  return texts.every((text) => text !== undefined) && texts.join('').length <= maxXml;
}

/** The text of a literal, with or without a cast to one of these types of the server. */
function readCast(arg: unknown, casts: readonly string[]): string | undefined {
  const { TypeCast: cast } = asFields(arg ?? {});
  if (cast === undefined) return readLiteral(arg);
  const { arg: inner, typeName } = asFields(cast);
  return isType(asFields(typeName), casts) ? readLiteral(inner) : undefined;
}

/** Whether it is cast to a type without a schema: a search path can have another type of that name, which makes another text of a literal. */
export function isCastByPath(arg: unknown): boolean {
  const { TypeCast: cast } = asFields(arg ?? {});
  return cast !== undefined && asList(asFields(asFields(cast).typeName).names).length === 1;
}

function isType({ names: parts, arrayBounds }: Fields, casts: readonly string[]): boolean {
  const texts = asList(parts).map((name) => readText(name) ?? '');
  const schema = texts.length > 1 ? texts[0] : 'pg_catalog';
  return arrayBounds === undefined && texts.length < 3 && schema === 'pg_catalog' && casts.includes(texts.at(-1) ?? '');
}

function decode(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
}
