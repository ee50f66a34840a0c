import { asFields, asList, type Fields } from '../guard/tree/walk.ts';

/** A relation as the statement names it. */
export interface RelationName {
  schema: string | undefined;
  name: string;
}

/** A type as the statement writes it, without its modifiers. */
export interface TypeText {
  /** `pg_catalog."varchar"`, `"Mood"[]` */
  name: string;
  modifiers: readonly number[];
}

/** One thing that a statement does to one table. It crosses from the thread that parses, so it is plain data. */
export interface DdlAction {
  /** The key of the rule, as far as the text tells; the catalog may lead to another. */
  rule: string;
  /** The table that the lock is on. */
  table?: RelationName | undefined;
  /** The index that is named instead of a table; its table is looked up. */
  index?: RelationName | undefined;
  /** The table that it names beside its own. */
  other?: RelationName | undefined;
  column?: string | undefined;
  /** The columns of a constraint or an index. */
  columns?: readonly string[] | undefined;
  constraint?: string | undefined;
  /** The type of a new column, or the new one of an existing column. */
  type?: TypeText | undefined;
  /** Functions that a default calls, and the operators in it. */
  functions?: readonly string[] | undefined;
  operators?: readonly string[] | undefined;
  /** A conversion that is more than a cast. */
  isComputed?: boolean | undefined;
  /** IF NOT EXISTS: what is there already is left as it is. */
  skipsExisting?: boolean | undefined;
  /** The tablespace or the access method that is wanted. */
  place?: string | undefined;
  /** LOCK TABLE names its mode by number. */
  mode?: number | undefined;
}

export interface DdlStatement {
  /** `ALTER TABLE` */
  command: string;
  actions: readonly DdlAction[];
  /** What of it the reader does not know: the parser's word. */
  unknown: readonly string[];
  /** The tables of what is not known. */
  tables: readonly RelationName[];
}

export function readRelation(fields: unknown): RelationName | undefined {
  const { schemaname, relname } = asFields(fields ?? {});
  return typeof relname === 'string' ? { schema: readString(schemaname), name: relname } : undefined;
}

/** A name that is a list of its parts. */
export function readPath(parts: readonly string[]): RelationName | undefined {
  const name = parts.at(-1);
  return name === undefined ? undefined : { schema: parts.at(-2), name };
}

export function readStrings(list: unknown): string[] {
  return asList(list).flatMap((item) => {
    const { String: text } = asFields(item);
    return text === undefined ? [] : [readString(asFields(text).sval) ?? ''];
  });
}

export function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function readType(typeName: unknown): TypeText {
  const { names, typmods, arrayBounds } = asFields(typeName ?? {});
  const name = readStrings(names)
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
  const modifiers = asList(typmods).flatMap((node) => {
    const { ival } = asFields(asFields(node).A_Const ?? {});
    // The parser leaves out a zero.
    return ival === undefined ? [] : [Number(asFields(ival).ival ?? 0)];
  });
  return { name: `${name}${asList(arrayBounds).length > 0 ? '[]' : ''}`, modifiers };
}

/** All functions and operators in an expression, by their bare names. */
export function readCalls(expression: unknown): { functions: string[]; operators: string[] } {
  const functions = new Set<string>();
  const operators = new Set<string>();
  const pending: unknown[] = [expression];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [kind, part] of Object.entries(node)) {
      if (kind === 'FuncCall') functions.add(readStrings(asFields(part).funcname).at(-1) ?? '');
      if (kind === 'A_Expr') operators.add(readStrings(asFields(part).name).at(-1) ?? '');
      pending.push(part);
    }
  }
  return { functions: [...functions], operators: [...operators] };
}

/** The constraints of a column definition, by kind. */
export function readConstraints(definition: Fields): Fields[] {
  return asList(definition.constraints).map((node) => asFields(asFields(node).Constraint ?? {}));
}
