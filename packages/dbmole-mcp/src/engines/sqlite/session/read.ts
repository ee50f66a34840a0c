import { Failure } from '@dbmole/core';
import type { ReadEnd, SessionRead } from '../../../engine.ts';
import { premiseCode } from '../../../guard/read-statement.ts';
import { changedSchema, objectsSql, stampSchema } from '../guard/columns/schema.ts';
import { textPremise } from '../guard/premise.ts';
import { type OpenFile, own } from './file-call.ts';
import { collectRows, RowRelay } from './row-relay.ts';

/** A schema that is larger is refused by the guard. */
const maxSchemaText = 1_000_000;

/** Runs a read. One that was checked against a schema runs in a transaction that still has it. */
export async function readInside(file: OpenFile, { request, sink }: SessionRead, isInTransaction = false): Promise<ReadEnd> {
  const { statement, params, keepPerCell, maxRows } = request;
  const { maxColumns } = sink;
  const { premise } = statement;
  if (premise !== undefined && premise !== textPremise) await requireSchema(file, premise, isInTransaction);
  // A statement of our own has no premise.
  const isFree = premise === undefined;
  await file.run({ sql: statement.sql, params, keepPerCell, maxRows, maxColumns, isFree }, new RowRelay(sink));
  return { timeZone: undefined };
}

async function requireSchema(file: OpenFile, premise: string, isInTransaction: boolean): Promise<void> {
  if (!isInTransaction) await file.run(own('begin'));
  const { rows, sink } = collectRows();
  await file.run({ ...own(objectsSql), keepPerCell: maxSchemaText }, new RowRelay(sink));
  if (stampSchema(rows) === premise) return;
  throw changedSchema();
}

export function isPremise(error: unknown): boolean {
  return error instanceof Failure && error.code === premiseCode;
}
