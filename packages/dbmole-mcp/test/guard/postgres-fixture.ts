import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningEngine } from '@dbmole/engines';
import { Client } from 'pg';
import { removeLeftovers } from './postgres-leftovers.ts';
import { readSections, runSections, type SectionRun } from './postgres-sections.ts';

/** Who a person connects as: one may do everything, the other owns the database and its tables. */
export const roles = ['superuser', 'owner'] as const;
type Role = (typeof roles)[number];

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** What attacks need of the server, and what we need to see them. */
export const attackSettings = {
  wal_level: 'logical',
  max_prepared_transactions: '10',
  log_checkpoints: 'on',
  // Nothing may change by itself while we look.
  autovacuum: 'off',
  checkpoint_timeout: '1h',
};

const database = 'guard';
const template = 'guard_template';
const owner = { user: 'app', password: 'app-word' };
/** A role whose names are found in another schema first. */
export const shadowed = { user: 'shadowed', password: 'shadowed-word' };

/** A server with the database that the cases are written for. */
export interface PostgresFixture {
  readonly version: string;
  /** A folder that the server may write to. */
  readonly out: string;
  /** The server's own. */
  readonly directory: string;
  /** What of it could be installed: not every machine has every language. */
  readonly extensions: ReadonlySet<string>;
  /** The values of the placeholders in the cases; they change after `restore`. */
  values(): Readonly<Record<string, string | number>>;
  login(role: Role): Login;
  /** A session of the owner's that attacks may kill, and that listens. */
  victim(): Victim;
  /** Recreates the database, and removes what attacks left outside of it. */
  restore(): Promise<void>;
  dispose(): Promise<void>;
}

interface Victim {
  readonly client: Client;
  readonly pid: number;
  readonly heard: string[];
}

/** `more` are further files of `fixtures/`. */
export async function createFixture(engine: RunningEngine, more: readonly string[] = []): Promise<PostgresFixture> {
  const { directory, host, port, user, password, version } = engine;
  if (directory === undefined) throw new Error('the cases change a whole server, so it must be an owned process');
  const out = await mkdtemp(join(tmpdir(), 'dbmole-guard-'));
  // The server runs as another user where we are root.
  await chmod(out, 0o777);
  const dsn = `host=127.0.0.1 port=${port} dbname=${database} user=${owner.user} password=${owner.password}`;
  const values = { PORT: port, OUT: out, ...formatCalls(dsn) };
  const admin = new Client({ host, port, user, password, database: 'postgres' });
  await admin.connect();
  const extensions = await createTemplate(admin, { host, port, user, password }, { version, values, more });

  let victim: Victim | undefined;
  const fixture: PostgresFixture = {
    version,
    out,
    directory,
    extensions,
    values: () => ({ ...values, VICTIM: fixture.victim().pid }),
    login: (role) => ({ host, port, database, ...(role === 'superuser' ? { user, password } : owner) }),
    victim() {
      if (victim === undefined) throw new Error('restore first');
      return victim;
    },
    async restore() {
      await victim?.client.end();
      await removeLeftovers(admin, fixture);
      await admin.query(`create database ${database} template ${template} owner app`);
      await emptyFolder(out);
      victim = await createVictim(fixture.login('owner'));
      await createSlots(fixture.login('superuser'));
    },
    async dispose() {
      await victim?.client.end();
      await admin.end();
      await rm(out, { recursive: true, force: true });
    },
  };
  await fixture.restore();
  return fixture;
}

/** A write through a second connection, in statements, in literals, and where quotes are not allowed. */
function formatCalls(dsn: string) {
  const call = `dblink_exec('${dsn}', 'insert into witness values (''x'')')`;
  return {
    DSN: dsn,
    CALL: call,
    QUOTED: call.replaceAll("'", "''"),
    DOLLARS: `dblink_exec($$${dsn}$$, $$insert into witness values ('x')$$)`,
    MANY: Array.from({ length: 1_000 }, (_, index) => `'${index}'`).join(', '),
  };
}

async function createTemplate(
  admin: Client,
  server: Omit<Login, 'database'>,
  { version, values, more }: Pick<SectionRun, 'version' | 'values'> & { more: readonly string[] },
): Promise<ReadonlySet<string>> {
  await admin.query(`create role app login password '${owner.password}'`);
  await admin.query(`create role shadowed login password '${shadowed.password}'`);
  await admin.query('alter role shadowed set search_path = shadow, pg_catalog, public');
  // Under the name it is attacked by: some of it connects to itself while it is made.
  await admin.query(`create database ${database} owner app`);
  const run = { login: { ...server, database }, owner, version, values };
  for (const name of ['postgres-ordinary', 'postgres-attack', ...more]) await runSections(readSections(name), run);
  const extensions = await listExtensions(run.login);
  await admin.query(`alter database ${database} rename to ${template}`);
  return extensions;
}

async function listExtensions(login: Login): Promise<ReadonlySet<string>> {
  const client = new Client(login);
  await client.connect();
  const { rows } = await client.query<{ extname: string }>('select extname from pg_extension');
  await client.end();
  return new Set(rows.map(({ extname }) => extname));
}

async function createVictim(login: Login): Promise<Victim> {
  const client = new Client({ ...login, application_name: 'victim' });
  const heard: string[] = [];
  // It may be killed.
  client.on('error', () => heard.push('killed'));
  client.on('notification', ({ channel }) => heard.push(channel));
  await client.connect();
  await client.query('listen pwn');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { client, pid: rows[0]?.pid ?? 0, heard };
}

/** A logical slot belongs to a database, and goes before it. */
async function createSlots(login: Login): Promise<void> {
  const client = new Client(login);
  await client.connect();
  try {
    await client.query("select pg_create_physical_replication_slot('kept_physical', true)");
    await client.query("select pg_create_logical_replication_slot('kept_logical', 'test_decoding')");
    await client.query("select pg_replication_origin_create('kept_origin')");
    await client.query("insert into child values (9, 1, 'decoded')");
  } finally {
    await client.end();
  }
}

async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
