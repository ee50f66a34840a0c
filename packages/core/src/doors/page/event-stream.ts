import type { ServerResponse } from 'node:http';

/** A page that hears nothing for longer than twice this takes its connection for lost, in milliseconds. */
const beatMs = 10_000;
/** A browser that does not read loses its connection, comes back and gets the present state instead. */
const maxWaitingBytes = 8 * 1024 * 1024;

/** Server-sent events to one open page. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;

  /** `isAllowed` is asked again and again: a session ends while its page is open. */
  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, isAllowed: () => boolean) {
    this.#response = response;
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.flushHeaders();
    this.#timer = setInterval(() => (isAllowed() ? this.#write(':\n\n') : this.end()), beatMs);
    this.#timer.unref();
    response.once('close', () => clearInterval(this.#timer));
  }

  /** Never throws. */
  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > maxWaitingBytes) this.#response.destroy();
  }
}
