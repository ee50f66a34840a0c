import { findStrictest } from '@dbmole/core';
import type { ColumnPlan } from '../../../../guard/read-statement.ts';
import { refuseColumn } from '../../../../policy/column-policy.ts';
import { isUnknown, type Taint } from '../../../../policy/taint.ts';
import { toKey } from '../../catalog/schema-facts.ts';
import { readCommand } from '../../session/statement-kind.ts';
import { judgeResults, listOrigins, type PlannedText, type Ruled, refuseCompared, traceFlow } from './plan-read.ts';
import type { ProgramFlow } from './program/trace-program.ts';
import { followViews, listNames } from './schema.ts';

const changes: ReadonlySet<string> = new Set([
  'INSERT',
  'REPLACE',
  'UPDATE',
  'DELETE',
  'SELECT',
  'VALUES',
  'WITH',
  'CREATE TABLE',
]);
/** These copy no value to another name. A view is followed whenever it is read. */
const harmless: ReadonlySet<string> = new Set(
  'CREATE INDEX|CREATE VIEW|DROP TABLE|DROP VIEW|DROP INDEX|DROP TRIGGER|REINDEX|ANALYZE|VACUUM'.split('|'),
);

/**
 * What the rules hide of the rows that a write returns. Refuses a write that copies protected values to where they are shown, also by the
 * triggers that it runs, or that takes the name from protected columns.
 */
export function planWrite(ruled: Ruled, sql: string, text: PlannedText): ColumnPlan | undefined {
  const command = readCommand(sql);
  if (harmless.has(command)) return undefined;
  if (command === 'ALTER TABLE') return checkAlter(ruled, text);
  if (text.tokens.some(({ word }, at) => word === 'VIRTUAL' && at < 4)) return checkVirtual(ruled, text);
  if (!changes.has(command)) throw refuseWrite(`${command} is not followed`);
  return planChange(ruled, text);
}

function planChange(ruled: Ruled, text: PlannedText): ColumnPlan | undefined {
  const triggers = ruled.schema.objects.filter(({ type }) => type === 'trigger').map((trigger) => trigger.sql);
  const flow = traceFlow(ruled, text, followViews(ruled.schema, text.tokens, triggers));
  if (flow === undefined) throw refuseWrite('its values cannot be traced');
  const { compared, read, results, stored } = flow;
  const copied = stored.find((one) => one.tree?.isIndex !== true && !isKept(one));
  if (copied !== undefined) throw refuseCopy(copied.taint);
  if (compared !== undefined && (ruled.isStrict || compared.action === 'refuse')) throw refuseCompared(compared);
  if (results === undefined || read === undefined) return undefined;
  return { verdicts: judgeResults(results, ruled.isStrict), origins: listOrigins(ruled.storage) };
}

function isKept({ tree, column, taint: value }: ProgramFlow['stored'][number]): boolean {
  const target = column === undefined ? tree?.rowid : tree?.columns[column];
  if (target === undefined || isUnknown(value) || isUnknown(target)) return false;
  return findStrictest([value.action, target.action]) === target.action;
}

function refuseCopy({ labels }: Taint) {
  return refuseColumn(`this copies ${labels.join(', ')} to where its values would be shown; nothing was run`);
}

function refuseWrite(why: string) {
  return refuseColumn(`the connection has protected columns, and this statement is refused: ${why}; nothing was run`);
}

/** A new name would take values out of the rules. */
function checkAlter({ storage }: Ruled, { tokens }: PlannedText): undefined {
  const names = listNames(tokens);
  const isProtected = [...storage.columns.keys()].some((table) => names.has(table)) || namesVirtual(storage.virtual, names);
  if (isProtected && tokens.some(({ word }) => word === 'RENAME'))
    throw refuseWrite('RENAME may give values of protected columns another name');
  return undefined;
}

function namesVirtual(virtual: ReadonlyMap<string, unknown>, names: ReadonlySet<string>): boolean {
  return [...virtual.keys()].some((table) => names.has(table));
}

function checkVirtual({ storage }: Ruled, { tokens }: PlannedText): undefined {
  const names = listNames(tokens);
  const named = [...storage.columns.keys(), ...storage.virtual.keys()].find((table) => names.has(toKey(table)));
  if (named !== undefined) throw refuseWrite(`a virtual table over ${named} may show its values under other names`);
  return undefined;
}
