/** The part of Node's SQLite that is called here. The types of the oldest supported Node do not have it. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
  setAuthorizer?(decide: Authorizer | null): void;
}

/** Table and column are null for an expression. */
export interface StatementColumn {
  name: string;
  type: string | null;
  table: string | null;
  column: string | null;
}

interface Statement {
  setReadBigInts(enabled: boolean): void;
  setReturnArrays(enabled: boolean): void;
  columns(): readonly StatementColumn[];
  iterate(...params: readonly unknown[]): IterableIterator<readonly SqlValue[]>;
  run(...params: readonly unknown[]): { changes: number | bigint };
}

export type SqlValue = string | bigint | number | null | Uint8Array;

/** Gives 0 to allow an action, and 1 to refuse the statement. */
export type Authorizer = (action: number, first: string | null, second: string | null) => number;

interface OpenOptions {
  readOnly: boolean;
  timeout: number;
  enableForeignKeyConstraints: boolean;
  defensive: boolean;
  limits: { attach: number };
}

interface SqliteModule {
  DatabaseSync: new (path: string | URL, options?: OpenOptions) => Database;
  StatementSync: { prototype: object };
}

/** Throws where this Node has no SQLite, or one that cannot report columns. */
export function loadSqlite(): SqliteModule {
  // Node 22 announces that the module is experimental, on a stream that belongs to the server.
  process.removeAllListeners('warning');
  // The interface is the part of the module that Node documents.
  const found = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
  if (found === undefined || !('setReturnArrays' in found.StatementSync.prototype))
    throw new Error(`Node ${process.versions.node} has no usable SQLite`);
  return found;
}
