import { Failure } from '@dbmole/core/failure';
import { BoundedCache } from '../../../backend/bounded-cache.ts';
import { type CatalogQuestion, type ColumnPlan, checkText } from '../../../guard/read-statement.ts';
import type { Trust } from '../../../guard/trust.ts';
import type { Scope } from '../../../policy/scope.ts';
import type { CheckedStatement, ColumnTracer, TracedColumns } from './columns/column-tracer.ts';
import { parseWrite } from './columns/writes/write-tracer.ts';
import { findCallDenial } from './denials.ts';
import { openProof, type Proof } from './proof/catalog/load.ts';
import { formatPremise, openSeen } from './proof/catalog/premise.ts';
import { refuseNames, refuseNode } from './refuse.ts';
import { checkScope, outside } from './scope.ts';
import { checkDefinition } from './scoped-write/check-definition.ts';
import { checkScopedWrite } from './scoped-write/check-scoped-write.ts';
import { readTree } from './scoped-write/reached-text.ts';
import { readDefinition } from './scoped-write/read-definition.ts';
import { SharedLoad } from './shared-load.ts';
import { openParser } from './thread/parser.ts';
import { collectNames } from './tree/collect.ts';
import type { StatementNames } from './tree/names.ts';
import { parseOne } from './tree/syntax.ts';
import { asFields, UnreadableNode } from './tree/walk.ts';

/** The verdict on a statement that is a read. */
export interface Acceptance {
  /** An SQL expression; the statement is a read while it is true. */
  readonly premise: string;
  /** The session must be closed after the statement, because resetting it does not remove all that the statement leaves there. */
  readonly leavesState: boolean;
  readonly columns?: ColumnPlan | undefined;
}

/** Checks the statements of one database. */
export interface Checker {
  /**
   * Throws a `refused` Failure for a statement that is not a read. Alone: by a catalog that is read for this statement, with a
   * premise that holds while functions change that it does not lead to. The signal ends what has not begun.
   */
  check(sql: string, run: CatalogQuestion, isAlone?: boolean, signal?: AbortSignal): Promise<Acceptance>;
  /** Throws for a write that copies protected values, or whose effect cannot be told. Gives what is hidden of what it returns. */
  checkWrite(sql: string, run: CatalogQuestion): Promise<ColumnPlan | undefined>;
  /** Drops what was loaded, because the premise no longer holds. */
  forget(): void;
}

interface CheckerOptions {
  readonly trust?: Trust | undefined;
  readonly scope?: Scope | undefined;
  /** Undefined where no column is protected. */
  readonly tracer?: ColumnTracer | undefined;
}

/**
 * The text is checked first, without a query: it must be one statement of the kinds that a read may have, and name nothing denied. Then
 * the names are looked up in the catalog.
 */
export function createChecker({ trust, scope, tracer }: CheckerOptions = {}): Checker {
  const recent = new BoundedCache<StatementNames>();
  const open = async (run: CatalogQuestion) => await openProof(run, await openParser(), trust);
  const proofs = new SharedLoad(open);
  const openMajor = async (run: CatalogQuestion) => (await proofs.get(withGuardErrors(run))).major;
  return {
    async check(sql, run, isAlone = false) {
      checkText(sql);
      const names = recent.get(sql) ?? recent.add(sql, await readNames(sql, () => openMajor(run)));
      refuseNames(names, findCallDenial);
      const ask = withGuardErrors(run);
      const { proof, ...accepted } = isAlone
        ? await checkAlone(names, await open(ask), ask)
        : await checkShared(names, proofs, ask);
      const { check, major } = proof;
      const stays = scope === undefined ? '' : await checkScope({ names, scope, check, major, ask });
      if (tracer === undefined) return { ...accepted, premise: `${accepted.premise}${stays}` };
      const { columns, premise } = await traceColumns(isAlone ? tracer.openAlone() : tracer, { names, check, major, ask });
      return { ...accepted, columns, premise: `${accepted.premise}${stays}${premise}` };
    },
    async checkWrite(sql, run) {
      checkText(sql);
      if (tracer === undefined && scope === undefined) return undefined;
      const ask = withGuardErrors(run);
      const statement = await parseOne(sql, await openParser(), () => openMajor(run));
      const proof = await openCurrent(proofs, ask);
      if (scope !== undefined) await checkInScope(statement, sql, { scope, proof, ask });
      if (tracer === undefined) return undefined;
      const write = parseWrite(statement, sql);
      if (write.names !== undefined) await explore(proof, write.names, ask);
      // Nothing makes sure that what is known of the catalog still holds when a write runs.
      return await tracer.openAlone().traceWrite(write, { sql, check: proof.check, major: proof.major, ask });
    },
    forget() {
      proofs.forget();
      tracer?.forget();
    },
  };
}

interface ScopedPlace {
  readonly scope: Scope;
  readonly proof: Proof;
  readonly ask: CatalogQuestion;
}

const changes = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

/** Throws for a write that is not known to stay in the scope. */
async function checkInScope(statement: unknown, sql: string, { scope, proof, ask }: ScopedPlace): Promise<void> {
  const { check, major } = proof;
  const place = { scope, check, major, ask, explore: (names: StatementNames) => explore(proof, names, ask) };
  const [kind = ''] = Object.keys(asFields(statement));
  try {
    if (changes.has(kind)) return await checkScopedWrite(place, [readTree(statement, sql, undefined)]);
    const definition = readDefinition(statement);
    if (definition !== undefined) return await checkDefinition(place, definition, sql);
  } catch (error) {
    if (!(error instanceof UnreadableNode)) throw error;
  }
  const what = kind
    .replace(/Stmt$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();
  throw outside(`${what} is not followed, so it could leave`, scope);
}

async function openCurrent(proofs: SharedLoad<Proof>, ask: CatalogQuestion): Promise<Proof> {
  const known = await proofs.get(ask);
  if (!known.check.isBroken && (await ask(`select ${known.premise}`))[0]?.[0] === 't') return known;
  proofs.forget(known);
  return await proofs.get(ask);
}

/** Reads the bodies of all code that the names lead to. That a read must not run it does not matter. */
async function explore({ check }: Proof, names: StatementNames, ask: CatalogQuestion): Promise<void> {
  try {
    await check.check(names, ask);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused' || error.code === 'E_GUARD_UNAVAILABLE') throw error;
  }
}

/** A refusal may come from a catalog that has changed, so the catalog is read again. */
async function traceColumns(tracer: ColumnTracer, statement: CheckedStatement): Promise<TracedColumns> {
  try {
    return await tracer.trace(statement);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'E_PROTECTED_COLUMN') throw error;
  }
  tracer.forget();
  return await tracer.trace(statement);
}

/** The proof is the one that the statement was checked with. */
interface Checked extends Acceptance {
  readonly proof: Proof;
}

/** An accepted statement runs only while its premise holds. A refused one never gets there, so the premise is checked first. */
async function checkShared(names: StatementNames, proofs: SharedLoad<Proof>, ask: CatalogQuestion): Promise<Checked> {
  const known = await proofs.get(ask);
  try {
    const leavesState = await known.check.check(names, ask);
    return { premise: known.premise, leavesState, proof: known };
  } catch (error) {
    if (!known.check.isBroken && (await ask(`select ${known.premise}`))[0]?.[0] === 't') throw error;
  }
  proofs.forget(known);
  const proof = await proofs.get(ask);
  return { premise: proof.premise, leavesState: await proof.check.check(names, ask), proof };
}

/** For one statement, with a catalog that is read in one snapshot. */
async function checkAlone(names: StatementNames, proof: Proof, ask: CatalogQuestion): Promise<Checked> {
  const { check, watched } = proof;
  const leavesState = await check.check(names, ask);
  const narrowed = { ...watched, reached: check.reached };
  return { premise: formatPremise(await openSeen(ask, narrowed), narrowed), leavesState, proof };
}

async function readNames(sql: string, openMajor: () => Promise<number>): Promise<StatementNames> {
  const parser = await openParser();
  const statement = await parseOne(sql, parser, openMajor);
  try {
    return collectNames(statement, sql);
  } catch (error) {
    throw error instanceof UnreadableNode ? refuseNode(error, sql, parser) : error;
  }
}

/** Explains why a catalog query failed. Failures of the connection and timeouts are passed on unchanged. */
export function withGuardErrors(run: CatalogQuestion): CatalogQuestion {
  return async (sql, params) => {
    try {
      return await run(sql, params);
    } catch (error) {
      throw isAnswer(error) ? unavailable(error) : error;
    }
  };
}

/** Whether the server rejected the query. */
function isAnswer(error: unknown): error is Failure {
  // The connection failed before any query.
  if (!(error instanceof Failure) || error.code === 'E_UNKNOWN_DATABASE') return false;
  return error.kind === 'limit' || (error.engineCode !== undefined && ['engine', 'unknown'].includes(error.kind));
}

function unavailable(error: Failure): Failure {
  return new Failure('refused', `cannot verify that reads are safe on this server; refusing: ${error.message}`, {
    code: 'E_GUARD_UNAVAILABLE',
    hint: 'Connect to PostgreSQL 12 or later as a user that may read pg_catalog.',
    ...(error.engineCode === undefined ? {} : { engineCode: error.engineCode }),
    cause: error,
  });
}
