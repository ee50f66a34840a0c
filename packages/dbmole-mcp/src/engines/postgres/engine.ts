import { Failure, onAbort, withDeadline } from '@dbmole/core';
import { tlsFor } from '../../connection/tls.ts';
import type { CatalogRun, ServerIdentity, Session, SessionTarget, SqlEngine } from '../../engine.ts';
import { changes } from './change/changes.ts';
import { toFailure } from './errors/failure.ts';
import { hintFor } from './errors/statement-hint.ts';
import { createGuard } from './guard/guard.ts';
import { scopeDialect } from './guard/scope.ts';
import { createThreadChecker } from './guard/thread/guard-thread.ts';
import { grammar } from './session/grammar.ts';
import { PostgresSession } from './session/session.ts';
import { formatListParam } from './values/literal.ts';
import { Conversation } from './wire/conversation.ts';
import { logIn } from './wire/log-in.ts';
import { openWire, type Route } from './wire/wire.ts';

export const engine: SqlEngine = {
  openSession,
  createGuard: (options) => createGuard(createThreadChecker(options)),
  identify,
  hintFor,
  formatListParam,
  grammar,
  changes,
  scopeDialect,
};

async function identify(run: CatalogRun): Promise<ServerIdentity> {
  const [row = []] = await run(
    "select pg_catalog.version(), pg_catalog.current_setting('server_version'), current_user, pg_catalog.current_database()",
  );
  const [title, version, user, database] = row;
  if (!title || !version || !user) throw new Failure('engine', 'the server did not report its version');
  // Others that speak the protocol begin with their own name.
  return { product: title.split(' ')[0] ?? title, version, user, database: database ?? undefined };
}

const connectTimeoutMs = 10_000;

export async function openSession(target: SessionTarget, signal: AbortSignal): Promise<Session> {
  signal.throwIfAborted();
  const limits = { signals: [signal], ms: connectTimeoutMs, onTimeout: () => timeoutFailure(target) };
  return await withDeadline(limits, async (limited) => {
    try {
      return await open({ target, tls: await tlsFor(target) }, limited);
    } catch (error) {
      const where = { host: target.connectHost, port: target.connectPort };
      throw limited.aborted ? limited.reason : toFailure(error, where);
    }
  });
}

async function open(route: Route, signal: AbortSignal): Promise<Session> {
  const stream = await openWire(route, signal);
  const conversation = new Conversation(stream);
  const stop = onAbort(signal, () => stream.destroy());
  try {
    await logIn(conversation, route.target);
    return new PostgresSession(conversation, route);
  } catch (error) {
    stream.destroy();
    // The driver only knows that the stream ended; why it did is known here.
    throw conversation.lost ?? error;
  } finally {
    stop();
  }
}

function timeoutFailure({ connectHost, connectPort }: SessionTarget): Failure {
  return new Failure(
    'connection',
    `cannot connect to ${connectHost}:${connectPort}: no answer within ${connectTimeoutMs / 1000} s`,
    {
      code: 'E_CONNECT_TIMEOUT',
      hint: 'Check for a firewall that drops packets; behind a bastion, set `ssh`.',
    },
  );
}
