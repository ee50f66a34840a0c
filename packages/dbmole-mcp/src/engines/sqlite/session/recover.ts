import type { OpenRequest } from '../process/messages.ts';
import { DatabaseProcess } from '../wire/database-process.ts';

/** The file, and how it is found. */
export type Place = Pick<OpenRequest, 'file' | 'noLinks'>;

/** How long a file that was being written is given to be rolled back. */
const maxRecoveryMs = 5_000;

/** Files whose last writer was killed, until they are rolled back. */
const recoveries = new Map<string, Promise<void>>();

/**
 * A process that was killed while it wrote leaves a journal, by which the next one that writes rolls back. Readers could not: they fail as
 * long as there is one.
 */
export function startRecovery(place: Place): void {
  const { file } = place;
  const recovery = recover(place).finally(() => recoveries.delete(file));
  recoveries.set(file, recovery);
}

/** Resolves when no recovery of the file is under way. */
export async function awaitRecovery(file: string): Promise<void> {
  await recoveries.get(file);
}

async function recover(place: Place): Promise<void> {
  const process = new DatabaseProcess();
  const timer = setTimeout(() => process.kill(), maxRecoveryMs);
  try {
    await process.send({ type: 'open', ...place, writes: true, waitMs: maxRecoveryMs });
    await process.send({ type: 'close' });
  } catch {
    // The next call reports what is wrong with the file.
  } finally {
    clearTimeout(timer);
    process.kill();
  }
}
