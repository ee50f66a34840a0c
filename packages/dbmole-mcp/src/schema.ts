import { baseConnectionShape, patchShapeOf, toolConnectionShape } from '@dbmole/core';
import * as z from 'zod';

export const engineTypes = ['postgres', 'mysql'] as const;
export type EngineType = (typeof engineTypes)[number];

const ownShape = {
  type: z.enum(engineTypes).describe('mysql for MariaDB too'),
  database: z.string().min(1).optional(),
};

/** A connection as files and the environment write it. What answers to `mysql` is found out on connecting. */
export const connectionSchema = z.strictObject({ ...baseConnectionShape, ...ownShape });

const toolShape = { ...toolConnectionShape, ...ownShape };
export const toolSchema = z.strictObject(toolShape);
export const patchSchema = z.strictObject(patchShapeOf(toolShape));

export type Connection = z.output<typeof connectionSchema>;

const defaultPorts: Record<EngineType, number> = { postgres: 5432, mysql: 3306 };

export function resolvePort({ type, port }: Pick<Connection, 'type' | 'port'>): number {
  return port ?? defaultPorts[type];
}
