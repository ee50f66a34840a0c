import { baseConnectionShape, privateKeyRef, toolConnectionShape } from '@dbmole/core';
import * as z from 'zod';

export const engineTypes = ['postgres', 'mysql'] as const;
export type EngineType = (typeof engineTypes)[number];

const ownShape = {
  type: z.enum(engineTypes).describe('mysql for MariaDB too'),
  database: z.string().min(1).optional(),
};

const tlsMode = z.enum(['auto', 'disable', 'require', 'verify-ca', 'verify-full']);

/** A word, or the word with what it takes: PEM texts or files, and the name in the certificate when it is not `host`. */
const tls = z.union([
  tlsMode,
  z.strictObject({
    mode: tlsMode.optional(),
    ca: z.string().min(1).optional(),
    cert: z.string().min(1).optional(),
    key: privateKeyRef.optional(),
    serverName: z.string().min(1).optional(),
  }),
]);

/** A connection as files and the environment write it. What answers to `mysql` is found out on connecting. */
export const connectionSchema = z.strictObject({ ...baseConnectionShape, ...ownShape, tls: tls.optional() });

/** What a tool may say of it. */
export const toolSchema = z.strictObject({ ...toolConnectionShape, ...ownShape, tls: tlsMode.optional() });

export type Connection = z.output<typeof connectionSchema>;

const defaultPorts: Record<EngineType, number> = { postgres: 5432, mysql: 3306 };

export function resolvePort({ type, port }: Pick<Connection, 'type' | 'port'>): number {
  return port ?? defaultPorts[type];
}
