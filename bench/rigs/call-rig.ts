import { fileURLToPath } from 'node:url';
import { type RunningEngine, type ServerId, startEngine, startTopology, type Topology } from '@dbmole/engines';
import { type DelayingProxy, startDelayingProxy } from '../../packages/dbmole-mcp/test/delaying-proxy.ts';
import { runDirect } from '../../packages/dbmole-mcp/test/direct.ts';
import { StdioServer } from '../stdio-server.ts';

const program = fileURLToPath(new URL('../../packages/dbmole-mcp/dist/main.js', import.meta.url));
/** The round trip to the server over the ways that are called far. */
export const roundTripMs = 30;
const database = 'calls';

const callWays = ['direct', 'tunnel', 'directFar', 'tunnelFar'] as const;
export type CallWay = (typeof callWays)[number];

/** Our server, with one database over four ways: at once and from far away, directly and behind a bastion. */
export interface CallRig {
  call(way: CallWay, tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

type Closers = (() => Promise<unknown>)[];

let current: { id: ServerId; rig: Promise<CallRig> } | undefined;

/** Opened once for all lines of an engine; the engine before it is stopped. */
export async function callRig(id: ServerId, node: string): Promise<CallRig> {
  if (current?.id !== id) {
    await closeCallRig();
    current = { id, rig: openRig(id, node) };
  }
  return await current.rig;
}

export async function closeCallRig(): Promise<void> {
  const last = current;
  current = undefined;
  // Why it could not be opened was said to the line that wanted it.
  await (await last?.rig.catch(() => undefined))?.close();
}

async function openRig(id: ServerId, node: string): Promise<CallRig> {
  const closers: Closers = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const server = await openServer(id, node, closers);
    return { call: (way, tool, args) => server.callTool(tool, { [nameArgument(tool)]: way, ...args }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const nameArgument = (tool: string) => (tool === 'test_connection' ? 'name' : 'connection');

async function openServer(id: ServerId, node: string, closers: Closers): Promise<StdioServer> {
  const engine = await startEngine(id);
  closers.push(() => engine.stop());
  await runDirect(engine, [`create database ${database}`]);
  await runDirect(engine, listTables(engine), engine.scheme === 'postgres' ? database : undefined);
  const topology = await startTopology();
  closers.push(() => topology.stop());
  const open = async (target: { host: string; port: number }): Promise<DelayingProxy> => {
    const proxy = await startDelayingProxy(target, roundTripMs / 2);
    closers.push(() => proxy.close());
    return proxy;
  };
  const far = { engine: await open(engine), bastion: await open(topology.bastion) };
  const server = new StdioServer({
    file: program,
    node,
    env: { DBMOLE_CONNECTIONS: JSON.stringify(connectionsOf(engine, topology, far)) },
  });
  closers.push(() => server.stop());
  await server.initialize();
  return server;
}

/** The number of tables that a page shows of a small schema. */
function listTables({ scheme }: RunningEngine): string[] {
  const prefix = scheme === 'postgres' ? '' : `${database}.`;
  return Array.from({ length: 20 }, (_, n) => `create table ${prefix}items_${n} (id int primary key, name text, price int)`);
}

function connectionsOf(
  { host, port, user, password, scheme }: RunningEngine,
  { bastion, privateKeyFile: privateKey }: Topology,
  far: Record<'engine' | 'bastion', DelayingProxy>,
): object[] {
  const account = { type: scheme === 'postgres' ? 'postgres' : 'mysql', user, password, database, host, port };
  const ssh = { user: bastion.user, privateKey, hostKeys: [bastion.hostKeyFingerprint], host: bastion.host, port: bastion.port };
  const ways: Record<CallWay, object> = {
    direct: {},
    tunnel: { ssh },
    directFar: { host: '127.0.0.1', port: far.engine.port },
    tunnelFar: { ssh: { ...ssh, host: '127.0.0.1', port: far.bastion.port } },
  };
  return callWays.map((name) => ({ ...account, ...ways[name], name }));
}
