import { asFields, type Fields } from './walk.ts';

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
  const text = readConstant(args, ['regclass']) ?? '';
  const [, schema, name] = (isAscii.test(text) && names.exec(text)) || [];
  return name === undefined ? undefined : { schema: schema === undefined ? undefined : decode(schema), name: decode(name) };
}

/** Whether the first argument is a constant that names a user's schema. */
export function namesOwnSchema(args: unknown): boolean {
  const text = readConstant(args, ['name', 'text']);
  return text !== undefined && !/^(?:pg_|information_schema$)/.test(text);
}

/** The text of each argument that is one literal, with or without a cast to text. */
export function readLiterals(args: readonly unknown[]): readonly (string | undefined)[] {
  return args.map((arg) => readConstant([arg], ['text']));
}

/** XPath takes cubic time and cannot be interrupted. */
const maxXml = 1_000;

export function areSmall(args: readonly unknown[]): boolean {
  const texts = args.map((arg) => readConstant([arg], ['text', 'xml']));
  return texts.every((text) => text !== undefined) && texts.join('').length <= maxXml;
}

function readConstant(args: unknown, casts: readonly string[]): string | undefined {
  const [first] = Array.isArray(args) ? args : [];
  if (first === undefined) return undefined;
  const { TypeCast: cast, A_Const: constant } = asFields(first);
  if (cast === undefined) return constant === undefined ? undefined : readText(asFields(constant));
  const { arg, typeName } = asFields(cast);
  const inner = asFields(arg).A_Const;
  return inner !== undefined && isType(asFields(typeName), casts) ? readText(asFields(inner)) : undefined;
}

function isType({ names: parts, arrayBounds }: Fields, casts: readonly string[]): boolean {
  const texts = (Array.isArray(parts) ? parts : []).map((name) => String(asFields(asFields(name).String).sval));
  const schema = texts.length > 1 ? texts[0] : 'pg_catalog';
  return arrayBounds === undefined && texts.length < 3 && schema === 'pg_catalog' && casts.includes(texts.at(-1) ?? '');
}

function readText({ sval }: Fields): string | undefined {
  return sval === undefined ? undefined : String(asFields(sval).sval ?? '');
}

function decode(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
}
