// The build copies this file into the published types, so it imports nothing but the types of the library that every server has.
import type { MoleOptions, MolePrivateKey, MoleSecret, MoleSsh } from '@dbmole/core/library';

export interface DbmoleOptions extends MoleOptions<DbmoleConnection> {
  /** Lets export_query create files in this folder. Without it the tool answers that it may not. */
  exportDir?: string | undefined;
}

/** A connection, as a configuration file writes it: with a `url`, with `type`, `host` and `user`, or with `file`. */
export interface DbmoleConnection {
  /** How tools and answers call it: letters, digits, `_` and `-`. */
  name: string;
  /** `postgres://…`, `mysql://…` or `sqlite:path`, instead of the fields that it holds. */
  url?: string | undefined;
  type?: 'postgres' | 'postgresql' | 'mysql' | 'mariadb' | 'sqlite' | undefined;
  /** SQLite: the path of the file, absolute or relative to the file that defines the connection. */
  file?: string | undefined;
  /** SQLite: refuses a file that is a symbolic link, or has another name. */
  noLinks?: boolean | undefined;
  host?: string | undefined;
  port?: number | undefined;
  user?: string | undefined;
  password?: MoleSecret | DbmolePasswordFile | undefined;
  database?: string | undefined;
  /** PostgreSQL: the search path, as one name or several with commas. */
  schema?: string | undefined;
  /** No tool writes through this connection. */
  readonly?: boolean | undefined;
  /** Shown to the model. */
  description?: string | undefined;
  /** A word such as `staging`, shown to the model. */
  environment?: string | undefined;
  /** What is visible: names or patterns with `*` and `?`; `!` excludes. */
  databases?: string[] | undefined;
  schemas?: string[] | undefined;
  tables?: string[] | undefined;
  /** What happens to the values of columns, by rules such as `users.email` or `*.*password*`. */
  columns?: Record<string, DbmoleColumnAction> | undefined;
  /** Column rules that come with the program. */
  pii?: 'common' | undefined;
  /** Also refuses comparisons with protected columns, and what cannot be traced. */
  strict?: boolean | undefined;
  /** Whether a change of all rows needs a confirmation: an UPDATE or DELETE without WHERE, TRUNCATE. `refuse` by default. */
  noWhere?: 'refuse' | 'allow' | undefined;
  /** A statement that changes more rows is rolled back, unless a person confirms it. */
  maxRows?: number | undefined;
  /** A read is refused where its plan costs more, in the unit of the engine. */
  maxCost?: number | undefined;
  /** The same for rows that it reads from tables. */
  maxScanRows?: number | undefined;
  /** The same for bytes that it reads from tables. */
  maxBytes?: number | undefined;
  /** These three are only noted in the answer. */
  warn?: boolean | undefined;
  /** What `execute` may change: data (`dml`) and structure (`ddl`). One word counts for both. */
  writes?: DbmoleWriteMode | { dml?: DbmoleWriteMode | undefined; ddl?: DbmoleWriteMode | undefined } | undefined;
  /** The default time limit of a call, in milliseconds. */
  timeoutMs?: number | undefined;
  tls?: DbmoleTlsMode | DbmoleTls | undefined;
  ssh?: MoleSsh | undefined;
  /** Code in the database that reads may call although the guard cannot check it. */
  trust?: { functions?: string[] | undefined; extensions?: string[] | undefined } | undefined;
}

export type DbmoleWriteMode = 'never' | 'ask' | 'allow';

export type DbmoleColumnAction = 'refuse' | 'drop' | 'mask' | 'pseudonym' | 'partial' | 'show';

/** A file of the database's own clients that holds the password. */
export interface DbmolePasswordFile {
  from: 'pgpass' | 'pg_service.conf' | 'my.cnf';
  /** Where in the file, if it takes one: a service or a group. */
  name?: string;
}

export type DbmoleTlsMode = 'auto' | 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** PEM texts, or the files that hold them. */
export interface DbmoleTls {
  mode?: DbmoleTlsMode | undefined;
  ca?: string | undefined;
  cert?: string | undefined;
  key?: MolePrivateKey | undefined;
  /** The name in the certificate, when it is not `host`. */
  serverName?: string | undefined;
}
