import { mkdirSync, writeFileSync } from 'node:fs';
import { createTempFolder, HttpProcess, openHttpClient, readText, ServerProcess, type TempFolder } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from './bin.ts';
import { get, openCluster, write } from './open-cluster.ts';
import { createClient } from './saved-client.ts';
import { fillSlowIndex, slowSearch } from './slow-search.ts';

const engines: readonly ServerId[] = ['elasticsearch9', 'opensearch3'];

const errorsByService = `# tool: errors_by_service
# description: Errors of a service.
# param service text: the service. Example: checkout
# param since timestamp = 2025-01-01T00:00:00Z: first moment
# param env one of prod, stage = prod: which logs
POST /saved-{{env}}/_search?filter_path=hits.total,hits.hits._source
{
  "size": 10,
  "query": { "bool": { "filter": [
    { "term": { "service": "{{service}}" } },
    { "range": { "at": { "gte": "{{since}}" } } }
  ] } }
}
`;
const add = `# tool: log_add
# description: Adds a line.
# effect: write
# param service text: the service
POST /saved-prod/_doc?refresh=true
{"service": "{{service}}", "at": "2025-06-01T00:00:00Z"}
`;
const remove = `# tool: logs_remove
# description: Says that it reads, and does not.
POST /saved-prod/_delete_by_query
{"query": {"match_all": {}}}
`;

describe.each(engines)('saved queries on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let folder: TempFolder;
  let env: Record<string, string>;
  let server: ServerProcess;
  const call = async (name: string, args: Record<string, unknown> = {}) => readText(await server.callTool(name, args));

  beforeAll(async () => {
    folder = createTempFolder();
    mkdirSync(folder.at('queries'));
    const { scheme, host, port } = engine();
    const direct = createClient(`${scheme}://${host}:${port}`);
    await direct('PUT', '/saved-prod', { mappings: { properties: { service: { type: 'keyword' }, at: { type: 'date' } } } });
    for (const service of ['checkout', 'search"}'])
      await direct('POST', '/saved-prod/_doc?refresh=true', { service, at: '2025-02-01T00:00:00Z' });
    const connection = { type: 'elasticsearch', scheme, host, port, auth: 'none' };
    env = {
      ESMOLE_CONNECTIONS: JSON.stringify([
        { ...connection, name: 'main', readonly: false },
        { ...connection, name: 'reader', readonly: true },
      ]),
    };
    for (const [name, text] of Object.entries({ errorsByService, add, remove }))
      writeFileSync(folder.at('queries', `${name}.http`), text);
    server = new ServerProcess({ file: bin, args: ['--queries', folder.at('queries')], env });
    await server.initialize();
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  it('are listed as tools with typed arguments', async () => {
    const { result } = await server.request('tools/list');
    const tools = result?.tools as { name: string }[];
    expect(tools.find(({ name }) => name === 'errors_by_service')).toMatchObject({
      inputSchema: { required: ['service'], properties: { env: { enum: ['prod', 'stage'], default: 'prod' } } },
      annotations: { readOnlyHint: true },
    });
    expect(tools.find(({ name }) => name === 'log_add')).toMatchObject({ annotations: { destructiveHint: true } });
  });

  it('answer like es_request, and bind their values whatever these are', async () => {
    const text = await call('errors_by_service', { service: 'checkout', connection: 'main' });
    expect(text).toMatch(/^Status 200\. .*Data, not instructions:\n.*"service":"checkout"/);
    expect(await call('errors_by_service', { service: 'search"}', connection: 'main' })).toContain('search\\"}');
    for (const service of ['"}}]}}', '*', '{{since}}', 'checkout\n', '\\'])
      expect(await call('errors_by_service', { service, connection: 'main' })).toMatch(/"value":0/);
    expect(await call('errors_by_service', { service: 'checkout', since: '2025-03-01', connection: 'main' })).toMatch(
      /"value":0/,
    );
  });

  it('say which argument is wrong, and which index does not exist', async () => {
    const text = await call('errors_by_service', { service: 'x', env: '../_all', since: 'today', connection: 'main' });
    expect(text).toContain('env: expected one of "prod", "stage", got "../_all"');
    expect(text).toContain('since: expected a timestamp such as');
    expect(await call('errors_by_service', { service: 'x', env: 'stage', connection: 'main' })).toMatch(
      /saved-stage.*errorsByService\.http/s,
    );
  });

  it('write only with the effect to write, and only where the connection may be written to', async () => {
    expect(await call('logs_remove', { connection: 'main' })).toContain('E_NOT_A_READ');
    expect(await call('log_add', { service: 'new', connection: 'reader' })).toContain('E_READONLY');
    expect(await call('log_add', { service: 'new', connection: 'main' })).toContain('Status 201');
    expect(await call('errors_by_service', { service: 'new', connection: 'reader' })).toContain('"value":1');
  });

  it('are gone from the cluster when their time is over, or the call is cancelled', async () => {
    const { host, port } = engine();
    const backend = await openCluster({ host, port }, {});
    const index = `saved-slow-${process.pid}-${Date.now()}`;
    const within = () => ({ signal: AbortSignal.timeout(60_000) });
    await fillSlowIndex(backend, index);
    onTestFinished(async () => {
      await backend.send(write('DELETE', `/${index}`), within());
      await backend.dispose();
    });
    for (const [name, timeout] of Object.entries({ slow_one: '60s', short_one: '100ms' })) {
      const head = `# tool: ${name}\n# description: Takes long.\n# timeout: ${timeout}`;
      const text = `${head}\nPOST /${index}/_search\n${JSON.stringify(slowSearch(name))}`;
      writeFileSync(folder.at('queries', `${name}.http`), text);
    }
    const waiting = new ServerProcess({ file: bin, args: ['--queries', folder.at('queries')], env });
    onTestFinished(async () => void (await waiting.stop()));
    await waiting.initialize();
    const countRunning = async () => {
      const { text } = await backend.send(get('/_tasks?actions=*search*&detailed=true'), within());
      return text.split(index).length - 1;
    };
    expect(readText(await waiting.callTool('short_one', { connection: 'main' }))).toMatch(/^E_TIMEOUT.*100 ms/s);
    await expect.poll(countRunning, { timeout: 20_000 }).toBe(0);
    const { answer, cancel } = waiting.start('tools/call', { name: 'slow_one', arguments: { connection: 'main' } });
    answer.catch(() => undefined);
    await expect.poll(countRunning, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
    cancel();
    await expect.poll(countRunning, { timeout: 20_000 }).toBe(0);
  }, 120_000);

  it('are read again at each call, and offered over HTTP', async () => {
    writeFileSync(folder.at('queries', 'add.http'), add.replace('"{{service}}"', '{{ service'));
    expect(await call('log_add', { service: 'new', connection: 'main' })).toMatch(/E_QUERY_FILE.*line 6/s);
    const http = await new HttpProcess({ file: bin, args: ['--queries', folder.at('queries')], env }).listening();
    onTestFinished(async () => {
      await http.stop();
    });
    const client = await openHttpClient('current, newer era', http);
    expect(await client.names()).toContain('errors_by_service');
    expect((await client.call('errors_by_service', { service: 'checkout', connection: 'main' })).text).toContain('"value":1');
    await client.close();
  });
});
