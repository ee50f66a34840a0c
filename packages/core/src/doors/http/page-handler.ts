import type { IncomingMessage, ServerResponse } from 'node:http';

export interface PageExchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Counts a call of a tool, as for every client. Throws an HttpRefusal; returns how to end it. */
  beginCall(): () => void;
}

/** What serves the page, which the door knows no more of. The host of a request was checked before. */
export interface PageHandler {
  /** Is told the port that was bound. */
  listening(port: number): void;
  /** Serves one request to its end. Throws an HttpRefusal before anything was sent. */
  serve(exchange: PageExchange): Promise<void>;
  /** Ends what is still open. */
  close(): void;
}
