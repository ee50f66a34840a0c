import type { Log } from '@dbmole/core';
import type { OpenHub } from '../session/hub-door.ts';
import { Hub } from './hub.ts';
import { openHubTools } from './hub-tools.ts';
import { saveStartList } from './save-start-list.ts';
import type { StartOptions } from './start-list.ts';

/** Opens the hub, begins to learn what it does not know, and remembers the list for the next start. */
export function openHub(options: StartOptions, log: Log, saveMs: number): { hub: Hub; tools: OpenHub } {
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
