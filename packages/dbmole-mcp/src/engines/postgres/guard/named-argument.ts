import { asFields, type Fields } from './walk.ts';

/** What a function is told to read, by a constant in its first argument. */
export interface Named {
  readonly schema: string | undefined;
  readonly name: string;
}

/**
 * `name`, `"Name"`, `schema.name`, as the server reads them: with the blanks of ASCII alone. A number would be the one of a table, and
 * what is longer than a name is cut by the server.
 */
const part = '([a-z_][a-z0-9_$]{0,62}|"(?:[^"]|""){1,63}")';
const blanks = '[ \\t\\n\\r\\f\\v]{0,9}';
const names = new RegExp(`^${blanks}(?:${part}${blanks}\\.${blanks})?${part}${blanks}$`, 'i');
const isAscii = /^[\t-\r -~]*$/;

/** Undefined: only the server will know, at run time. */
export function readRelation(args: unknown): Named | undefined {
  const text = constantOf(args, ['regclass']) ?? '';
  const [, schema, name] = (isAscii.test(text) && names.exec(text)) || [];
  return name === undefined ? undefined : { schema: schema === undefined ? undefined : decode(schema), name: decode(name) };
}

/** A schema of the user's, not one of the server's own. */
export function namesOwnSchema(args: unknown): boolean {
  const text = constantOf(args, ['name', 'text']);
  return text !== undefined && !/^(?:pg_|information_schema$)/.test(text);
}

/** Of each argument, the text if it is one literal, perhaps with a cast to text. */
export function readLiterals(args: readonly unknown[]): readonly (string | undefined)[] {
  return args.map((arg) => constantOf([arg], ['text']));
}

/** An XPath takes time by the third power of what it is applied to, and cannot be interrupted. */
const maxXml = 1_000;

export function areSmall(args: readonly unknown[]): boolean {
  const texts = args.map((arg) => constantOf([arg], ['text', 'xml']));
  return texts.every((text) => text !== undefined) && texts.join('').length <= maxXml;
}

function constantOf(args: unknown, casts: readonly string[]): string | undefined {
  const [first] = Array.isArray(args) ? args : [];
  if (first === undefined) return undefined;
  const { TypeCast: cast, A_Const: constant } = asFields(first);
  if (cast === undefined) return constant === undefined ? undefined : textOf(asFields(constant));
  const { arg, typeName } = asFields(cast);
  const inner = asFields(arg).A_Const;
  return inner !== undefined && isType(asFields(typeName), casts) ? textOf(asFields(inner)) : undefined;
}

function isType({ names: parts, arrayBounds }: Fields, casts: readonly string[]): boolean {
  const texts = (Array.isArray(parts) ? parts : []).map((name) => String(asFields(asFields(name).String).sval));
  const schema = texts.length > 1 ? texts[0] : 'pg_catalog';
  return arrayBounds === undefined && texts.length < 3 && schema === 'pg_catalog' && casts.includes(texts.at(-1) ?? '');
}

function textOf({ sval }: Fields): string | undefined {
  return sval === undefined ? undefined : String(asFields(sval).sval ?? '');
}

function decode(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
}
