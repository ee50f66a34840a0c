import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort, type RunningEngine, startEngine, startTopology, type Topology } from '@dbmole/engines';
import pg from 'pg';
import { openTunnel } from '../../packages/core/src/tunnel/open-tunnel.ts';
import type { Tunnel } from '../../packages/core/src/tunnel/tunnel.ts';

export const wayNames = ['direct', 'ssh', 'ours'] as const;
export type WayName = (typeof wayNames)[number];

/** The same driver on one session each: straight to the server, through a plain `ssh -L`, and through our stream. */
export interface TunnelRig {
  ways: Readonly<Record<WayName, pg.Client>>;
  close(): Promise<void>;
}

/** What is open of the rig so far, in the order in which it was opened. */
type Closers = (() => Promise<unknown>)[];

let current: Promise<TunnelRig> | undefined;

export async function tunnelRig(): Promise<TunnelRig> {
  current ??= openRig();
  return await current;
}

export async function closeTunnelRig(): Promise<void> {
  const last = current;
  current = undefined;
  // Why it could not be opened was said to the line that wanted it.
  await (await last?.catch(() => undefined))?.close();
}

async function openRig(): Promise<TunnelRig> {
  const closers: Closers = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return { ways: await openWays(closers), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWays(closers: Closers): Promise<TunnelRig['ways']> {
  const engine = await startEngine('postgres18');
  closers.push(() => engine.stop());
  const topology = await startTopology();
  closers.push(() => topology.stop());
  const port = await forward(engine, topology, closers);
  const tunnel = await openOurs(topology);
  closers.push(() => tunnel.close());
  const direct = await openClient(engine, {}, closers);
  const ssh = await openClient(engine, { host: '127.0.0.1', port }, closers);
  const ours = await openClient(engine, { stream: () => tunnel.stream(engine.host, engine.port) }, closers);
  return { direct, ssh, ours };
}

async function openClient(engine: RunningEngine, way: pg.ClientConfig, closers: Closers): Promise<pg.Client> {
  const { host, port, user, password } = engine;
  const client = new pg.Client({ host, port, user, password, database: 'postgres', ...way });
  await client.connect();
  closers.push(() => client.end());
  return client;
}

function openOurs({ bastion, privateKeyFile, knownHostsFile }: Topology): Promise<Tunnel> {
  const { host, port, user } = bastion;
  return openTunnel({
    route: { host, port, user, privateKey: privateKeyFile },
    env: process.env,
    home: bastion.directory,
    log: () => {},
    knownHostsFiles: [knownHostsFile],
  });
}

/** The port on which the machine's ssh listens. */
async function forward({ host, port }: RunningEngine, { sshConfigFile }: Topology, closers: Closers): Promise<number> {
  const free = await findFreePort('127.0.0.1');
  const args = [
    '-F',
    sshConfigFile,
    '-N',
    '-o',
    'ExitOnForwardFailure=yes',
    '-L',
    `127.0.0.1:${free}:${host}:${port}`,
    'bastion',
  ];
  const child = spawn('ssh', args, { stdio: 'ignore' });
  closers.push(() => end(child));
  while (!(await answers(free))) {
    if (child.exitCode !== null) throw new Error(`ssh -L ended with ${child.exitCode}`);
    await delay(50);
  }
  return free;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
