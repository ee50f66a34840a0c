import type { BeginningCall, CallOrigin, CallRecorder, OpenRecord } from './call-record.ts';
import type { Caller } from './caller.ts';
import type { Visit } from './connections/destinations.ts';
import { type Effect, effects } from './tool.ts';

interface Recording {
  recorder?: CallRecorder | undefined;
  origin?: CallOrigin | undefined;
}

/** The record of one call; undefined where calls are not recorded. */
export function openRecord(
  { recorder, origin }: Recording,
  call: Pick<BeginningCall, 'tool' | 'args'> & { controller: AbortController },
  { about, isCommand }: Caller,
): OpenRecord | undefined {
  const { tool, args, controller } = call;
  return recorder?.begin({
    tool,
    args,
    about,
    origin: origin ?? { door: isCommand ? 'command' : 'stdio' },
    abort: (reason) => controller.abort(reason),
  });
}

/** A tool that changes a database says so with each of its statements; this is for those that change files or connections. */
export function announceChange(record: OpenRecord | undefined, effect: Effect): void {
  if (!effects[effect].readOnlyHint && effect !== 'destroy') record?.announce();
}

/** Records the connection of the call as well. */
export function followVisit(visit: Visit, record: OpenRecord | undefined): Visit['enter'] {
  if (record === undefined) return visit.enter;
  return (asked, destination) => {
    record.found(destination);
    visit.enter(asked, destination);
  };
}
