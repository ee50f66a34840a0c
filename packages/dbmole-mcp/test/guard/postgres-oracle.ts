import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { formatFingerprint } from './postgres-fingerprint.ts';
import type { PostgresFixture } from './postgres-fixture.ts';

/** Parts of the server and what each of them looks like. */
export type Fingerprint = Readonly<Record<string, string>>;

/** Sees from a connection of its own, and in the files of the server, what has changed. */
export interface Oracle {
  look(): Promise<Fingerprint>;
  /** What the server wrote into its log since it was read last. */
  readLog(): string;
  dispose(): Promise<void>;
}

/** Remembers the database as it is now; after a `restore`, take it again. */
export async function createOracle(fixture: PostgresFixture): Promise<Oracle> {
  const client = new Client(fixture.login('superuser'));
  await client.connect();
  // Who locks a table out of our sight has done something. And our own statements are long, and the log is looked at.
  await client.query("set lock_timeout = '500ms'; set log_statement = 'none'");
  const text = await formatFingerprint(client, fixture.version);
  const log = openLog(join(fixture.directory, 'log'));
  return {
    async look() {
      const { rows } = await client.query<{ found: Fingerprint }>({ name: 'look', text });
      return { ...rows[0]?.found, ...lookAtFiles(fixture), ...lookAtVictim(fixture), log: notable(log.read()) };
    },
    readLog: log.read,
    async dispose() {
      log.close();
      await client.end();
    },
  };
}

/** The parts that differ. A log is what was written since the look before, so it speaks for itself. */
export function differences(before: Fingerprint, after: Fingerprint): string[] {
  const names = Object.keys({ ...before, ...after }).filter((name) => name !== 'log');
  const changed = names.filter((name) => before[name] !== after[name]).map((name) => formatChange(name, before, after));
  return after.log ? [...changed, `log: ${after.log}`] : changed;
}

function formatChange(name: string, before: Fingerprint, after: Fingerprint): string {
  return `${name}: ${before[name]} -> ${after[name]}`;
}

/** Where servers write what is not a table. Their own folders change with every checkpoint, and are looked at by name only. */
function lookAtFiles({ directory, out }: PostgresFixture): Fingerprint {
  const data = join(directory, 'data');
  const quiet = ['.', 'pg_snapshots', 'pg_twophase', 'pg_replslot', 'pg_tblspc', 'pg_dynshmem', 'pg_stat'];
  const listings = quiet.map((folder) => [`files in ${folder}`, list(join(data, folder))]);
  return {
    ...Object.fromEntries(listings),
    'files out': list(out),
    'file postgresql.auto.conf': readFileSync(join(data, 'postgresql.auto.conf'), 'utf8'),
  };
}

function list(folder: string): string {
  return readdirSync(folder).sort().join(' ');
}

function lookAtVictim(fixture: PostgresFixture): Fingerprint {
  const { heard } = fixture.victim();
  return { 'heard by another session': heard.join(' ') };
}

/** What the server says of itself, rather than of a statement. */
function notable(text: string): string {
  const own = /\] (?:LOG: {2}(?!execute|statement|duration|could not|unexpected EOF)|FATAL|PANIC).*/g;
  return [...text.matchAll(own)].map(([line]) => line.slice(2)).join('; ');
}

function openLog(path: string) {
  const file = openSync(path, 'r');
  let offset = fstatSync(file).size;
  return {
    read(): string {
      const bytes = Buffer.alloc(fstatSync(file).size - offset);
      offset += readSync(file, bytes, 0, bytes.length, offset);
      return bytes.toString();
    },
    close: () => closeSync(file),
  };
}
