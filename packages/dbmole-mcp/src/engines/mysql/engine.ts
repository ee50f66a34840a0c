import { Failure, untilAborted } from '@dbmole/core';
import type { Session, SessionTarget, SqlEngine } from '../../engine.ts';
import { changes } from './change/changes.ts';
import { toMysqlFailure } from './errors/failure.ts';
import { hintFor } from './errors/statement-hint.ts';
import { detectFlavour } from './flavour.ts';
import { createGuard } from './guard/guard.ts';
import { scopeDialect } from './guard/scope.ts';
import { grammar } from './session/grammar.ts';
import { formatQuestion } from './session/own-question.ts';
import { MysqlSession } from './session/session.ts';
import { collectRows } from './values/user-rows.ts';
import { getCanceller } from './wire/cancel.ts';
import { logIn } from './wire/log-in.ts';

/** MySQL and MariaDB. */
export const engine: SqlEngine = {
  openSession,
  createGuard,
  hintFor,
  grammar,
  changes,
  scopeDialect,
  formatQuestion,
  // The engine has no arrays.
  formatListParam: (value) => JSON.stringify(value),
  async identify(run) {
    const [row] = await run('SELECT version(), current_user(), database()');
    const [version, user, database] = row ?? [];
    if (!version || !user) throw new Failure('engine', 'the server did not report its version');
    return { ...readIdentity(version), user, database: database ?? undefined };
  },
};

function readIdentity(text: string): { product: string; version: string } {
  const { product, version } = detectFlavour(text);
  return { product, version };
}

async function openSession(target: SessionTarget, signal: AbortSignal): Promise<Session> {
  const conversation = await logIn(target, signal);
  const where = { host: target.connectHost, port: target.connectPort };
  try {
    const [row] = await untilAborted(collectRows(conversation, 'SELECT version()'), signal);
    const canceller = getCanceller(target);
    canceller.acquire(target);
    const flavour = detectFlavour(row?.[0] ?? '');
    const from = { ...where, product: flavour.product };
    return new MysqlSession({ conversation, canceller, where: from, flavour, database: target.database });
  } catch (error) {
    conversation.destroy();
    throw signal.aborted ? signal.reason : toMysqlFailure(error, where);
  }
}
