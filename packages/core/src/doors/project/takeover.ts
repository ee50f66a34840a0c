import { setTimeout as delay } from 'node:timers/promises';
import { askUser, Failure } from '../../failure.ts';
import { readStartTime } from '../../files/process-identity.ts';
import { systemCode } from '../../files/system-code.ts';
import { type RunningMark, readRunning } from './running-mark.ts';

/** A server that drains ends within a few seconds. */
const maxDrainMs = 15_000;
const pollMs = 20;

/** Asks the running server to drain, and waits until it has ended. */
export async function takeOver(stateFolder: string, mark: RunningMark): Promise<void> {
  // A process id alone may belong to another program by now.
  if (mark.pid === process.pid || mark.start === undefined || readStartTime(mark.pid) !== mark.start) throw cannotStop(mark);
  try {
    process.kill(mark.pid, 'SIGTERM');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw cannotStop(mark);
  }
  const end = Date.now() + maxDrainMs;
  while (readRunning(stateFolder, mark.root)?.nonce === mark.nonce) {
    if (Date.now() > end) throw notEnded(mark);
    await delay(pollMs);
  }
}

function cannotStop({ root, pid }: RunningMark): Failure {
  return new Failure('refused', `the server of project ${root} (process ${pid}) cannot be stopped from here`, {
    code: 'E_ALREADY_RUNNING',
    hint: askUser(`end process ${pid}`),
  });
}

function notEnded({ root, pid }: RunningMark): Failure {
  return new Failure('timeout', `the server of project ${root} (process ${pid}) did not end within ${maxDrainMs / 1_000} s`, {
    code: 'E_ALREADY_RUNNING',
    hint: askUser(`end process ${pid}`),
  });
}
