import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openTools } from './open-tools.ts';

const connection = { name: 'main', type: 'postgres', host: '127.0.0.1', port: 1, user: 'me', readonly: false } as const;

async function listed(env: Record<string, string>): Promise<{ tools: string[]; connections: string }> {
  const tools = await openTools([connection], env);
  try {
    const { tools: definitions } = await tools.client.listTools();
    const connections = definitions.some(({ name }) => name === 'list_connections');
    return {
      tools: definitions.map(({ name }) => name),
      connections: connections ? (await tools.call('list_connections')).text : '',
    };
  } finally {
    await tools.close();
  }
}

it('is read-only as a whole, and offers no tool that only writes', async () => {
  const open = await listed({});
  const closed = await listed({ DBMOLE_READONLY: '1' });
  expect(open.tools.filter((name) => !closed.tools.includes(name))).toEqual(['execute']);
  expect(open.connections).toMatch(/^main,.*,false,/m);
  expect(closed.connections).toMatch(/^main,.*,true,/m);
});

it('offers the tools that a person named', async () => {
  const { tools } = await listed({ DBMOLE_TOOLS: 'query, list_connections' });
  expect(tools.toSorted()).toEqual(['list_connections', 'query']);
  await expect(listed({ DBMOLE_TOOLS: 'query,qery' })).rejects.toMatchObject({ kind: 'input', nearest: ['query'] });
});

it('has the time limit that a person gave', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const tools = await openTools([{ ...connection, port }], { DBMOLE_TIMEOUT: '100ms' });
  expect((await tools.call('query', { sql: 'select 1' })).text).toMatch(/^E_TIMEOUT.*\b100 ms/);
  await tools.close();
  silent.close();
  await expect(listed({ DBMOLE_TIMEOUT: 'soon' })).rejects.toMatchObject({ kind: 'input' });
});
