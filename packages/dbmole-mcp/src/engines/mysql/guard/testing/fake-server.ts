import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { createGuard } from '../guard.ts';

type Row = readonly (string | null)[];

/** The objects of a server by database and name. */
export interface Server {
  mode?: string;
  database?: string | null;
  version?: string;
  tables?: Readonly<Record<string, Table>>;
  routines?: Readonly<
    Record<string, { text?: string | null; mode?: string; definer?: string; language?: string; type?: string; charset?: string }>
  >;
  native?: readonly string[] | 'hidden';
  /** Calls of native functions that were added under the name of a function of other servers. */
  added?: readonly string[];
  /** The libraries of functions by name; null where a component of the server brought the function. */
  libraries?: Readonly<Record<string, string | null>>;
}

interface Table {
  engine?: string;
  options?: string;
  view?: string;
  definer?: string;
  charset?: string;
  /** The hexadecimal digits of the view in its character set. */
  hex?: string;
  /** The text of the view as the server parses it. */
  shown?: string;
  /** Expressions of columns that are computed, and of defaults. */
  computed?: readonly string[];
  defaults?: readonly string[];
}

/** Answers the guard's catalog questions by their text. */
export function serve(server: Server): { run: CatalogQuestion; asked: string[] } {
  const asked: string[] = [];
  const run: CatalogQuestion = async (sql) => {
    asked.push(sql);
    return sql.split(' UNION ALL ').flatMap((part) => answer(server, part));
  };
  return { run, asked };
}

function answer(server: Server, sql: string): Row[] {
  const { mode = '', database = 'db', version = '8.0.31', native, routines = {} } = server;
  if (sql.startsWith('SELECT @@GLOBAL.sql_mode')) return [[mode, database, version]];
  const called = /^SELECT (.*)\(no_such_column AS a\)$/.exec(sql)?.[1];
  if (called !== undefined) throw new Failure('engine', 'no', { engineCode: createError(server, called) });
  const added = / WHERE UDF_NAME = '(.*)'$/.exec(sql)?.[1];
  if (added !== undefined) return libraryRows(server, added);
  if (/mysql\.func|user_defined_functions/.test(sql)) return nativeRows(native);
  const created = /^SHOW CREATE (?!VIEW).* `(.*)`\.`(.*)`$/.exec(sql);
  if (created !== null) return [['', '', routines[`${created[1]}.${created[2]}`]?.text ?? null]];
  const shown = /^SHOW CREATE VIEW `(.*)`\.`(.*)`$/.exec(sql);
  if (shown !== null) return [['', server.tables?.[`${shown[1]}.${shown[2]}`]?.shown ?? null]];
  const [, source, schema = '', name = ''] =
    /FROM information_schema\.(\w+) WHERE \w+ = '(.*?)' AND \w+ = '(.*?)'/.exec(sql) ?? [];
  return source === 'ROUTINES' ? routineRows(server, `${schema}.${name}`) : tableRows(server, `${schema}.${name}`, sql);
}

function createError({ added = [] }: Server, called: string): string {
  return added.includes(called) ? '1054 ER_BAD_FIELD_ERROR' : '1583 ER_WRONG_PARAMETERS_TO_NATIVE_FCT';
}

function libraryRows({ native, libraries = {} }: Server, name: string): Row[] {
  if (native === 'hidden') return nativeRows(native);
  const library = libraries[name];
  return library === undefined ? [] : [[library]];
}

function nativeRows(native: Server['native'] = []): Row[] {
  if (native === 'hidden') throw new Failure('engine', 'no', { code: 'E_PERMISSION' });
  return native.map((name) => [name]);
}

function routineRows({ routines = {} }: Server, key: string): Row[] {
  const routine = routines[key];
  const [schema = '', name = ''] = key.split('.');
  if (routine === undefined) return [];
  const { type = 'FUNCTION', language = 'SQL', mode = '', definer = 'root@%', charset = 'utf8mb4' } = routine;
  return [[schema, name, type, language, mode, '', definer, charset]];
}

function tableRows({ tables = {} }: Server, key: string, sql: string): Row[] {
  const table = tables[key];
  const [schema = '', name = ''] = key.split('.');
  if (table === undefined) return [];
  const { view, engine = 'InnoDB', options = '', definer = 'root@%', charset = 'utf8mb4', hex = '' } = table;
  if (sql.startsWith('SELECT HEX')) return [[hex]];
  if (sql.includes('.COLUMNS')) return columnRows([schema, name], table, sql);
  if (sql.includes('.VIEWS')) return view === undefined ? [] : [[schema, name, view, definer, charset]];
  if (sql.includes('CREATE_OPTIONS')) return [[schema, name, options]];
  return [[schema, name, view === undefined ? 'BASE TABLE' : 'VIEW', engine]];
}

function columnRows(name: readonly [string, string], { computed = [], defaults = [] }: Table, sql: string): Row[] {
  if (sql.includes('EXTRA')) return computed.map(() => [...name, 'VIRTUAL GENERATED', '']);
  return [...computed.map((one) => [...name, one, null]), ...defaults.map((one) => [...name, null, one])];
}

export async function createRefusal(sql: string, server: Server): Promise<Failure> {
  const failure = await createGuard()
    .check(sql, serve(server).run)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (failure instanceof Failure) return failure;
  throw new Error(`it was not refused: ${String(failure)}`);
}
