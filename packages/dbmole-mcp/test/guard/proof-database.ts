import type { RunningEngine } from '@dbmole/engines';
import pg from 'pg';
import { direct } from '../engines/postgres-fixture.ts';
import type { Login } from './postgres-fixture.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { readSections, runSections } from './postgres-sections.ts';

/** A database of the shared server, with an owner who may do nothing elsewhere. */
export interface ProofDatabase {
  readonly superuser: Login;
  readonly owner: Login;
  /** By the superuser, past our own code. */
  run(sql: string): Promise<Record<string, unknown>[]>;
  dispose(): Promise<void>;
}

/** `fixture` is the name of a file beside; undefined: an empty database. */
export async function createProofDatabase(server: RunningEngine, name: string, fixture?: string): Promise<ProofDatabase> {
  const { host, port, user, password, version } = server;
  const owner = { user: `${name}_owner`, password: 'owner-word' };
  const drop = async () => {
    await direct(server, `drop database if exists ${name} with (force)`);
    await direct(server, `drop role if exists ${owner.user}`);
  };
  await drop();
  await direct(server, `create role ${owner.user} login password '${owner.password}'`);
  await direct(server, `create database ${name} owner ${owner.user}`);
  const superuser = { host, port, user, password, database: name };
  await direct({ ...server, database: name }, `alter schema public owner to ${owner.user}`);
  if (fixture !== undefined) {
    const sections = readSections(fixture).map((section) => ({
      ...section,
      sql: section.sql.replaceAll('to app;', `to ${owner.user};`),
    }));
    await runSections(sections, { login: superuser, owner, version, values: {} });
  }
  return {
    superuser,
    owner: { ...superuser, ...owner },
    run: (sql) => direct({ ...server, database: name }, sql),
    dispose: drop,
  };
}

export interface Planter {
  run(sql: string): Promise<Record<string, unknown>[]>;
  /** Runs what leaves nothing in the session. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** A session past our own code, for tests that would spend their time on connecting. Each run begins with a session as good as new. */
export async function openPlanter(login: Login): Promise<Planter> {
  const client = new pg.Client(login);
  await client.connect();
  const ask = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
  return {
    ask,
    async run(sql) {
      try {
        return await ask(sql);
      } finally {
        await client.query('rollback');
        await client.query('discard all');
      }
    },
    close: () => client.end(),
  };
}

export async function withGuarded<T>(login: Login, use: (guarded: Guarded) => Promise<T>): Promise<T> {
  const guarded = await openGuarded(login);
  try {
    return await use(guarded);
  } finally {
    await guarded.backend.dispose();
  }
}
