import { createLog, type Log, parseLogLevel } from '@dbmole/core/log';
import { findVariable } from '@dbmole/core/settings';
import { program } from '../options.ts';
import type { HubDoor, Offer, OpenHub } from '../session/hub-door.ts';
import type { Hub } from './hub.ts';
import { readStartList, type StartOptions } from './start-list.ts';

/** The hub of a process, loaded and opened when it is first needed. */
export interface ProcessDoor extends HubDoor {
  /** The calls of the hub; none before it is open. */
  readonly calls: { readonly count: number; abortAll(): void };
  readonly log: Log;
  dispose(): Promise<void>;
}

export function createHubDoor(options: StartOptions, write: (line: string) => void): ProcessDoor {
  const variable = findVariable(program.app, 'log');
  const log = createLog(program.name, parseLogLevel(options.env[variable], variable), write);
  let remembered: Offer | undefined;
  let isRead = false;
  let hub: Hub | undefined;
  let opening: Promise<OpenHub> | undefined;

  async function open(): Promise<OpenHub> {
    const { openHub } = await import('./open-hub.ts');
    const opened = openHub(options, write);
    hub = opened.hub;
    return opened.tools;
  }

  return {
    log,
    remembered() {
      if (opening !== undefined) return undefined;
      if (!isRead) remembered = readStartList(options);
      isRead = true;
      return remembered;
    },
    open() {
      opening ??= open();
      return opening;
    },
    calls: {
      get count() {
        return hub?.calls.count ?? 0;
      },
      abortAll: () => hub?.stopCalls(),
    },
    async dispose() {
      await opening?.catch(() => undefined);
      await hub?.dispose();
    },
  };
}
