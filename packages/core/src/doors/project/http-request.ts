import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

interface ServerRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Closes the connection, which cancels the call on the server. */
  signal?: AbortSignal | undefined;
  /** The longest time without a byte from the server, in milliseconds. */
  idleMs: number;
  /** The most characters of the answer. */
  maxLength: number;
  /** Returns the listener for the parts of the body. */
  onHead(contentType: string): (text: string) => void;
}

/**
 * Sends one request to a server of this machine and returns the status of the answer. It has a connection of its own: a connection
 * that is kept may be closed by the server just when it is used. The certificate is not verified: it has the name that other
 * machines use, and plain HTTP is safe on this one.
 */
export function sendRequest(sent: ServerRequest): Promise<number> {
  const { url, method, headers, body, signal, idleMs, maxLength, onHead } = sent;
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const options = { method, headers, agent: false, rejectUnauthorized: false, ...(signal && { signal }) };
    const request = start(url, options, (response) => {
      const take = onHead(response.headers['content-type'] ?? '');
      let length = 0;
      response.setEncoding('utf8').on('data', (text: string) => {
        length += text.length;
        if (length > maxLength) request.destroy(new Error('the answer is too long'));
        else take(text);
      });
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.setTimeout(idleMs, () => request.destroy(new Error('the server sent nothing')));
    request.end(body);
  });
}
