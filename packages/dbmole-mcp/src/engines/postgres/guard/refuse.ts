import { Failure, type Hint } from '@dbmole/core/failure';
import { exportRows, useExecute } from '../../../next-steps.ts';
import { type Denial, findRelationDenial, parseTable } from './denials.ts';
import type { Parser, Token } from './thread/parser.ts';
import type { CallUse, NameUse, StatementNames } from './tree/names.ts';
import { positionAt } from './tree/position.ts';
import type { UnreadableNode } from './tree/walk.ts';

/** Why a statement, or a part of one, is not a read, by the parser's names of nodes; in the format of `denied-functions.ts`. */
const table = `
changes data
  InsertStmt UpdateStmt DeleteStmt MergeStmt TruncateStmt RefreshMatViewStmt
reads or writes files, programs or tables
  CopyStmt
creates a table | Leave INTO out to read the rows.
  SelectStmt.intoClause
locks rows | Leave it out: a read needs no row locks.
  LockingClause
locks tables | Leave it out: a read needs no table locks.
  LockStmt
controls a transaction | Leave it out: each call is a transaction of its own.
  TransactionStmt ConstraintsSetStmt
changes the session | Settings do not outlast a call; leave it out.
  VariableSetStmt DiscardStmt ListenStmt UnlistenStmt
sends a message
  NotifyStmt
loads a library into the server
  LoadStmt
uses prepared statements of the session | Send the query itself.
  PrepareStmt ExecuteStmt DeallocateStmt
uses cursors of the session | Send the query itself.
  DeclareCursorStmt FetchStmt ClosePortalStmt
runs arbitrary code
  DoStmt
runs a procedure, which can change anything
  CallStmt
maintains the database
  VacuumStmt ReindexStmt ClusterStmt CheckPointStmt
changes the configuration of the server
  AlterSystemStmt`;

interface NodeRefusal {
  readonly reason: string;
  readonly hint: Hint;
}

/** Statements that are not in the table create, change or drop objects. */
const definition: NodeRefusal = { reason: 'changes objects of the database', hint: useExecute };

const refusals: ReadonlyMap<string, NodeRefusal> = new Map(
  parseTable(table).map(({ name, reason, hint }) => [
    name,
    { reason, hint: hint ?? (name === 'CopyStmt' ? exportRows : useExecute) },
  ]),
);

/** The SQL for a node, where the parser's name does not show it. */
const spellings: ReadonlyMap<string, string> = new Map(
  `SelectStmt.intoClause INTO; LockingClause FOR UPDATE; LCS_FORKEYSHARE FOR KEY SHARE; LCS_FORSHARE FOR SHARE
  LCS_FORNOKEYUPDATE FOR NO KEY UPDATE; VariableSetStmt SET; CreateStmt CREATE TABLE; ViewStmt CREATE VIEW; IndexStmt CREATE INDEX
  RuleStmt CREATE RULE; DefineStmt CREATE; RefreshMatViewStmt REFRESH MATERIALIZED VIEW; CheckPointStmt CHECKPOINT
  ClosePortalStmt CLOSE; ConstraintsSetStmt SET CONSTRAINTS; SecLabelStmt SECURITY LABEL; MergeSupportFunc MERGE_ACTION
  AlterRoleSetStmt ALTER ROLE; CreatedbStmt CREATE DATABASE; DropdbStmt DROP DATABASE`
    .split(/;\s|\n\s+/)
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
);

interface Refusal {
  readonly message: string;
  readonly hint: Hint;
  readonly position: number | undefined;
  readonly cause?: unknown;
}

/** A refusal has the construct, the reason why it is not a read, its position, and the next step. */
export function refusal({ message, hint, position, cause }: Refusal): Failure {
  return new Failure('refused', message, {
    code: 'E_NOT_A_READ',
    hint,
    cause,
    ...(position === undefined ? {} : { position }),
  });
}

/** The refusal of a node that a read may not have. */
export function refuseNode({ kind, fields }: UnreadableNode, sql: string, parser: Parser): Failure {
  const words = toWords(kind, fields);
  const { reason, hint } = refusals.get(kind) ?? definition;
  return refusal({ message: `${words} ${reason}`, hint, position: findWords(sql, words, parser) });
}

/** Throws for the first function or relation of the text that is denied by its name. */
export function refuseNames(names: StatementNames, denialOf: (use: CallUse) => Denial | undefined): void {
  const [first] = findDenied(names, denialOf).toSorted((a, b) => a.use.at - b.use.at);
  if (first === undefined) return;
  const { use, subject, denial } = first;
  throw refusal({ message: `${subject} ${denial.reason}`, hint: denial.hint ?? useExecute, position: names.positionOf(use) });
}

interface Denied {
  readonly use: NameUse;
  readonly verb: 'calls' | 'reads';
  readonly subject: string;
  readonly denial: Denial;
}

/** Most names are not denied, so this allocates only for those that are. */
export function findDenied(
  { functions, relations }: Pick<StatementNames, 'functions' | 'relations'>,
  denialOf: (use: CallUse) => Denial | undefined,
): readonly Denied[] {
  const found: Denied[] = [];
  for (const use of functions) {
    const denial = denialOf(use);
    if (denial !== undefined) found.push({ use, verb: 'calls', subject: `${use.name}()`, denial });
  }
  for (const use of relations) {
    const denial = findRelationDenial(use);
    if (denial !== undefined) found.push({ use, verb: 'reads', subject: use.name, denial });
  }
  return found;
}

/** `DropStmt` is DROP, `AlterTableStmt` is ALTER TABLE. */
function toWords(kind: string, fields: UnreadableNode['fields']): string {
  if (kind === 'TransactionStmt') return String(fields.kind).replace('TRANS_STMT_', '').replaceAll('_', ' ');
  if (kind === 'VacuumStmt' && fields.is_vacuumcmd !== true) return 'ANALYZE';
  if (kind === 'GrantStmt' && fields.is_grant !== true) return 'REVOKE';
  const words = kind.replace(/Stmt$/, '').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return spellings.get(String(fields.strength)) ?? spellings.get(kind) ?? words.toUpperCase();
}

/** The position of the words in a row, or else of the first word, or else of the statement. */
function findWords(sql: string, words: string, parser: Parser): number | undefined {
  const tokens = parser.scan(sql).filter(({ tokenName }) => !tokenName.endsWith('_COMMENT'));
  const wanted = words.split(' ');
  const found = findRow(tokens, wanted) ?? findRow(tokens, wanted.slice(0, 1)) ?? tokens[0];
  return found === undefined ? undefined : positionAt(sql, found.start);
}

function findRow(tokens: readonly Token[], words: readonly string[]): Token | undefined {
  return tokens.find((_, index) => words.every((word, offset) => tokens[index + offset]?.text.toUpperCase() === word));
}
