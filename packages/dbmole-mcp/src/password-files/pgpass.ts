import { join } from 'node:path';
import type { SourceRequest } from '@dbmole/core';
import { missingFile, openToOthers, type PasswordFile, readPasswordFile, variable } from './password-file.ts';

/** A line of `.pgpass`; a field that is undefined fits everything. */
export interface PgpassLine {
  host: string | undefined;
  port: string | undefined;
  database: string | undefined;
  user: string | undefined;
  password: string;
}

interface PgpassKey {
  host: string;
  port: number;
  database: string;
  user: string;
}

/** Where the servers' own socket lies by default; the file calls all of these localhost. */
const socketFolders = ['/tmp', '/var/run/postgresql', '/run/postgresql'];

function pgpassPath({ env, home }: Pick<SourceRequest, 'env' | 'home'>): string {
  const appData = process.platform === 'win32' ? variable(env, 'APPDATA') : undefined;
  return variable(env, 'PGPASSFILE') ?? (appData ? join(appData, 'postgresql', 'pgpass.conf') : join(home, '.pgpass'));
}

export function openPgpass(request: Pick<SourceRequest, 'env' | 'home'>): PasswordFile | undefined {
  return readPasswordFile(pgpassPath(request), openToOthers.toRead);
}

/** The password of the first line that fits, as for every program that uses the file. */
export function passwordFromPgpass(key: PgpassKey, request: SourceRequest): string | undefined {
  const file = openPgpass(request);
  if (file === undefined) throw missingFile(pgpassPath(request));
  return findPassword(parsePgpass(file.text), key);
}

export function findPassword(lines: readonly PgpassLine[], key: PgpassKey): string | undefined {
  const host = socketFolders.includes(key.host) ? 'localhost' : key.host;
  const wanted = { ...key, host, port: String(key.port) };
  const fits = (line: PgpassLine, field: keyof PgpassKey) => line[field] === undefined || line[field] === wanted[field];
  return lines.find((line) => (['host', 'port', 'database', 'user'] as const).every((field) => fits(line, field)))?.password;
}

/** Comments, and lines that are none, are passed over. */
export function parsePgpass(text: string): PgpassLine[] {
  return text.split('\n').flatMap((line): PgpassLine[] => {
    const plain = line.replace(/\r$/, '');
    const [host, port, database, user, password] = plain.startsWith('#') ? [] : splitFields(plain);
    if (host === undefined || port === undefined || database === undefined || user === undefined) return [];
    if (password === undefined) return [];
    const [h, p, d, u] = [host, port, database, user].map((field) => (field === '*' ? undefined : unescapeField(field)));
    return [{ host: h, port: p, database: d, user: u, password: unescapeField(password) }];
  });
}

/** Splits at colons without a backslash before them. */
function splitFields(line: string): string[] {
  return [...`:${line}`.matchAll(/:((?:\\.|[^:\\]|\\$)*)/g)].map(([, field = '']) => field);
}

function unescapeField(field: string): string {
  return field.replace(/\\(.)/g, '$1');
}
