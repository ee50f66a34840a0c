import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, toFailure } from '../../failure.ts';
import { systemCode } from '../../files/system-code.ts';
import { checkHost, createHostRules } from './host-check.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsListener {
  /** The address, such as `http://127.0.0.1:9464/metrics`. */
  url: string;
  close(): Promise<void>;
}

const address = '127.0.0.1';
const rules = createHostRules({ address, allowedHosts: [], allowedOrigins: [], isBehindProxy: false });
const answerMs = 5_000;

/** Serves the metrics on loopback, without a token: programs on this machine may read them, and pages in a browser may not. */
export async function listenForMetrics(port: number, metrics: Metrics): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: answerMs, headersTimeout: answerMs }, (request, response) =>
    answer(request, response, metrics),
  );
  server.maxConnections = 16;
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Failure('config', `port ${port} for --metrics cannot be used (${systemCode(error) ?? toFailure(error).message})`, {
      code: 'E_PORT_TAKEN',
      hint: 'Choose another port.',
      cause: error,
    });
  }
  // The scraper's idle connections must not keep the process.
  server.unref();
  // A server that listens on TCP has an address of this form.
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${address}:${bound}/metrics`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, metrics: Metrics): void {
  const { method, url, headers } = request;
  const refusal = checkHost(headers, rules);
  if (refusal !== undefined) send(response, 403, refusal);
  else if (method !== 'GET') send(response, 405, 'only GET is possible here');
  else if (url?.split('?')[0] !== '/metrics') send(response, 404, 'the metrics are at /metrics');
  else send(response, 200, metrics.text(), 'text/plain; version=0.0.4; charset=utf-8');
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}
