import {
  type AnswerQuestion,
  type AskingClientKind,
  createTempFolder,
  HttpProcess,
  openAskingClient,
  sendAsking,
  type TempFolder,
} from '@dbmole/core/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bin } from '../bin.ts';
import { type FakeNode, startNode } from '../fake-node.ts';

const kinds: readonly AskingClientKind[] = ['stdio, older era', 'stdio, newer era', 'HTTP, newer era'];
const root = { version: { number: '9.1.0', build_flavor: 'default' }, tagline: 'You Know, for Search' };
const path = '/web-*/_delete_by_query?conflicts=proceed';
const body = { query: { term: { a: 1 } } };

let node: FakeNode;
let folder: TempFolder;
let env: Record<string, string>;
let server: HttpProcess;
let found: number;

beforeAll(async () => {
  node = await startNode({
    answer: (response, { url = '' }) => {
      const hits = { total: { value: found } };
      const buckets = [{ key: 'web-1', doc_count: found }];
      const counted = { timed_out: false, _shards: { total: 1, failed: 0 }, hits, aggregations: { indices: { buckets } } };
      const answer = url === '/' ? root : url.includes('/_search') ? counted : { deleted: found, failures: [] };
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
        .end(JSON.stringify(answer));
    },
  });
  folder = createTempFolder();
  const place = { scheme: 'http', host: node.host, port: node.port, auth: 'none' };
  env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.at('config'),
    ESMOLE_CONNECTIONS: JSON.stringify([{ ...place, name: 'prod', environment: 'production' }]),
  };
  server = await new HttpProcess({ file: bin, cwd: folder.path, env }).listening();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await node.close();
  folder[Symbol.dispose]();
});
beforeEach(() => {
  found = 3;
  node.seen.length = 0;
});

const sent = () => node.seen.flatMap(({ method, url }) => (url?.includes('_by_query') ? `${method} ${url}` : []));

it.each(kinds)('a write to a cluster is confirmed through %s, and sent once as it was shown', async (kind) => {
  const shown: string[] = [];
  const answers = ['accept', 'accept', 'decline', 'cancel'] as const;
  const answer: AnswerQuestion = async (message) => {
    if (shown.push(message) === 1) found = 4;
    return answers[shown.length - 1] ?? 'decline';
  };
  const place = { bin, tool: 'es_request', env, url: server.url, token: server.token, root: folder.path };
  const client = await openAskingClient(kind, place, answer);
  const send = async () => await client.execute({ method: 'POST', path, body });
  try {
    expect(await send()).toMatch(/^Status 200\. Confirmed by the user in the client\./);
    expect(await send()).toMatch(/^E_DECLINED/);
    // On a machine that is busy, a second may have passed.
    expect(await send()).toMatch(
      /^E_APPROVAL_NEEDED: .*closed the question unread.*esmole-mcp approve|^E_DECLINED: the user closed/s,
    );
  } finally {
    await client.close();
  }
  expect(shown[0]).toContain('POST /web-*/_delete_by_query?conflicts=proceed: 3 of 3 documents deleted: web-1 (3)');
  expect(shown[1]).toMatch(/^The counts changed[\s\S]*3 of 3[\s\S]*4 of 4/);
  expect(sent()).toEqual(['POST /web-*/_delete_by_query?conflicts=proceed']);
});

describe('the state of a question about a write to a cluster', () => {
  const send = (params: Record<string, unknown>, args: object = {}) =>
    sendAsking({ server, tool: 'es_request', args: { method: 'POST', path, body, ...args }, params });

  it('counts once, unchanged, and for exactly its request', async () => {
    const accepted = { confirm: { action: 'accept', content: {} } };
    const { requestState } = await send({});
    const given = { requestState, inputResponses: accepted };
    const others = [
      { path: '/web-2/_delete_by_query' },
      { path: '/web-*/_delete_by_query?conflicts=abort' },
      { path: '/%77eb-*/_delete_by_query?conflicts=proceed' },
      { body: { query: { term: { a: 2 } } } },
      { params: { routing: 'x' } },
      { method: 'PUT' },
    ];
    for (const other of others)
      expect((await send(given, other)).structuredContent.code).toMatch(/^E_(?:APPROVAL_INVALID|PATH)$/);
    const tampered = { ...given, requestState: `${requestState.slice(0, -1)}${requestState.endsWith('A') ? 'B' : 'A'}` };
    expect((await send(tampered)).structuredContent.code).toBe('E_APPROVAL_INVALID');
    expect(sent()).toEqual([]);
    expect((await send(given)).content[0].text).toMatch(/^Status 200\. Confirmed/);
    expect((await send(given)).structuredContent.code).toBe('E_APPROVAL_INVALID');
    expect(sent()).toHaveLength(1);
  });
});
