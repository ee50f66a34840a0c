import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

interface SendOptions {
  /** A client that reads nothing for this many milliseconds is disconnected. */
  stallMs: number;
}

/** The head of a stream whose first event takes longer than this is sent alone, in milliseconds. */
const headMs = 50;

/** Sends a response as fast as the client reads it. */
export async function sendResponse(response: Response, to: ServerResponse, { stallMs }: SendOptions): Promise<void> {
  if (to.destroyed) return void response.body?.cancel().catch(() => undefined);
  const headers = Object.fromEntries(response.headers);
  const gone = abortWhenClosed(to);
  if (response.body !== null && headers['content-type']?.startsWith('text/event-stream')) {
    to.writeHead(response.status, headers);
    await sendStream(response.body, to, { stallMs, gone });
  } else {
    const body = Buffer.from(await response.arrayBuffer());
    to.writeHead(response.status, { ...headers, 'content-length': body.length }).end(body);
  }
  if (!to.writableFinished) await untilRead(to, 'finish', { stallMs, gone });
}

/** Sends one message as the whole answer. */
export async function sendMessage(message: object, to: ServerResponse, { stallMs }: SendOptions): Promise<void> {
  if (to.destroyed) return;
  const gone = abortWhenClosed(to);
  const body = Buffer.from(JSON.stringify(message));
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache', 'content-length': body.length };
  to.writeHead(200, headers).end(body);
  if (!to.writableFinished) await untilRead(to, 'finish', { stallMs, gone });
}

interface ReadingClient extends SendOptions {
  gone: AbortSignal;
}

async function sendStream(body: ReadableStream<Uint8Array>, to: ServerResponse, client: ReadingClient): Promise<void> {
  const reader = body.getReader();
  // The source learns by this that its events have no reader any more.
  client.gone.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  const head = setTimeout(() => to.flushHeaders(), headMs);
  for (;;) {
    const { done, value } = await reader.read();
    clearTimeout(head);
    if (done || to.destroyed) break;
    // The last event and the end of the stream come together, and make one packet.
    to.cork();
    const hasRoom = to.write(value);
    process.nextTick(() => to.uncork());
    if (!hasRoom) await untilRead(to, 'drain', client);
  }
  to.end();
}

function abortWhenClosed(to: ServerResponse): AbortSignal {
  const gone = new AbortController();
  to.once('close', () => {
    if (!to.writableFinished) gone.abort();
  });
  return gone.signal;
}

async function untilRead(to: ServerResponse, event: 'drain' | 'finish', { stallMs, gone }: ReadingClient): Promise<void> {
  const timer = setTimeout(() => to.destroy(), stallMs);
  try {
    await once(to, event, { signal: gone });
  } catch {
    // The client is gone, which ends the loop as well.
  } finally {
    clearTimeout(timer);
  }
}
