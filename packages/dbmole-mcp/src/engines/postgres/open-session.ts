import { Failure } from '@dbmole/core';
import type { Session, SessionTarget } from '../../engine.ts';
import { tlsFor } from '../../tls.ts';
import { Conversation } from './conversation.ts';
import { toFailure } from './failure.ts';
import { logIn } from './log-in.ts';
import { PostgresSession } from './session.ts';
import { openWire, type Route } from './wire.ts';

const connectTimeoutMs = 10_000;

export async function openSession(target: SessionTarget, signal: AbortSignal): Promise<Session> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timeoutFailure(target)), connectTimeoutMs);
  const abort = () => limit.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await open({ target, tls: await tlsFor(target) }, limit.signal);
  } catch (error) {
    const where = { host: target.connectHost, port: target.connectPort };
    throw limit.signal.aborted ? limit.signal.reason : toFailure(error, where);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function open(route: Route, signal: AbortSignal): Promise<Session> {
  const stream = await openWire(route, signal);
  const conversation = new Conversation(stream);
  const abort = () => stream.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await logIn(conversation, route.target);
    return new PostgresSession(conversation, route);
  } catch (error) {
    stream.destroy();
    // The driver only knows that the stream ended; why it did is known here.
    throw conversation.lost ?? error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function timeoutFailure({ connectHost, connectPort }: SessionTarget): Failure {
  return new Failure(
    'connection',
    `cannot connect to ${connectHost}:${connectPort}: no answer within ${connectTimeoutMs / 1000} s`,
    {
      code: 'E_CONNECT_TIMEOUT',
      hint: 'A firewall may drop the packets; behind a bastion, set `ssh`.',
    },
  );
}
