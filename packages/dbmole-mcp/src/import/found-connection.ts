import { basename, extname } from 'node:path';
import { type FoundConnection, UrlError } from '@dbmole/core';
import { parseConnectionUrl } from '../connection/connection-url.ts';
import { publicServerView, type ServerConnection } from '../connection/schema.ts';

/** What is known of a connection wherever it is found; the names are those of its fields. */
export interface FoundFields {
  type: ServerConnection['type'];
  host: string;
  user: string;
  port?: number;
  database?: string;
  schema?: string;
  /** A secret that would be copied. */
  password?: string;
  tls?: unknown;
}

interface FoundOptions {
  name: string;
  fields: FoundFields;
  references?: FoundConnection['references'];
  /** Where the password is, for the person. */
  password: string;
}

export function foundConnection({ name, fields, references = {}, password }: FoundOptions): FoundConnection {
  const shown = publicServerView({ ...fields, port: fields.port, database: fields.database, schema: fields.schema });
  const copies = fields.password !== undefined;
  return { name, fields: { ...fields }, references, shown, password, ...(copies && { copies }) };
}

/** A SQLite file, by its absolute path. */
export function foundFile(name: string, file: string): FoundConnection {
  const fields = { type: 'sqlite', file };
  return { name, fields, references: {}, shown: fields, password: 'none' };
}

/** The name without its ending, with what a connection may be called. */
export function nameOfFile(file: string): string {
  return (
    basename(file, extname(file))
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .slice(0, 64) || 'database'
  );
}

/** The first label of a host says more than all of it. */
export function nameOfPlace({ database, host }: Pick<FoundFields, 'database' | 'host'>): string {
  return database ?? (/^[\d.]+$|:/.test(host) ? host : (host.split('.')[0] ?? host));
}

interface TlsWords {
  /** The word of another program. */
  mode: string | undefined;
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

/** The field `tls`, if it is configured; or why it cannot be imported. */
export function tlsFields({ mode: word, ca, cert, key }: TlsWords): { tls?: unknown } | string {
  const mode = word === undefined ? undefined : readMode(word);
  if (word !== undefined && mode === undefined) return 'has a TLS mode that is not known here';
  const files = { ...(ca && ca !== 'system' && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (Object.keys(files).length > 0) return { tls: { ...(mode !== undefined && { mode }), ...files } };
  return mode === undefined ? {} : { tls: mode };
}

/** The words are those of a URL. */
function readMode(word: string): string | undefined {
  try {
    return parseConnectionUrl(`postgres://host?tls=${encodeURIComponent(word)}`).tls;
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}
