import { createLog, parseLogLevel } from '@dbmole/core/log';
import { findVariable } from '@dbmole/core/settings';
import { program } from '../options.ts';
import type { OpenHub } from '../session/hub-door.ts';
import { Hub } from './hub.ts';
import { openHubTools } from './hub-tools.ts';
import { saveStartList } from './save-start-list.ts';
import type { StartOptions } from './start-list.ts';

/** Changes of the list are remembered when they have settled. */
const saveMs = 500;

/** Opens the hub, begins to learn what it does not know, and remembers the list for the next start. */
export function openHub(options: StartOptions, write: (line: string) => void): { hub: Hub; tools: OpenHub } {
  const variable = findVariable(program.app, 'log');
  // A log of its own: it knows the secrets that the hub has read.
  const log = createLog(program.name, parseLogLevel(options.env[variable], variable), write);
  const hub = new Hub({ ...options, log });
  for (const problem of hub.config.problems) log('warn', problem.message);
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      saveStartList(hub).catch((error: unknown) => log('debug', 'the list was not saved', { error: String(error) }));
    }, saveMs).unref();
  };
  hub.onListChanged(save);
  hub.learnUnknown();
  void hub.learning.then(save);
  return { hub, tools: openHubTools(hub) };
}
