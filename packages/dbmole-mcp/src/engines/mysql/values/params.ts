import { randomBytes } from 'node:crypto';
import { Failure } from '@dbmole/core';
import type { Param } from '../../../engine.ts';
import type { Conversation, QueryEnd } from '../wire/conversation.ts';
import { formatLiteral } from './literal.ts';
import type { RowHandler } from './row-reader.ts';

/**
 * Runs a statement with values for its placeholders. The values travel through variables of the session because a statement that is
 * executed with values bound directly answers in the binary protocol, where a FLOAT is not what the engine would print, and a date is
 * not a text at all.
 *
 * All three statements are sent before the first one is answered. The name of the statement is random, because another read of the
 * list may have set a variable: when SET fails or is killed, PREPARE must find nothing that the guard has not accepted.
 */
export async function queryWithParams(
  conversation: Conversation,
  { sql, params }: { sql: string; params: readonly Param[] },
  rows: RowHandler,
): Promise<QueryEnd> {
  const name = `dbmole_${randomBytes(12).toString('hex')}`;
  const names = params.map((_, index) => `@dbmole_${index + 1}`);
  const assignments = params.map((param, index) => `${names[index]}=${formatParam(param, index)}`);
  const assigned = conversation.query(`SET ${[`@${name}=${formatLiteral(sql)}`, ...assignments].join(', ')}`);
  const prepared = conversation.query(`PREPARE ${name} FROM @${name}`);
  const executed = conversation.query(`EXECUTE ${name} USING ${names.join(', ')}`, rows);
  await Promise.allSettled([assigned, prepared, executed]);
  // When one fails, those behind it fail too, and the first error is the reason.
  await assigned;
  await prepared;
  return await executed;
}

function formatParam(param: Param, index: number): string {
  if (typeof param === 'number' && !Number.isFinite(param)) {
    throw new Failure('input', `invalid param ${index + 1} ${param}: expected a finite number`, { code: 'E_PARAMS' });
  }
  // A number with a point would be a DECIMAL, which other values are compared with in another way.
  return typeof param === 'number' && !Number.isSafeInteger(param) ? `${param}+0e0` : formatLiteral(param);
}
