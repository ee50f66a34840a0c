import { randomUUID } from 'node:crypto';
import type { Log } from '../../log.ts';
import type { RecordedCall, RecordSink } from '../recorded-call.ts';
import { buildSpans, describeOperation, describeQuery, listSent } from './call-spans.ts';
import { Collector } from './collector.ts';
import { Durations } from './durations.ts';
import { type Span, toAttributes } from './otlp-json.ts';
import { SpanQueue } from './span-queue.ts';
import { readTelemetrySettings, type TelemetrySettings } from './telemetry-settings.ts';

interface Program {
  name: string;
  version: string;
  log: Log;
}

/** What is sent at the end may take this long. */
const flushMs = 700;

export function openTelemetry(env: NodeJS.ProcessEnv, program: Program): RecordSink {
  const settings = readTelemetrySettings(env);
  for (const warning of settings.warnings) program.log('warn', warning);
  return new Telemetry(settings, program);
}

/** Sends spans and metrics of calls to a collector, by the conventions for MCP servers and for databases. */
class Telemetry implements RecordSink {
  readonly #frame: { resource: object; scope: object };
  readonly #spans: SpanQueue | undefined;
  readonly #metrics: Collector | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #calls = new Durations({
    name: 'mcp.server.operation.duration',
    description: 'Duration of a request as observed by the server',
    bounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  });
  readonly #queries = new Durations({
    name: 'db.client.operation.duration',
    description: 'Duration of a database operation as observed by the client',
    bounds: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  });

  constructor(settings: TelemetrySettings, { name, version, log }: Program) {
    const { traces, metrics, resource } = settings;
    const own = { 'service.name': name, 'service.version': version, 'service.instance.id': randomUUID() };
    this.#frame = { resource: { attributes: toAttributes({ ...own, ...resource }) }, scope: { name, version } };
    const wrap = (spans: readonly Span[]) => this.#wrapSpans(spans);
    this.#spans = traces && new SpanQueue({ ...settings, collector: new Collector(traces, log), wrap, log });
    this.#metrics = metrics && new Collector(metrics, log);
    this.#timer = metrics && setInterval(() => void this.#sendMetrics(), settings.metricDelayMs).unref();
  }

  take(call: RecordedCall): void {
    if (call.isSampled) this.#spans?.add(buildSpans(call));
    if (this.#metrics === undefined) return;
    this.#calls.add(call.milliseconds, describeOperation(call));
    for (const statement of listSent(call)) this.#queries.add(statement.milliseconds, describeQuery(statement));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const signal = AbortSignal.timeout(flushMs);
    await Promise.all([this.#spans?.flush(signal), this.#sendMetrics(signal)]);
  }

  async #sendMetrics(signal?: AbortSignal): Promise<void> {
    const metrics = [this.#calls.collect(), this.#queries.collect()].filter((metric) => metric !== undefined);
    if (metrics.length === 0) return;
    const { resource, scope } = this.#frame;
    await this.#metrics?.post({ resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] }, signal);
  }

  #wrapSpans(spans: readonly Span[]): object {
    const { resource, scope } = this.#frame;
    return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] };
  }
}
