import { baseConnectionShape } from '@dbmole/core';
import * as z from 'zod';

export const engineTypes = ['postgres', 'mysql'] as const;
export type EngineType = (typeof engineTypes)[number];

const ownShape = {
  type: z.enum(engineTypes),
  database: z.string().min(1).optional(),
};

/** A connection as files, the environment and tools write it. MariaDB is `mysql`; what answers is found out on connecting. */
export const connectionSchema = z.strictObject({ ...baseConnectionShape, ...ownShape });

export type Connection = z.output<typeof connectionSchema>;

const defaultPorts: Record<EngineType, number> = { postgres: 5432, mysql: 3306 };

export function resolvePort(connection: Connection): number {
  return connection.port ?? defaultPorts[connection.type];
}
