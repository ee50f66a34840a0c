import { type App, documentedElsewhere, type Lease, readonlyFailure, type ToolContext, withManaged } from '@dbmole/core';
import * as z from 'zod';
import type { CallOptions, SqlBackend } from './backend/backend.ts';
import type { Connection } from './connection/schema.ts';
import type { CallerParam } from './engine.ts';
import { isStaleError } from './failure.ts';
import { maxStatements } from './statement/statement-list.ts';

/** The margin of the engine's own clock beyond ours: we report the timeout, and the engine stops if we cannot. */
const engineSlackMs = 250;
export const maxTimeoutMs = 600_000;
/** Far beyond what a person or a model writes. */
const maxStatementLength = 1_000_000;
const maxParamDepth = 20;

/** No NUL: in what drivers send, it ends a text, and what follows would be taken for something else. */
const noNul = (text: string) => !text.includes('\u0000');

/** Arguments that mean the same in every tool. Descriptions are short: the definitions of all tools share one budget. */
export const connectionArgument = z.string().min(1).optional();
/** Models look here first, and in the instructions. */
export const describedConnectionArgument = connectionArgument.describe('optional if only one');
export const databaseArgument = z.string().min(1).refine(noNul, 'it contains a NUL character').optional();
export const schemaArgument = z.string().min(1).refine(noNul, 'it contains a NUL character').optional();
/** The tool `query` states the maximum and the default. */
export const timeoutArgument = timeoutUpTo(maxTimeoutMs).meta(documentedElsewhere);
export const statementTimeoutArgument = timeoutUpTo(maxTimeoutMs).describe('default 30000');
const sqlArgument = z.string().min(1).max(maxStatementLength).refine(noNul, 'it contains a NUL character');
/** One statement, or several. */
export const statementsArgument = z.union([sqlArgument, z.array(sqlArgument).min(1).max(maxStatements)]);
const paramsArgument = z
  .array(
    z
      .unknown()
      .refine(
        (value) => isParam(value),
        'a param is text, a number, true, false, null, or a list or object of these, 20 deep at most',
      )
      .refine(
        (value) => !isParam(value) || isExact(value),
        'a number of more than 15 digits may have been rounded on its way here; pass it as a string',
      ),
  )
  .max(10_000)
  .default([]);
/** The arguments of each tool that runs a given statement; `query` describes them. */
export const statementShape = {
  connection: connectionArgument,
  sql: sqlArgument,
  params: paramsArgument,
  database: databaseArgument,
};
export const describedParamsArgument = paramsArgument.describe('for $1 or ?');
export const limitArgument = (most: number, usual = 100) => z.int().min(1).max(most).default(usual);
const maxNames = 1_000;
/** A refinement, unlike a maximum, takes no room in the list of tools. */
export const namesLimitArgument = (usual = 100) =>
  z
    .int()
    .min(1)
    .refine((limit) => limit <= maxNames, `expected at most ${maxNames}`)
    .default(usual);
export const offsetArgument = z.int().min(0).max(1_000_000_000).default(0);

/** What each call on a database says, besides its own arguments. */
export interface Target {
  connection?: string | undefined;
  database?: string | undefined;
}

export interface Call {
  backend: SqlBackend;
  lease: Lease<SqlBackend>;
  /** The options for the backend. */
  options: CallOptions;
  /** What the engine's clock is set to. */
  engineMs: number;
}

/** What of a tool's context reaches the backend. */
type CallContext = Pick<ToolContext, 'signal' | 'timeLimit' | 'onFound' | 'record'>;

/** The way from a tool's arguments to a live backend. Whatever fails is thrown as a Failure. */
export interface SqlTools {
  /** Where exports go, if a person has named a folder. */
  readonly exportFolder: string | undefined;
  use<T>(target: Target, context: CallContext, work: (call: Call) => Promise<T>): Promise<T>;
}

export function createSqlTools({ manager, settings }: Pick<App<Connection, SqlBackend>, 'manager' | 'settings'>): SqlTools {
  return {
    exportFolder: settings['export-dir'],
    use(target, { signal, timeLimit, onFound, record }, work) {
      const { connection, database } = target;
      const options: CallOptions = { signal, database };
      const runOn = (backend: SqlBackend, lease: Lease<SqlBackend>) =>
        work({ backend, lease, options, engineMs: timeLimit.milliseconds + engineSlackMs });
      const run = async (backend: SqlBackend, lease: Lease<SqlBackend>) => {
        if (record === undefined) return await runOn(backend, lease);
        const { recordCall } = await import('./backend/recorded-backend.ts');
        return await recordCall(backend, record, { target, work: (recorded) => runOn(recorded, lease) });
      };
      return withManaged(manager, connection, run, { signal, timeLimit, onFound, isStaleError });
    },
  };
}

/** Checked before anything is sent. Anything but a plain false counts as read-only. */
export function refuseReadonly({ config, name }: Lease<SqlBackend>): void {
  if (config.readonly === false) return;
  throw readonlyFailure(name, { call: 'query', to: 'read' });
}

/** Without a default: what counts then is known later, and a default would be repeated in the definition of every tool. */
export function timeoutUpTo(longest: number) {
  return z.int().min(1).max(longest).optional();
}

function isParam(value: unknown, depth = 0): value is CallerParam {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return true;
  return typeof value === 'object' && depth < maxParamDepth && Object.values(value).every((part) => isParam(part, depth + 1));
}

/**
 * JSON parsers silently round a long number, and the statement would be about another row. From 1e21 on it is written with
 * an exponent, which no one uses for the number of a row.
 */
function isExact(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  return typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
}
