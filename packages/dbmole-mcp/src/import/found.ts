import type { FoundConnection } from '@dbmole/core';
import type { EngineType } from '../connection/connection-url.ts';
import { publicView } from '../connection/public-view.ts';

/** What is known of a connection wherever it is found; the names are those of its fields. */
export interface FoundFields {
  type: EngineType;
  host: string;
  user: string;
  port?: number;
  database?: string;
  schema?: string;
  /** A secret that would be copied. */
  password?: string;
  tls?: unknown;
}

export interface FoundOptions {
  name: string;
  fields: FoundFields;
  references?: FoundConnection['references'];
  /** Where the password is, for the person. */
  password: string;
}

export function foundConnection({ name, fields, references = {}, password }: FoundOptions): FoundConnection {
  const shown = publicView({ ...fields, port: fields.port, database: fields.database, schema: fields.schema });
  const copies = fields.password !== undefined;
  return { name, fields: { ...fields }, references, shown, password, ...(copies && { copies }) };
}

/** The first label of a host says more than all of it. */
export function nameOfPlace({ database, host }: Pick<FoundFields, 'database' | 'host'>): string {
  return database ?? (/^[\d.]+$|:/.test(host) ? host : (host.split('.')[0] ?? host));
}
