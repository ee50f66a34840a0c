import { untilAborted } from '../../abort.ts';
import type { Log } from '../../log.ts';
import type { Collector } from './collector.ts';
import type { Span } from './otlp-json.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

interface SpanQueueOptions extends Pick<TelemetrySettings, 'maxQueue' | 'maxBatch' | 'traceDelayMs'> {
  collector: Pick<Collector, 'post'>;
  /** The message around the spans. */
  wrap(spans: readonly Span[]): object;
  log: Log;
}

const maxWaitMs = 60_000;

/** Spans that wait for the collector. When there is no room, the oldest are dropped and counted. */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #spans: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #dropped = 0;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(spans: readonly Span[]): void {
    const { maxBatch, traceDelayMs } = this.#options;
    this.#spans.push(...spans);
    this.#makeRoom();
    // After a failure, more spans are no reason to try sooner.
    if (this.#spans.length >= maxBatch && this.#failures === 0) this.#schedule(0);
    else this.#schedule(traceDelayMs);
  }

  /** Sends what there is, once. */
  async flush(signal: AbortSignal): Promise<void> {
    clearTimeout(this.#timer);
    await untilAborted(this.#sending ?? Promise.resolve(), signal).catch(() => undefined);
    while (this.#spans.length > 0 && !signal.aborted) if (!(await this.#sendBatch(signal))) break;
    if (this.#dropped > 0) this.#options.log('info', 'spans were dropped', { count: this.#dropped });
  }

  #makeRoom(): void {
    const excess = this.#spans.length - this.#options.maxQueue;
    if (excess <= 0) return;
    this.#spans.splice(0, excess);
    this.#dropped += excess;
  }

  #schedule(ms: number): void {
    if (this.#sending !== undefined) return;
    if (this.#timer !== undefined && ms > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(), ms).unref();
  }

  #start(): void {
    this.#timer = undefined;
    this.#sending = this.#sendBatch().then(() => {
      this.#sending = undefined;
      const { traceDelayMs, maxBatch } = this.#options;
      const wait = Math.min(traceDelayMs * 2 ** Math.min(this.#failures, 10), maxWaitMs);
      const isFull = this.#failures === 0 && this.#spans.length >= maxBatch;
      if (this.#spans.length > 0) this.#schedule(isFull ? 1 : wait);
    });
  }

  /** Whether the collector took them, or never will. */
  async #sendBatch(signal?: AbortSignal): Promise<boolean> {
    const batch = this.#spans.splice(0, this.#options.maxBatch);
    if (batch.length === 0) return true;
    const outcome = await this.#options.collector.post(this.#options.wrap(batch), signal);
    this.#failures = outcome === 'sent' ? 0 : this.#failures + 1;
    if (outcome === 'refused') this.#dropped += batch.length;
    if (outcome !== 'retry') return true;
    this.#spans.unshift(...batch);
    this.#makeRoom();
    return false;
  }
}
