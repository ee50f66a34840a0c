import { Failure } from '../../failure.ts';
import { listStrings } from '../../registry/tree.ts';
import type { RecordedCall, RecordSink } from '../recorded-call.ts';
import { describeLive, describeLiveFully, type LiveCall, type LiveDetails } from './live-call.ts';

export interface LiveLimits {
  /** Calls that are kept after their end. */
  count: number;
  /** Bytes of what is kept of them, as an estimate. */
  bytes: number;
}

const defaultLimits: LiveLimits = { count: 500, bytes: 8 * 1024 * 1024 };
/** What every call needs beside its arguments and its answer. */
const ownBytes = 2_000;
/** Of a larger call, the arguments and the answer are not kept. */
const maxKeptPart = 8;

interface Kept {
  /** Undefined for a call that was too large to be kept whole. */
  call: RecordedCall | undefined;
  brief: LiveCall;
  bytes: number;
}

/** Is told the ids of calls that began or changed. */
export type LiveListener = (id: string) => void;

/**
 * The calls of this process that run now, and the last ones that ended. They are kept in memory alone, and only as many as the limits
 * allow; what is shown of a call is made when a person asks for it.
 */
export class LiveCalls implements RecordSink {
  readonly #limits: LiveLimits;
  readonly #running = new Map<string, RecordedCall>();
  /** The oldest first. */
  readonly #ended = new Map<string, Kept>();
  readonly #listeners = new Set<LiveListener>();
  #bytes = 0;

  constructor(limits: LiveLimits = defaultLimits) {
    this.#limits = limits;
  }

  begin(call: RecordedCall): void {
    this.#running.set(call.spanId, call);
    this.#tell(call.spanId);
  }

  found(call: RecordedCall): void {
    this.#tell(call.spanId);
  }

  take(call: RecordedCall): void {
    this.#running.delete(call.spanId);
    const bytes = measure(call);
    const isLarge = bytes > this.#limits.bytes / maxKeptPart;
    const kept = { call: isLarge ? undefined : call, brief: describeLive(call, 'ended'), bytes: isLarge ? ownBytes : bytes };
    this.#ended.set(call.spanId, kept);
    this.#bytes += kept.bytes;
    this.#makeRoom();
    this.#tell(call.spanId);
  }

  /** The newest last. */
  list(): LiveCall[] {
    const running = [...this.#running.values()].map((call) => describeLive(call, 'running'));
    return [...[...this.#ended.values()].map(({ brief }) => brief), ...running];
  }

  /** Undefined for a call that made room for others. */
  find(id: string): LiveCall | undefined {
    const running = this.#running.get(id);
    return running === undefined ? this.#ended.get(id)?.brief : describeLive(running, 'running');
  }

  show(id: string): LiveDetails | undefined {
    const running = this.#running.get(id);
    if (running !== undefined) return describeLiveFully(running, describeLive(running, 'running'));
    const kept = this.#ended.get(id);
    return kept && describeLiveFully(kept.call, kept.brief);
  }

  /** Returns whether there was such a call. */
  cancel(id: string): boolean {
    const call = this.#running.get(id);
    call?.abort(
      new Failure('cancelled', `${call.tool} was cancelled by the user`, {
        hint: 'Do not repeat the call. Ask the user what to do instead.',
      }),
    );
    return call !== undefined;
  }

  /** Returns how to stop listening. A listener must not throw. */
  watch(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #makeRoom(): void {
    for (const [id, { bytes }] of this.#ended) {
      if (this.#ended.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) return;
      this.#ended.delete(id);
      this.#bytes -= bytes;
      this.#tell(id);
    }
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

/** The statements of a call hold about as much as its arguments. */
function measure({ args, bytes }: RecordedCall): number {
  let length = 0;
  for (const { text } of listStrings(args)) length += text.length;
  return ownBytes + 4 * length + 2 * bytes;
}
