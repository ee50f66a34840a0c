import type { Findings, FoundConnection, Importer, ImportPlace } from '@dbmole/core';
import { variable } from '../password-files/password-file.ts';
import { openPgService, parsePgService } from '../password-files/pg-service.ts';
import { findPassword, openPgpass, parsePgpass } from '../password-files/pgpass.ts';
import { foundConnection } from './found.ts';
import { tlsFields } from './tls-fields.ts';

/** Every service is a connection. */
export const pgServiceImporter: Importer = { source: 'pg_service.conf', find };

type Service = ReadonlyMap<string, string>;

function find(place: ImportPlace): Findings {
  const file = openPgService(place);
  if (file === undefined) return { found: [], notes: [] };
  const found: FoundConnection[] = [];
  const notes: string[] = [];
  for (const [name, service] of parsePgService(file.text)) {
    const one = fromService(name, service, { place, path: file.path });
    if (typeof one === 'string') notes.push(`${file.path}: the service ${name} ${one}`);
    else found.push(one);
  }
  return { found, notes };
}

/** Or why it cannot be one. */
function fromService(name: string, service: Service, from: { place: ImportPlace; path: string }): FoundConnection | string {
  const { env } = from.place;
  // It would be expanded in the reference to it.
  if (name.includes('${')) return 'has a ${ in its name';
  const host = service.get('host') ?? service.get('hostaddr') ?? 'localhost';
  const user = service.get('user') ?? variable(env, 'PGUSER') ?? variable(env, 'USER');
  if (user === undefined) return 'names no user';
  if (host.includes(',') || host.startsWith('/')) return 'names several hosts, or a socket';
  const port = service.get('port');
  const database = service.get('dbname');
  const fields = { type: 'postgres' as const, host, user, ...(port && { port: Number(port) }), ...(database && { database }) };
  const tls = tlsFields({
    mode: service.get('sslmode'),
    ca: service.get('sslrootcert'),
    cert: service.get('sslcert'),
    key: service.get('sslkey'),
  });
  if (typeof tls === 'string') return tls;
  return foundConnection({ name, fields: { ...fields, ...tls }, ...passwordOf(name, { service, fields, ...from }) });
}

interface Looked {
  service: Service;
  fields: { host: string; user: string; port?: number; database?: string };
  place: ImportPlace;
  path: string;
}

function passwordOf(name: string, { service, fields, place, path }: Looked) {
  if (service.has('password')) {
    return { references: { password: { from: 'pg_service.conf', name } }, password: `stays in ${path}` };
  }
  const { host, user, port = 5432, database = user } = fields;
  const file = openPgpass(place);
  const isThere = file !== undefined && findPassword(parsePgpass(file.text), { host, port, user, database });
  return isThere ? { references: { password: { from: 'pgpass' } }, password: `stays in ${file.path}` } : { password: 'none' };
}
