import { baseConnectionShape, patchShapeOf, toolConnectionShape } from '@dbmole/core';
import * as z from 'zod';

const ownShape = {
  type: z.literal('elasticsearch'),
  scheme: z.enum(['http', 'https']).optional().describe('https by default'),
  user: z.string().min(1).optional(),
};

/** A connection as files and the environment write it. */
export const connectionSchema = z.strictObject({ ...baseConnectionShape, ...ownShape });

const toolShape = { ...toolConnectionShape, ...ownShape };
export const toolSchema = z.strictObject(toolShape);
export const patchSchema = z.strictObject(patchShapeOf(toolShape));

export type Connection = z.output<typeof connectionSchema>;

export function resolvePort({ port }: Pick<Connection, 'port'>): number {
  return port ?? 9200;
}
