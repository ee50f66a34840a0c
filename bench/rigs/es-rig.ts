import { fileURLToPath } from 'node:url';
import { findFreePort, type RunningEngine, startEngine } from '@dbmole/engines';
import { Agent, request } from 'undici';
import { openTools } from '../../packages/esmole-mcp/test/open-tools.ts';
import { type LongAnswers, serveLongAnswers } from '../es-long-answer.ts';
import { StdioServer } from '../stdio-server.ts';
import { largeMapping, manyIndices, order, randomWords, slowDocument, smallMapping } from './es-seed.ts';

const program = fileURLToPath(new URL('../../packages/esmole-mcp/dist/main.js', import.meta.url));

export const documents = 10_000;
export const longMegabytes = 200;

type Tools = Awaited<ReturnType<typeof openTools>>;

/** One node, the HTTP client alone, and our server, ready to be asked in turns. */
export interface EsRig {
  raw(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  ours: StdioServer;
  /** The tools in this process, for what only they can be told. */
  tools: Tools;
  close(): Promise<void>;
}

let current: Promise<EsRig> | undefined;

export async function esRig(node: string): Promise<EsRig> {
  current ??= openRig(node);
  return await current;
}

export async function closeEsRig(): Promise<void> {
  const last = current;
  current = undefined;
  // Why it could not be opened was said to the line that wanted it.
  await (await last?.catch(() => undefined))?.close();
}

async function openRig(node: string): Promise<EsRig> {
  const engine = await startEngine('elasticsearch9');
  try {
    return await openPeers(engine, node);
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function openPeers(engine: RunningEngine, node: string): Promise<EsRig> {
  const { host, port } = engine;
  const agent = new Agent({ connections: 50 });
  const raw: EsRig['raw'] = async (method, path, body) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': path.includes('_bulk') ? 'application/x-ndjson' : 'application/json' };
    const url = `http://${host}:${port}${path}`;
    const answer = await request(url, { method, headers, dispatcher: agent, ...(text === undefined ? {} : { body: text }) });
    const json: unknown = await answer.body.json();
    if (answer.statusCode >= 300 && method !== 'DELETE')
      throw new Error(`${method} ${path}: ${JSON.stringify(json).slice(0, 300)}`);
    return json;
  };
  await seed(raw);
  const long = await serveLongAnswers(longMegabytes);
  const ours = await openOurs({ port, node, long });
  const tools = await openTools({ scheme: 'http', host, port });
  return {
    raw,
    ours,
    tools,
    async close() {
      await Promise.all([ours.stop(), tools.close(), agent.close(), long.close()]);
      await engine.stop();
    },
  };
}

async function openOurs({ port, node, long }: { port: number; node: string; long: LongAnswers }): Promise<StdioServer> {
  const place = { type: 'elasticsearch', scheme: 'http', host: '127.0.0.1', auth: 'none' };
  const connections = [
    { ...place, name: 'bench', port },
    { ...place, name: 'down', port: await findFreePort() },
    { ...place, name: 'long', port: long.port },
  ];
  const server = new StdioServer({ file: program, node, env: { ESMOLE_CONNECTIONS: JSON.stringify(connections) } });
  await server.initialize();
  return server;
}

async function seed(raw: EsRig['raw']): Promise<void> {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await raw('PUT', '/_index_template/bench', { index_patterns: ['bench-*', 'logs-*', 'shop-*'], template: { settings } });
  await bulk(
    raw,
    'bench-orders',
    Array.from({ length: documents }, (_, id) => order(id)),
  );
  const word = randomWords();
  await bulk(
    raw,
    'bench-slow',
    Array.from({ length: 20_000 }, () => slowDocument(word)),
    { properties: { word: { type: 'keyword' } } },
  );
  await raw('PUT', '/bench-small', { mappings: smallMapping });
  await raw('PUT', '/bench-large', { settings: { 'index.mapping.total_fields.limit': 5_000 }, mappings: largeMapping });
  await raw('PUT', '/bench-big/_doc/1?refresh=true', { title: 'big', text: 'x'.repeat(5_000_000) });
}

async function bulk(raw: EsRig['raw'], index: string, all: readonly object[], mappings?: object): Promise<void> {
  await raw('PUT', `/${index}`, mappings === undefined ? {} : { mappings });
  const lines = all.map((one, id) => `{"index":{"_id":"${id}"}}\n${JSON.stringify(one)}\n`);
  await raw('POST', `/${index}/_bulk?refresh=true&filter_path=errors`, lines.join(''));
}

/** Only for the line that needs them: three hundred indices take a while. */
export async function withManyIndices<T>({ raw }: EsRig, work: () => Promise<T>): Promise<T> {
  const lines = manyIndices.map((index) => `{"index":{"_index":"${index}"}}\n{"a":1}\n`);
  await raw('POST', '/_bulk?refresh=true&filter_path=errors', lines.join(''));
  try {
    return await work();
  } finally {
    for (const series of ['web', 'api', 'worker'])
      await raw('DELETE', `/${manyIndices.filter((name) => name.includes(`-${series}-`)).join(',')}`);
    await raw('DELETE', `/${manyIndices.filter((name) => name.startsWith('shop-')).join(',')}`);
  }
}
