import { Failure, failureWith, findForbidden, type Step } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import type { SqlGrammar } from '../engine.ts';

interface WritePlace {
  config: Connection;
  grammar: Pick<SqlGrammar, 'readWriteKind'>;
}

/** A statement that is no read, and that the policy forbids as a write: the next step is not `execute`, which would refuse it as well. */
export function adviseWrite<E>(error: E, sql: string, { config, grammar }: WritePlace): E | Failure {
  if (!(error instanceof Failure) || error.code !== 'E_NOT_A_READ') return error;
  const part = findForbidden(config, grammar.readWriteKind(sql));
  if (part === undefined) return error;
  const advice = `Only the user can change "writes" (${part} is never), where the connection is defined.`;
  const isWrite = (one: string | Step) => typeof one === 'object' && one.writes === true;
  return failureWith(error, { hint: [error.next ?? []].flat().map((one: string | Step) => (isWrite(one) ? advice : one)) });
}
