import { Failure } from '@dbmole/core';
import type { Param } from '../../engine.ts';
import type { BoundValue, Link } from './link.ts';

const statementVariable = '@dbmole_sql';
const statementName = 'dbmole';

/**
 * Hands the statement and its values over, all of them bound, and returns the text that runs it. The values travel through
 * variables of the session because a statement that is executed with values bound directly answers in the binary protocol, where
 * a FLOAT is not what the engine would print, and a date is not a text at all.
 */
export async function prepareWithParams(link: Link, sql: string, params: readonly Param[]): Promise<string> {
  const bound = params.map(bindOne);
  const assignments = bound.map(({ expression }, index) => `${variable(index)}=${expression}`);
  const values = bound.map(({ value }) => value);
  await link.bind(`SET ${[`${statementVariable}=?`, ...assignments].join(', ')}`, [sql, ...values]);
  await link.query(`PREPARE ${statementName} FROM ${statementVariable}`);
  return `EXECUTE ${statementName} USING ${bound.map((_, index) => variable(index)).join(', ')}`;
}

function variable(index: number): string {
  return `@dbmole_${index + 1}`;
}

/** As text, which is exact; the expression makes it a number again where it was one: LIMIT takes nothing else. */
function bindOne(param: Param, index: number): { expression: string; value: BoundValue } {
  if (typeof param === 'boolean') return { expression: 'CAST(? AS SIGNED)', value: param ? '1' : '0' };
  if (typeof param !== 'number') return { expression: '?', value: param };
  if (!Number.isFinite(param)) {
    throw new Failure('input', `param ${index + 1} is ${param}; a number must be finite`, { code: 'E_PARAMS' });
  }
  return { expression: Number.isSafeInteger(param) ? 'CAST(? AS SIGNED)' : '?+0e0', value: String(param) };
}
