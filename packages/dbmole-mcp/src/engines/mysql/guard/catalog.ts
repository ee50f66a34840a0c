import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';

/** A database and a name in it. */
export interface ObjectName {
  schema: string;
  name: string;
}

/** What the guard knows of a server for a while. */
export interface ServerFacts {
  sqlMode: string;
  /** Where names without a database are looked for. */
  database: string | undefined;
  maria: boolean;
}

export async function readServerFacts(run: CatalogQuestion): Promise<ServerFacts> {
  // That of the session is what we have set ourselves; a session that is reset takes the server's.
  const [row] = await run('SELECT @@GLOBAL.sql_mode, DATABASE(), VERSION()');
  const [sqlMode, database, version] = row ?? [];
  if (sqlMode === undefined || sqlMode === null) throw new Failure('engine', 'the server did not say its sql_mode');
  return { sqlMode, database: database ?? undefined, maria: /mariadb/i.test(version ?? '') };
}

export interface Relation extends ObjectName {
  isView: boolean;
  engine: string;
  /** Of a column that is computed when it is read; MariaDB lets these call native functions, and MySQL none that were added. */
  isComputed: boolean;
}

const computed = 'VIRTUAL GENERATED';

/** Those of the names that there are; computed columns are only looked for where it is asked for. */
export async function readRelations(
  names: readonly ObjectName[],
  asksColumns: (name: ObjectName) => boolean,
  run: CatalogQuestion,
): Promise<Relation[]> {
  const tables = 'SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE ';
  // A row for each such column, and none for nearly all tables.
  const columns = " UNION ALL SELECT TABLE_SCHEMA, TABLE_NAME, EXTRA, '' FROM information_schema.COLUMNS WHERE ";
  const rows = await ask(run, names, (name) => {
    const ofTable = isTable(name);
    return `${tables}${ofTable}${asksColumns(name) ? `${columns}${ofTable} AND EXTRA LIKE '${computed}%'` : ''}`;
  });
  const isColumn = (type: string | null | undefined) => type?.startsWith(computed) === true;
  const withComputed = new Set(rows.flatMap(([schema, name, type]) => (isColumn(type) ? [`${schema}.${name}`] : [])));
  return rows.flatMap(([schema, name, type, engine]) => {
    if (isColumn(type)) return [];
    const isComputed = withComputed.has(`${schema}.${name}`);
    return [{ schema: schema ?? '', name: name ?? '', isView: type === 'VIEW', engine: engine ?? '', isComputed }];
  });
}

export interface ColumnExpression extends ObjectName {
  expression: string;
  /** It is only run where the statement asks for it. */
  isDefault: boolean;
}

/** The expressions of tables that may call something. */
export async function readExpressions(names: readonly ObjectName[], run: CatalogQuestion): Promise<ColumnExpression[]> {
  const columns = 'TABLE_SCHEMA, TABLE_NAME, GENERATION_EXPRESSION, COLUMN_DEFAULT';
  const calls = "(GENERATION_EXPRESSION LIKE '%(%' OR COLUMN_DEFAULT LIKE '%(%')";
  const rows = await ask(
    run,
    names,
    (name) => `SELECT ${columns} FROM information_schema.COLUMNS WHERE ${isTable(name)} AND ${calls}`,
  );
  return rows.map(([schema, name, generation, value]) => ({
    schema: schema ?? '',
    name: name ?? '',
    expression: generation ?? value ?? '',
    isDefault: generation === null,
  }));
}

export interface View extends ObjectName {
  /** Empty where the account may not see it. */
  definition: string;
  definer: string;
  /** The character set that it was written in. */
  charset: string;
}

export async function readViews(names: readonly ObjectName[], run: CatalogQuestion): Promise<View[]> {
  const columns = 'TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION, DEFINER, CHARACTER_SET_CLIENT';
  const rows = await ask(run, names, (name) => `SELECT ${columns} FROM information_schema.VIEWS WHERE ${isTable(name)}`);
  return rows.map(([schema, name, definition, definer, charset]) => ({
    schema: schema ?? '',
    name: name ?? '',
    definition: definition ?? '',
    definer: definer ?? '',
    charset: charset ?? '',
  }));
}

/** As the server reads it, but for its texts; empty where the account may not see it. */
export async function readViewText({ schema, name }: ObjectName, run: CatalogQuestion): Promise<string> {
  const rows = await unlessHidden(() => run(`SHOW CREATE VIEW ${quoteName(schema)}.${quoteName(name)}`));
  return rows?.[0]?.[1] ?? '';
}

/** Its definition in the character set that it was written in, in hexadecimal digits. */
export async function readViewBytes({ charset, ...view }: View, run: CatalogQuestion): Promise<string> {
  const sql = `SELECT HEX(CONVERT(VIEW_DEFINITION USING ${charset})) FROM information_schema.VIEWS WHERE ${isTable(view)}`;
  return (await run(sql))[0]?.[0] ?? '';
}

/** How a table of an engine with options was made. */
export async function readTableOptions(
  names: readonly ObjectName[],
  run: CatalogQuestion,
): Promise<(ObjectName & { options: string })[]> {
  const columns = 'TABLE_SCHEMA, TABLE_NAME, CREATE_OPTIONS';
  const rows = await ask(run, names, (name) => `SELECT ${columns} FROM information_schema.TABLES WHERE ${isTable(name)}`);
  return rows.map(([schema, name, options]) => ({ schema: schema ?? '', name: name ?? '', options: options ?? '' }));
}

export interface Routine extends ObjectName {
  /** FUNCTION, PROCEDURE, PACKAGE, PACKAGE BODY. */
  type: string;
  isSql: boolean;
  /** The mode that it is always run in. */
  sqlMode: string;
  comment: string;
  definer: string;
  /** The character set that it was written in. */
  charset: string;
}

export async function readRoutines(names: readonly ObjectName[], run: CatalogQuestion): Promise<Routine[]> {
  const columns =
    'ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_BODY, SQL_MODE, ROUTINE_COMMENT, DEFINER, CHARACTER_SET_CLIENT';
  const rows = await ask(
    run,
    names,
    ({ schema, name }) =>
      `SELECT ${columns} FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${sqlText(schema)} AND ROUTINE_NAME = ${sqlText(name)}`,
  );
  return rows.map(([schema, name, type, language, sqlMode, comment, definer, charset]) => ({
    schema: schema ?? '',
    name: name ?? '',
    type: type ?? '',
    isSql: language === 'SQL',
    sqlMode: sqlMode ?? '',
    comment: comment ?? '',
    definer: definer ?? '',
    charset: charset ?? '',
  }));
}

/**
 * The statement that makes it, empty where the account may not see it. What information_schema has for its body is another text:
 * escapes are taken out of its literals there, so that it would be read otherwise than it runs.
 */
export async function readRoutineText({ schema, name, type }: Routine, run: CatalogQuestion): Promise<string> {
  const rows = await unlessHidden(() => run(`SHOW CREATE ${type} ${quoteName(schema)}.${quoteName(name)}`));
  return rows?.[0]?.[2] ?? '';
}

/** Undefined where the account may not see it: the server may then say that there is no such thing. */
async function unlessHidden<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && (error.code === 'E_PERMISSION' || ['unknown', 'auth'].includes(error.kind))) return undefined;
    throw error;
  }
}

/** Who answers a call: the server itself, a stored function if there is one, or something that was added to the server. */
export type Callee = 'built in' | 'stored' | 'added';

/** Errors of the server that only what it has built in can cause: syntax, the number of arguments, and names that they have. */
const builtInErrors = /^(1064|1582|1583) /;
/** Arguments of stored functions have no names either. */
const storedError = /^1584 /;

/**
 * What the server takes a call for, by its own word: it reads the call, and finds it wrong. A native function that was added to it is
 * not even made ready for that, as there is no such column.
 */
export async function readCallee(call: string, run: CatalogQuestion): Promise<Callee> {
  try {
    await run(`SELECT ${call}(no_such_column AS a)`);
    return 'added';
  } catch (error) {
    if (!(error instanceof Failure) || error.engineCode === undefined) throw error;
    if (builtInErrors.test(error.engineCode)) return 'built in';
    return storedError.test(error.engineCode) ? 'stored' : 'added';
  }
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** Whether native functions were added to the server; undefined where the account may not see them. */
export async function readHasNative(maria: boolean, run: CatalogQuestion): Promise<boolean | undefined> {
  const sql = maria
    ? 'SELECT name FROM mysql.func LIMIT 1'
    : 'SELECT UDF_NAME FROM performance_schema.user_defined_functions WHERE UDF_LIBRARY IS NOT NULL LIMIT 1';
  const rows = await unlessHidden(() => run(sql));
  return rows === undefined ? undefined : rows.length > 0;
}

/** Whether the name is that of a function which a component of the server brought, and no library of somebody's. */
export async function readIsOfComponent(name: string, run: CatalogQuestion): Promise<boolean> {
  const sql = `SELECT UDF_LIBRARY FROM performance_schema.user_defined_functions WHERE UDF_NAME = ${sqlText(name)}`;
  const rows = (await unlessHidden(() => run(sql))) ?? [];
  return rows.length > 0 && rows.every(([library]) => library === null);
}

const mostAtOnce = 40;

/** One question for each name: only then no server goes through all its tables. */
async function ask(run: CatalogQuestion, names: readonly ObjectName[], format: (name: ObjectName) => string) {
  const rows: (readonly (string | null)[])[] = [];
  for (let at = 0; at < names.length; at += mostAtOnce) {
    rows.push(
      ...(await run(
        names
          .slice(at, at + mostAtOnce)
          .map(format)
          .join(' UNION ALL '),
      )),
    );
  }
  return rows;
}

function isTable({ schema, name }: ObjectName): string {
  return `TABLE_SCHEMA = ${sqlText(schema)} AND TABLE_NAME = ${sqlText(name)}`;
}

/** The same text in every `sql_mode`. */
function sqlText(text: string): string {
  return /^[\w$]+$/.test(text) ? `'${text}'` : `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;
}
