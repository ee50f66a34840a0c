import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { formatText } from '../../values/literal.ts';

/** The name of an object with its database. */
export interface ObjectName {
  schema: string;
  name: string;
}

/** What the guard caches about a server. */
export interface ServerFacts {
  sqlMode: string;
  /** The database of names without one. */
  database: string | undefined;
  maria: boolean;
}

export async function readServerFacts(run: CatalogQuestion): Promise<ServerFacts> {
  // The mode of the session is the one that an earlier read set; a reset session has that of the server.
  const [row] = await run('SELECT @@GLOBAL.sql_mode, DATABASE(), VERSION()');
  const [sqlMode, database, version] = row ?? [];
  if (sqlMode === undefined || sqlMode === null) throw new Failure('engine', 'the server did not report its sql_mode');
  return { sqlMode, database: database ?? undefined, maria: /mariadb/i.test(version ?? '') };
}

export interface Relation extends ObjectName {
  isView: boolean;
  engine: string;
  /** A column is computed when it is read. MariaDB lets its expression call added native functions, MySQL does not. */
  isComputed: boolean;
}

const computed = 'VIRTUAL GENERATED';

/** Reads which of the names exist; looks for computed columns only where requested. */
export async function readRelations(
  names: readonly ObjectName[],
  asksColumns: (name: ObjectName) => boolean,
  run: CatalogQuestion,
): Promise<Relation[]> {
  const tables = 'SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE ';
  // This adds a row for each computed column; nearly all tables have none.
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

interface ColumnExpression extends ObjectName {
  expression: string;
  /** A default runs only where the statement evaluates it. */
  isDefault: boolean;
}

/** Reads the expressions of columns that may call functions. */
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

/** Reads the view as the server parses it, except for its literals; empty where the account may not see it. */
export async function readViewText({ schema, name }: ObjectName, run: CatalogQuestion): Promise<string> {
  const rows = await unlessHidden(() => run(`SHOW CREATE VIEW ${quoteName(schema)}.${quoteName(name)}`));
  return rows?.[0]?.[1] ?? '';
}

/** Reads the definition in its own character set, as hexadecimal digits. */
export async function readViewBytes({ charset, ...view }: View, run: CatalogQuestion): Promise<string> {
  const sql = `SELECT HEX(CONVERT(VIEW_DEFINITION USING ${charset})) FROM information_schema.VIEWS WHERE ${isTable(view)}`;
  return (await run(sql))[0]?.[0] ?? '';
}

/** Reads the options with which tables were created. */
export async function readTableOptions(
  names: readonly ObjectName[],
  run: CatalogQuestion,
): Promise<(ObjectName & { options: string })[]> {
  const columns = 'TABLE_SCHEMA, TABLE_NAME, CREATE_OPTIONS';
  const rows = await ask(run, names, (name) => `SELECT ${columns} FROM information_schema.TABLES WHERE ${isTable(name)}`);
  return rows.map(([schema, name, options]) => ({ schema: schema ?? '', name: name ?? '', options: options ?? '' }));
}

export interface Routine extends ObjectName {
  /** One of FUNCTION, PROCEDURE, PACKAGE and PACKAGE BODY. */
  type: string;
  isSql: boolean;
  /** The mode in which the routine always runs. */
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
      `SELECT ${columns} FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${formatText(schema)} AND ROUTINE_NAME = ${formatText(name)}`,
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
 * Reads the statement that creates the routine; empty where the account may not see it. The body in information_schema is another
 * text: its literals lack their escapes.
 */
export async function readRoutineText({ schema, name, type }: Routine, run: CatalogQuestion): Promise<string> {
  const rows = await unlessHidden(() => run(`SHOW CREATE ${type} ${quoteName(schema)}.${quoteName(name)}`));
  return rows?.[0]?.[2] ?? '';
}

/** Undefined where the account may not see the object; the server may then report that it does not exist. */
async function unlessHidden<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && (error.code === 'E_PERMISSION' || ['unknown', 'auth'].includes(error.kind))) return undefined;
    throw error;
  }
}

/** What a call runs: a built-in function, a stored function if one exists, or an added native function. */
type Callee = 'built in' | 'stored' | 'added';

/** Errors that only built-in functions cause: syntax, the number of arguments, and named arguments. */
const builtInErrors = /^(1064|1582|1583) /;
/**
 * Errors of stored functions, whose arguments have no names either. MariaDB looks for the function before it sees the argument, and
 * finds none without a default database; it does so only when no native function has the name.
 */
const storedError = /^(1584|1305) /;

/**
 * Asks the server what a call means by an invalid call, whose error tells. An added native function is not initialized by it, because
 * the column does not exist.
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

/** Whether a component of the server brought the function, and not a library. */
export async function readIsOfComponent(name: string, run: CatalogQuestion): Promise<boolean> {
  const sql = `SELECT UDF_LIBRARY FROM performance_schema.user_defined_functions WHERE UDF_NAME = ${formatText(name)}`;
  const rows = (await unlessHidden(() => run(sql))) ?? [];
  return rows.length > 0 && rows.every(([library]) => library === null);
}

const maxBatch = 40;

/** Asks with one SELECT for each name, because the servers scan all tables otherwise. */
async function ask(run: CatalogQuestion, names: readonly ObjectName[], format: (name: ObjectName) => string) {
  const rows: (readonly (string | null)[])[] = [];
  for (let at = 0; at < names.length; at += maxBatch) {
    rows.push(
      ...(await run(
        names
          .slice(at, at + maxBatch)
          .map(format)
          .join(' UNION ALL '),
      )),
    );
  }
  return rows;
}

function isTable({ schema, name }: ObjectName): string {
  return `TABLE_SCHEMA = ${formatText(schema)} AND TABLE_NAME = ${formatText(name)}`;
}
