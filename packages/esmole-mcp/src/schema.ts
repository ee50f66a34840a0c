import { baseConnectionShape, toolConnectionShape } from '@dbmole/core';
import * as z from 'zod';

const ownShape = {
  type: z.literal('elasticsearch'),
  scheme: z.enum(['http', 'https']).optional().describe('https by default'),
  user: z.string().min(1).optional(),
};

/** A connection as files and the environment write it. */
export const connectionSchema = z.strictObject({ ...baseConnectionShape, ...ownShape });

/** What a tool may say of it. */
export const toolSchema = z.strictObject({ ...toolConnectionShape, ...ownShape });

export type Connection = z.output<typeof connectionSchema>;

export function resolvePort({ port }: Pick<Connection, 'port'>): number {
  return port ?? 9200;
}
