import { allowsNoWhere, Failure, type FailureCode, mustAsk, readMaxRows, refuseWrite } from '@dbmole/core';
import type { SqlGrammar } from '../engine.ts';
import { refuseUncounted } from '../policy/uncounted-rows.ts';
import { type Call, refuseReadonly } from '../tool.ts';
import { type ChangeShape, noShape } from './change.ts';

/** Why a person has to confirm a call. */
export interface Reason {
  code: FailureCode;
  text: string;
}

/** Throws for what no confirmation makes possible, before anything is sent. */
export function refuseForbidden({ lease, backend }: Call, statements: readonly string[]): void {
  refuseReadonly(lease);
  for (const sql of statements) {
    refuseWrite(lease.config, { what: 'statement', name: lease.name, kind: backend.grammar.readWriteKind(sql) });
    refuseTransactionControl(backend.grammar.findTransactionWord(sql));
  }
  if (statements.length === 1) return;
  const at = statements.findIndex((sql) => backend.changes.commitsItself(sql));
  if (at >= 0) throw refuseCommitting(at + 1, statements.length);
}

/**
 * Each call is a transaction of its own. A BEGIN that answers "done" would suggest that what comes next can be rolled
 * back, and a ROLLBACK that it was.
 */
function refuseTransactionControl(word: string | undefined): void {
  if (word === undefined) return;
  throw new Failure(
    'refused',
    `${word} would have no effect: each call is a transaction of its own and commits when it succeeds`,
    { hint: 'Pass the changes as a list in sql: all of them are committed, or none.' },
  );
}

function refuseCommitting(number: number, count: number): Failure {
  return new Failure(
    'refused',
    `statement ${number} of ${count} commits by itself on this engine, so the list could not be all or nothing; nothing was run`,
    { code: 'E_IMPLICIT_COMMIT', hint: 'Run it alone, in a call of its own.' },
  );
}

/** What the policy wants a person to confirm. Each statement is parsed where its text could change all rows of a table. */
export async function findReason(call: Call, statements: readonly string[]): Promise<Reason | undefined> {
  const { lease, backend } = call;
  const { config, name } = lease;
  if (statements.some((sql) => mustAsk(config, backend.grammar.readWriteKind(sql))))
    return { code: 'E_APPROVAL_NEEDED', text: `the connection "${name}" wants a person to confirm changes` };
  if (!allowsNoWhere(config))
    for (const [i, sql] of statements.entries()) {
      const shape = maySweep.test(sql) ? await readShape(call, sql) : noShape;
      if (shape.noWhere !== undefined) return { code: 'E_NO_WHERE', text: describeNoWhere(shape.noWhere, i, statements.length) };
    }
  return undefined;
}

/** An executable comment could be anything. */
const maySweep = /\b(?:update|delete|truncate|merge|execute)\b|\/\*M?!/i;

/** A text that cannot be read, for example because it is nested too deeply, could change anything. */
export async function readShape({ backend, options }: Call, sql: string): Promise<ChangeShape> {
  try {
    return await backend.changes.read(sql);
  } catch {
    options.signal.throwIfAborted();
    return { ...noShape, noWhere: 'unknown' };
  }
}

function describeNoWhere(what: Sweep, at: number, count: number): string {
  return `${describeSweep(what, at, count)}, so a person has to confirm it`;
}

type Sweep = NonNullable<ChangeShape['noWhere']>;

/** Why a statement may change every row of a table. */
export function describeSweep(what: Sweep, at: number, count: number): string {
  const subject = count === 1 ? 'the statement' : `statement ${at + 1} of ${count}`;
  if (what === 'unknown') return `it cannot be told whether ${subject} has a WHERE`;
  if (what === 'TRUNCATE') return `${subject} empties a table`;
  return `the ${what}${count === 1 ? '' : ` of ${subject}`} has no WHERE that names a column`;
}

/** Throws where the policy limits rows, and those of a statement cannot be counted before they are committed. */
export function requireCountable({ lease }: Call, statements: readonly string[], grammar: SqlGrammar): number | undefined {
  const maxRows = readMaxRows(lease.config);
  const isUncounted = (sql: string) => grammar.readWriteKind(sql) === 'other' && !grammar.isQuery(sql);
  if (maxRows !== undefined && statements.some(isUncounted))
    throw refuseUncounted('the statement is neither a change of rows nor of structure');
  return maxRows;
}

export function toFailure({ code, text }: Reason): Failure {
  const hint = code === 'E_NO_WHERE' ? 'Use UPDATE or DELETE with a WHERE that names the rows.' : undefined;
  return new Failure('refused', text, { code, hint });
}
