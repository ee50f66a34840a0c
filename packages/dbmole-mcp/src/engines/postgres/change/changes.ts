import type { ChangeReader, ChangeShape } from '../../../approval/change.ts';
import { inspect } from '../guard/thread/guard-thread.ts';
import { meter } from './meter.ts';

export const changes: ChangeReader = {
  // The reader in the thread answers with nothing else.
  read: async (sql) => (await inspect('change', [sql])) as ChangeShape,
  meter,
  // What cannot be part of a transaction is found by the server, which has run nothing then.
  commitsItself: () => false,
};
