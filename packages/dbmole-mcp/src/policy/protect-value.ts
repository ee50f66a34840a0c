import { randomBytes } from 'node:crypto';
import { createProtectValue, listColumnLayers, type ProtectValue, readPseudonymKey } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';

/**
 * Undefined for a connection that protects no column. The key of pseudonyms belongs to the connection's name and place, so that they
 * stay the same and no other connection has them. Without a folder they change with each process.
 */
export async function openProtectValue(config: Connection, folder: string | undefined): Promise<ProtectValue | undefined> {
  if (listColumnLayers(config) === undefined) return undefined;
  const { name, type, host, port } = config;
  const key = folder === undefined ? randomBytes(32) : await readPseudonymKey(folder, `${name} ${type}://${host}:${port ?? ''}`);
  return createProtectValue(key);
}
