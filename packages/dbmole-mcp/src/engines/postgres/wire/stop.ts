import { setTimeout as delay } from 'node:timers/promises';
import { Failure, onAbort, settlesWithin } from '@dbmole/core';
import { OwnRows } from '../values/user-rows.ts';
import { sendCancel } from './cancel.ts';
import { Conversation } from './conversation.ts';
import { logIn } from './log-in.ts';
import { statement, sync } from './messages.ts';
import { Segment } from './segment.ts';
import { openWire, type Route } from './wire.ts';

const patienceMs = 2_000;
/** A request that comes before the statement has begun stops nothing, so it is repeated. */
const repeatMs = 100;

/**
 * Stops a statement in the server. When this resolves, no cancel request is under way that could hit a later statement; a server that
 * does not stop in time loses the connection, which tells its end later. Never rejects.
 */
export async function stopStatement(conversation: Conversation, route: Route, segment: Segment): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let left = patienceMs; left > 0 && !segment.ended; left = deadline - Date.now()) {
    await sendCancel(route, conversation.key, left);
    await settlesWithin(segment.done, { ms: repeatMs, keepsAlive: true });
  }
  if (segment.ended) return;
  conversation.abandon(
    new Failure('connection', 'the server did not stop the statement', {
      code: 'E_CONNECTION_LOST',
      hint: 'Retry.',
    }),
  );
  void watchLateEnd(conversation, route);
}

const firstPauseMs = 1_000;
const maxPauseMs = 15_000;
const askMs = 5_000;

/**
 * Waits until an abandoned statement has ended. The server says so by closing the connection; where the network has lost that
 * connection, another one is asked. The request to stop is repeated, as the server may not have heard of it.
 */
async function watchLateEnd(conversation: Conversation, route: Route): Promise<void> {
  let isClosed = false;
  const closed = conversation.pendingEnd?.then(() => {
    isClosed = true;
  });
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    await Promise.race([closed, delay(pauseMs, undefined, { ref: false })]);
    if (isClosed) return;
    await sendCancel(route, conversation.key, askMs);
    if ((await isActive(route, conversation.pid)) === false) await conversation.close();
  }
}

/** Undefined when the server cannot be asked. */
async function isActive(route: Route, pid: string | undefined): Promise<boolean | undefined> {
  const signal = AbortSignal.timeout(askMs);
  try {
    const stream = await openWire(route, signal);
    onAbort(signal, () => stream.destroy());
    const conversation = new Conversation(stream);
    const rows = new OwnRows();
    const answer = new Segment(rows);
    await logIn(conversation, route.target).catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
    conversation.send(Buffer.concat([statement(activeSql, [pid ?? '0'], 0), sync]), [answer]);
    await answer.done;
    await conversation.close();
    return answer.failed ? undefined : rows.rows.length > 0;
  } catch {
    return undefined;
  }
}

const activeSql = `select 1 from pg_catalog.pg_stat_activity a
  where a.pid operator(pg_catalog.=) $1::pg_catalog.int4 and a.state operator(pg_catalog.=) 'active'`;
