import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

describe.each(engines)('the health of %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const index = `health-${id}`;
  let tools: TestClient;
  let writer: TestClient;

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    // A replica is never on the node of its primary, and there is only one node.
    const body = { settings: { number_of_shards: 1, number_of_replicas: 1 } };
    await writer.call('es_request', { method: 'PUT', path: `/${index}`, body });
    const nowhere = { number_of_shards: 1, number_of_replicas: 0, 'index.routing.allocation.require._name': 'nowhere' };
    const params = { wait_for_active_shards: 0, timeout: '1s' };
    await writer.call('es_request', { method: 'PUT', path: `/${index}-lost`, params, body: { settings: nowhere } });
  }, 60_000);

  afterAll(async () => {
    await writer.call('es_request', { method: 'DELETE', path: `/${index},${index}-lost` });
    await Promise.all([tools.close(), writer.close()]);
  });

  it('says which shards are missing, and why', async () => {
    const { text } = await tools.call('es_cluster_health', { index: `${index}*` });
    expect(text).toMatch(/^red \(these indices only\): 1 node, 1 with data, 1 of 3 shards active \(33\.3 %\), 2 unassigned\./);
    expect(text).toContain(`red (1): ${index}-lost\nyellow (1): ${index}\n`);
    expect(text).toMatch(/^high: 1 unassigned primary, INDEX_CREATED.*-lost\[0\]: filter: .*nowhere/m);
    expect(text).toMatch(/^medium: 1 unassigned replica, INDEX_CREATED.*\[0\]: same_shard: /m);
    expect(text).toContain(`Next: Add a node, or keep no copy: PUT /${index}/_settings`);
    expect(text.length).toBeLessThan(1_600);
  });

  it('reports the whole cluster without an index', async () => {
    expect((await tools.call('es_cluster_health')).text).toMatch(/^red: 1 node, 1 with data.*\ncluster: /);
  });

  it('offers names for a missing index', async () => {
    const { structured } = await tools.call('es_cluster_health', { index: `${index}-lst` });
    expect(structured).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: expect.arrayContaining([`${index}-lost`]) });
  });

  it('reports only what the connection may see', async () => {
    const narrow = await openTools(engine(), { indices: [`${index}*`] });
    const { text } = await narrow.call('es_cluster_health');
    expect(text).toMatch(/^red: .*1 of 3 shards active.*The cluster does not explain why: /);
    expect(text).toContain(`red (1): ${index}-lost`);
    await narrow.close();
  });
});

it('says what a user may not see, and shows the rest', async () => {
  const denied = JSON.stringify({ error: { type: 'security_exception', reason: 'unauthorized' } });
  const health = {
    cluster_name: 'c',
    status: 'yellow',
    number_of_nodes: 2,
    number_of_data_nodes: 2,
    active_shards: 1,
    unassigned_shards: 1,
    number_of_pending_tasks: 1,
  };
  const node = await startNode({
    answer: (response, { url = '' }) => {
      const isOpen = url === '/' || url.startsWith('/_cluster/health');
      response.writeHead(isOpen ? 200 : 403, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      response.end(isOpen ? JSON.stringify(url === '/' ? { version: { number: '9.1.0' } } : health) : denied);
    },
  });
  const tools = await openTools({ scheme: 'http', host: node.host, port: node.port });
  const { text } = await tools.call('es_cluster_health');
  expect(text).toMatch(
    /^yellow: 2 nodes, .*1 of 2 shards active.*Which shards are missing cannot be seen: .*Pending tasks cannot be seen: /,
  );
  await tools.close();
  await node.close();
});
