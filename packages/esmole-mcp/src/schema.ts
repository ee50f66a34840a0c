import { baseConnectionShape } from '@dbmole/core';
import * as z from 'zod';

const { user, ...base } = baseConnectionShape;

/** A connection as files, the environment and tools write it. */
export const connectionSchema = z.strictObject({
  ...base,
  type: z.literal('elasticsearch'),
  user: user.optional(),
  scheme: z.enum(['http', 'https']).default('https'),
});

export type Connection = z.output<typeof connectionSchema>;

export function resolvePort(connection: Connection): number {
  return connection.port ?? 9200;
}
