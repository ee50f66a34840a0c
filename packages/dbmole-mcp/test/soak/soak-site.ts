import { mkdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerProcess } from '@dbmole/core/testing';
import { type RunningEngine, type ServerId, startEngine, startTopology, type Topology } from '@dbmole/engines';
import { bin } from '../bin.ts';
import { type Account, createAccount, runDirect } from '../direct.ts';

/** One of the connections that are asked. */
export interface SoakConnection {
  name: string;
  type: 'postgres' | 'mysql';
  engine: RunningEngine;
  tunnelled: boolean;
  readonly: boolean;
}

export interface SoakSite {
  server: ServerProcess;
  connections: readonly SoakConnection[];
  engines: readonly RunningEngine[];
  topology: Topology;
  stop(): Promise<void>;
}

/** Its sessions are counted, so it must not be shared. */
export const soakUser = 'soak';

const engineIds: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

/** The engine of each connection, and how it is reached; the last two columns are `tunnelled` and `readonly`. */
const plan: readonly [name: string, id: ServerId, tunnelled: boolean, readonly: boolean][] = [
  ['pg', 'postgres18', false, false],
  ['pg-readonly', 'postgres18', false, true],
  ['pg-tunnel', 'postgres18', true, false],
  ['mysql', 'mysql97', false, false],
  ['mysql-readonly', 'mysql97', false, true],
  ['mysql-tunnel', 'mysql97', true, false],
  ['maria', 'mariadb1011', false, false],
  ['maria-tunnel', 'mariadb1011', true, false],
];

/** Three engines, a bastion in front of them, and the built server with eight connections. */
export async function openSoakSite(): Promise<SoakSite> {
  const opened: { stop(): Promise<unknown> }[] = [];
  const keep = <T extends { stop(): Promise<unknown> }>(thing: T): T => {
    opened.push(thing);
    return thing;
  };
  const stop = async () => {
    for (const thing of opened.splice(0).reverse()) await thing.stop();
  };
  try {
    const topology = keep(await startTopology());
    const engines: RunningEngine[] = [];
    for (const id of engineIds) engines.push(keep(await startEngine(id, { restartable: true })));
    const accounts = await Promise.all(engines.map(openAccount));
    const connections = plan.map(([name, id, tunnelled, readonly]): SoakConnection => {
      const engine = engines.find((one) => one.id === id);
      if (engine === undefined) throw new Error(`${id} is not among the engines`);
      return { name, type: engine.scheme === 'postgres' ? 'postgres' : 'mysql', engine, tunnelled, readonly };
    });
    const config = connections.map((connection) => configOf(connection, accounts[engines.indexOf(connection.engine)], topology));
    const server = keep(new ServerProcess({ file: bin, env: { DBMOLE_CONNECTIONS: JSON.stringify(config) } }));
    mkdirSync(join(server.home, '.ssh'));
    await copyFile(topology.knownHostsFile, join(server.home, '.ssh', 'known_hosts'));
    await server.initialize();
    return { server, connections, engines, topology, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openAccount(engine: RunningEngine): Promise<Account> {
  const account = await createAccount(engine, soakUser);
  const serial = account.type === 'postgres' ? 'bigint generated always as identity' : 'bigint auto_increment';
  const own = { ...engine, user: account.user, password: account.password };
  await runDirect(own, [`create table notes (id ${serial} primary key, note varchar(100) not null)`], account.database);
  return account;
}

function configOf({ name, tunnelled, readonly }: SoakConnection, account: Account | undefined, topology: Topology): object {
  const { host, port, user } = topology.bastion;
  const ssh = tunnelled ? { ssh: { host, port, user, privateKey: topology.privateKeyFile } } : {};
  return { ...account, name, readonly, ...ssh };
}
