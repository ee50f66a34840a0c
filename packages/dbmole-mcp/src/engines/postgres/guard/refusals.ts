/** Why a statement, or a part of one, is no read: what the guard says of each kind of node that it refuses. */
export interface Refusal {
  /** Goes on a sentence that begins with the construct. */
  readonly reason: string;
  readonly hint: string;
}

const write = 'Use `execute`, on a connection that is not readonly.';
const plain = 'Pass the query itself, with params, limit and offset.';

const data: Refusal = { reason: 'changes data', hint: write };
const session: Refusal = { reason: 'changes the session', hint: 'Settings do not outlast a call; leave it out.' };
const prepared: Refusal = { reason: 'works with prepared statements of the session', hint: plain };
const cursor: Refusal = { reason: 'works with cursors of the session', hint: plain };
const maintenance: Refusal = { reason: 'maintains the database', hint: write };
const code: Refusal = { reason: 'runs code that can do anything', hint: write };

/** Everything that is not here makes, changes or drops something. */
export const definition: Refusal = { reason: 'changes what there is in the database', hint: write };

export const refusals: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['InsertStmt', data],
  ['UpdateStmt', data],
  ['DeleteStmt', data],
  ['MergeStmt', data],
  ['TruncateStmt', data],
  [
    'CopyStmt',
    { reason: 'moves data to or from files, programs and tables', hint: 'To save rows in a file, use `export_query`.' },
  ],
  ['SelectStmt.intoClause', { reason: 'makes a table', hint: 'Leave INTO out to read the rows.' }],
  ['LockingClause', { reason: 'locks rows', hint: 'Leave it out: the rows are read without.' }],
  ['TransactionStmt', { reason: 'controls a transaction', hint: 'Each call is a transaction of its own.' }],
  ['ConstraintsSetStmt', { reason: 'controls a transaction', hint: 'Each call is a transaction of its own.' }],
  ['LockStmt', { reason: 'locks tables', hint: 'Leave it out: tables are read without.' }],
  ['VariableSetStmt', session],
  ['DiscardStmt', session],
  ['ListenStmt', session],
  ['UnlistenStmt', session],
  ['NotifyStmt', { reason: 'sends a message', hint: write }],
  ['LoadStmt', { reason: 'loads a library into the server', hint: write }],
  ['PrepareStmt', prepared],
  ['ExecuteStmt', prepared],
  ['DeallocateStmt', prepared],
  ['DeclareCursorStmt', cursor],
  ['FetchStmt', cursor],
  ['ClosePortalStmt', cursor],
  ['DoStmt', code],
  ['CallStmt', { reason: 'runs a procedure, which can do anything', hint: write }],
  ['VacuumStmt', maintenance],
  ['ReindexStmt', maintenance],
  ['ClusterStmt', maintenance],
  ['CheckPointStmt', maintenance],
  ['RefreshMatViewStmt', { reason: 'changes data', hint: write }],
  ['AlterSystemStmt', { reason: 'changes the configuration of the server', hint: write }],
]);

/** How a person writes them, where the parser's name for it does not say so. */
export const spellings: ReadonlyMap<string, string> = new Map([
  ['SelectStmt.intoClause', 'INTO'],
  ['LockingClause', 'FOR UPDATE'],
  ['VariableSetStmt', 'SET'],
  ['CreateStmt', 'CREATE TABLE'],
  ['CreateTableAsStmt', 'CREATE TABLE AS'],
  ['ViewStmt', 'CREATE VIEW'],
  ['IndexStmt', 'CREATE INDEX'],
  ['RuleStmt', 'CREATE RULE'],
  ['DefineStmt', 'CREATE'],
  ['RefreshMatViewStmt', 'REFRESH MATERIALIZED VIEW'],
  ['CheckPointStmt', 'CHECKPOINT'],
  ['ClosePortalStmt', 'CLOSE'],
  ['ConstraintsSetStmt', 'SET CONSTRAINTS'],
  ['SecLabelStmt', 'SECURITY LABEL'],
  ['MergeSupportFunc', 'MERGE_ACTION'],
  ['AlterRoleSetStmt', 'ALTER ROLE'],
  ['CreatedbStmt', 'CREATE DATABASE'],
  ['DropdbStmt', 'DROP DATABASE'],
]);

/** `FOR UPDATE` and its relatives, by the parser's names. */
export const lockStrengths: ReadonlyMap<string, string> = new Map([
  ['LCS_FORKEYSHARE', 'FOR KEY SHARE'],
  ['LCS_FORSHARE', 'FOR SHARE'],
  ['LCS_FORNOKEYUPDATE', 'FOR NO KEY UPDATE'],
  ['LCS_FORUPDATE', 'FOR UPDATE'],
]);
