import type { Connection } from '../connection/schema.ts';
import { formatWritePolicy } from './write-policy.ts';

/** What a person allows on a connection, in a few words for lists. */
export function policyView(config: Connection) {
  return { writes: config.readonly ? undefined : formatWritePolicy(config) };
}
