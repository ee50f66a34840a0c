import type { Person, Round } from '../approval/person.ts';
import type { Failure } from '../failure.ts';
import type { RequestFacts } from './call-record.ts';

/** The caller, as far as a call has to know. */
export interface Caller {
  /** Aborted when the caller gives the call up. */
  readonly signal: AbortSignal;
  /** Undefined: it does not want to hear of progress. */
  readonly progressToken: string | number | undefined;
  /** A command: its answer names no arguments of a tool. */
  readonly isCommand?: true;
  /** How a person can be asked to confirm the call. Left out: not at all. */
  readonly person?: Person | undefined;
  /** The answer to a question that the same call asked before. */
  readonly round?: Round | undefined;
  /** Who calls, where several clients with different rights use the process. */
  readonly principal?: string | undefined;
  readonly about?: RequestFacts;
  /** Receives the failure itself, beside the answer that is made of it. */
  onFailure?(failure: Failure): void;
  notify(method: 'notifications/progress', params: Record<string, unknown>): Promise<void>;
}

interface Progress {
  report(done: number, total?: number, message?: string): void;
  stop(): void;
}

const shortestIntervalMs = 250;
const heartbeatMs = 5_000;
/** Added by a heartbeat: the protocol wants every report larger than the last, and a handler's own counts are whole. */
const heartbeatStep = 0.001;

/**
 * Progress of one call, sent only to a client that asked for it. While a handler is silent we send a heartbeat, because
 * clients count progress against their idle timers.
 */
export function createProgress({ progressToken, notify }: Pick<Caller, 'progressToken' | 'notify'>): Progress {
  if (progressToken === undefined) return { report: () => undefined, stop: () => undefined };
  const started = Date.now();
  let last = 0;
  let lastSentAt = 0;

  const send = (progress: number, total?: number, message?: string): void => {
    last = progress;
    lastSentAt = Date.now();
    const params = {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    notify('notifications/progress', params).catch(() => undefined);
  };
  const heartbeat = setInterval(() => {
    if (Date.now() - lastSentAt < heartbeatMs) return;
    send(last + heartbeatStep, undefined, `still running after ${Math.round((Date.now() - started) / 1_000)} s`);
  }, heartbeatMs);
  heartbeat.unref();

  return {
    report(done, total, message) {
      const finished = total !== undefined && done >= total;
      if (done <= last || (Date.now() - lastSentAt < shortestIntervalMs && !finished)) return;
      send(done, total, message);
    },
    stop: () => clearInterval(heartbeat),
  };
}
