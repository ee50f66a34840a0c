import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { PostgresFixture } from './postgres-fixture.ts';

const kept = {
  databases: ['postgres', 'template0', 'template1', 'test', 'guard_template'],
  roles: ['postgres', 'app', 'shadowed'],
};

/** What attacks leave in the whole server, the database among it. */
export async function removeLeftovers(admin: Client, fixture: PostgresFixture): Promise<void> {
  await releaseDatabase(admin, fixture);
  await dropSlots(admin);
  await each(admin, 'select roname from pg_replication_origin', (name) => `select pg_replication_origin_drop('${name}')`);
  await each(admin, `select datname from pg_database where datname <> all ('{${kept.databases}}')`, (name) => dropDatabase(name));
  await each(
    admin,
    `select rolname from pg_roles where rolname !~ '^pg_' and rolname <> all ('{${kept.roles}}')`,
    (name) => `drop role "${name}"`,
  );
  await resetRoles(admin);
  await admin.query('alter system reset all');
  await admin.query('select pg_reload_conf()');
  await removeFiles(fixture);
}

function dropDatabase(name: string): string {
  return `drop database "${name}" with (force)`;
}

async function each(admin: Client, list: string, statement: (name: string) => string): Promise<void> {
  const { rows } = await admin.query<[string]>({ text: list, rowMode: 'array' });
  for (const [name] of rows) await admin.query(statement(name));
}

/** What holds the database is ended in it. */
async function releaseDatabase(admin: Client, fixture: PostgresFixture): Promise<void> {
  const prepared = "select format('rollback prepared %L', gid) from pg_prepared_xacts";
  const subscribed = `select format('alter subscription %I set (slot_name = none)', subname) from pg_subscription
    union all select format('drop subscription %I', subname) from pg_subscription`;
  const { rows } = await admin.query<[string]>({ text: `${prepared} union all ${subscribed}`, rowMode: 'array' });
  if (rows.length === 0) return;
  const client = new Client(fixture.login('superuser'));
  await client.connect();
  for (const [statement] of rows) await client.query(statement);
  await client.end();
}

async function dropSlots(admin: Client): Promise<void> {
  await admin.query('select pg_terminate_backend(active_pid) from pg_replication_slots where active');
  await each(admin, 'select slot_name from pg_replication_slots', (name) => `select pg_drop_replication_slot('${name}')`);
}

async function resetRoles(admin: Client): Promise<void> {
  await admin.query("alter role app nosuperuser nocreaterole nocreatedb noreplication nobypassrls login password 'app-word'");
  await admin.query('alter role app reset all');
  await admin.query('alter role postgres reset all');
  await admin.query('alter role all reset all');
}

async function removeFiles({ directory }: PostgresFixture): Promise<void> {
  const data = join(directory, 'data');
  for (const name of await readdir(data)) if (name.startsWith('pwn')) await rm(join(data, name), { recursive: true });
}
