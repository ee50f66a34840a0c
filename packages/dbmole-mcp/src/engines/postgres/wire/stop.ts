import { Failure } from '@dbmole/core';
import { sendCancel } from './cancel.ts';
import type { Conversation } from './conversation.ts';
import { watchLateEnd } from './late-end.ts';
import type { Segment } from './segment.ts';
import type { Route } from './wire.ts';

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
    await endsWithin(segment.done, repeatMs);
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

function endsWithin(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
