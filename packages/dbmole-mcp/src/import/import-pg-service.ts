import { type Findings, type FoundConnection, formatAdvice, type Importer, type ImportPlace, toFailure } from '@dbmole/core';
import { variable } from '../password-files/password-file.ts';
import { openPgService, parsePgService } from '../password-files/pg-service.ts';
import { findPassword, openPgpass, type PgpassLine, parsePgpass } from '../password-files/pgpass.ts';
import { foundConnection, tlsFields } from './found-connection.ts';

/** Every service is a connection. */
export const pgServiceImporter: Importer = { source: 'pg_service.conf', find };

type Service = ReadonlyMap<string, string>;

interface Pgpass {
  path: string;
  lines: readonly PgpassLine[];
}

/** What is wrong with this file is no reason to lose the services, whose passwords may be elsewhere. */
function readPgpass(place: ImportPlace): { pgpass?: Pgpass; notes: string[] } {
  try {
    const file = openPgpass(place);
    return file === undefined ? { notes: [] } : { pgpass: { path: file.path, lines: parsePgpass(file.text) }, notes: [] };
  } catch (error) {
    const failure = toFailure(error);
    return { notes: [`${failure.code}: ${formatAdvice(failure, { program: 'dbmole-mcp' })}`] };
  }
}

function find(place: ImportPlace): Findings {
  const file = openPgService(place);
  if (file === undefined) return { found: [], notes: [] };
  const found: FoundConnection[] = [];
  const { pgpass, notes } = readPgpass(place);
  for (const [name, service] of parsePgService(file.text)) {
    const one = fromService(name, service, { place, path: file.path, pgpass });
    if (typeof one === 'string') notes.push(`${file.path}: the service ${name} ${one}`);
    else found.push(one);
  }
  return { found, notes };
}

interface From {
  place: ImportPlace;
  path: string;
  pgpass: Pgpass | undefined;
}

/** Returns a proposal, or why it cannot be one. */
function fromService(name: string, service: Service, from: From): FoundConnection | string {
  const { env } = from.place;
  // It would be expanded in the reference to it.
  if (name.includes('${')) return 'has a ${ in its name';
  const host = service.get('host') ?? service.get('hostaddr') ?? 'localhost';
  const user = service.get('user') ?? variable(env, 'PGUSER') ?? variable(env, 'USER');
  if (user === undefined) return 'names no user';
  if (host.includes(',')) return 'names several hosts';
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
  return foundConnection({ name, fields: { ...fields, ...tls }, ...readPassword(name, { service, fields, ...from }) });
}

interface Looked extends From {
  service: Service;
  fields: { host: string; user: string; port?: number; database?: string };
}

function readPassword(name: string, { service, fields, path, pgpass }: Looked) {
  if (service.has('password')) {
    return { references: { password: { from: 'pg_service.conf', name } }, password: `read from ${path}` };
  }
  const { host, user, port = 5432, database = user } = fields;
  const isThere = pgpass !== undefined && findPassword(pgpass.lines, { host, port, user, database });
  return isThere ? { references: { password: { from: 'pgpass' } }, password: `read from ${pgpass.path}` } : { password: 'none' };
}
