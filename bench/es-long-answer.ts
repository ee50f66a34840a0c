import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { order } from './rigs/es-seed.ts';

export interface LongAnswers {
  port: number;
  close(): Promise<void>;
}

/** Answers every search with as many hits as fit into so many megabytes, as fast as they are read. */
export async function serveLongAnswers(megabytes: number): Promise<LongAnswers> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').setHeader('x-elastic-product', 'Elasticsearch');
    if (request.url?.includes('_search')) Readable.from(longAnswer(megabytes)).pipe(response);
    else response.end('{"version":{"number":"9.1.0","build_flavor":"default"},"tagline":"You Know, for Search"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A server that listens on TCP has an address of this form.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function* longAnswer(megabytes: number): Generator<string> {
  yield '{"took":1,"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"total":{"value":1,"relation":"gte"},"hits":[';
  const hits = Array.from({ length: 200 }, (_, id) =>
    JSON.stringify({ _index: 'long', _id: String(id), _source: order(id) }),
  ).join(',');
  for (let sent = 0; sent < megabytes * 1024 * 1024; sent += hits.length) yield sent === 0 ? hits : `,${hits}`;
  yield ']}}';
}
