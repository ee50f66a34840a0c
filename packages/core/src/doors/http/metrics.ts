import type { ConnectionStatus } from '../../manager/backend.ts';
import type { AnsweredCall, RunningCalls } from '../../tools/running-calls.ts';

export interface MetricsOptions {
  /** The program and its version, as labels of `mole_build_info`. */
  name: string;
  version: string;
  /** The calls of all clients of the process. */
  calls: Pick<RunningCalls, 'count'>;
  /** The connections of the process. */
  connections: { statuses(): ReadonlyMap<string, ConnectionStatus> };
}

export interface Metrics {
  observe(call: AnsweredCall): void;
  /** Everything in the text format of Prometheus, version 0.0.4. */
  text(): string;
}

/** Upper bounds in seconds: from a read of a warm connection to an export. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;

/** The durations of one tool's calls. Each count is of the durations in its own bucket; the last is of those beyond all bounds. */
interface Durations {
  counts: number[];
  sum: number;
}

/** Counts calls. The labels are names of tools, connections and error codes, so their number is bounded. */
export function createMetrics({ name, version, calls, connections }: MetricsOptions): Metrics {
  const startedAt = Date.now() / 1_000;
  const outcomes = new Counter('mole_calls_total', 'Answered calls, by tool and outcome.');
  const errors = new Counter('mole_call_errors_total', 'Failed calls, by tool and error code.');
  const durations = new Map<string, Durations>();

  return {
    observe({ tool, failure, isError, milliseconds }) {
      const failed = failure?.kind === 'cancelled' ? 'cancelled' : 'error';
      outcomes.add({ tool, outcome: isError ? failed : 'ok' });
      if (failure !== undefined) errors.add({ tool, code: failure.code });
      const known = durations.get(tool) ?? { counts: [...buckets, 0].map(() => 0), sum: 0 };
      durations.set(tool, known);
      addDuration(known, milliseconds / 1_000);
    },
    text: () =>
      [
        ...formatGauge('mole_build_info', 'The program and its version.', [[{ name, version }, 1]]),
        ...outcomes.lines(),
        ...errors.lines(),
        ...formatHistogram('mole_call_duration_seconds', 'How long calls took until they were answered.', durations),
        ...formatGauge('mole_calls_running', 'Calls that are not answered yet.', [[{}, calls.count]]),
        ...formatConnections(connections.statuses()),
        ...formatGauge('process_start_time_seconds', 'When the process started, since 1970.', [[{}, startedAt]]),
        ...formatGauge('process_resident_memory_bytes', 'Memory of the process.', [[{}, process.memoryUsage.rss()]]),
        '',
      ].join('\n'),
  };
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, { labels: Labels; count: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels): void {
    const key = JSON.stringify(labels);
    const known = this.#values.get(key) ?? { labels, count: 0 };
    known.count += 1;
    this.#values.set(key, known);
  }

  lines(): string[] {
    const samples = [...this.#values.values()].map(({ labels, count }): Sample => [labels, count]);
    return formatFamily({ name: this.#name, help: this.#help, type: 'counter' }, samples);
  }
}

function addDuration(durations: Durations, seconds: number): void {
  const found = buckets.findIndex((bound) => seconds <= bound);
  const at = found < 0 ? buckets.length : found;
  durations.counts[at] = (durations.counts[at] ?? 0) + 1;
  durations.sum += seconds;
}

function formatConnections(statuses: ReadonlyMap<string, ConnectionStatus>): string[] {
  const all = [...statuses].map(([connection, status]) => ({ labels: { connection }, status }));
  const pools = all.flatMap(({ labels, status: { pool } }) => (pool === undefined ? [] : [{ labels, pool }]));
  const tunnels = all.flatMap(({ labels, status: { tunnel } }) => (tunnel === undefined ? [] : [{ labels, tunnel }]));
  return [
    ...formatGauge(
      'mole_connection_open',
      '1 while the connection is open, 0 after it was closed or failed.',
      all.map(({ labels, status }) => [labels, Number(status.state === 'open')]),
    ),
    ...formatGauge(
      'mole_pool_sessions',
      'Open sessions with the database.',
      pools.map(({ labels, pool }) => [labels, pool.sessions]),
    ),
    ...formatGauge(
      'mole_pool_waiting_calls',
      'Calls that wait for a session.',
      pools.map(({ labels, pool }) => [labels, pool.waiting]),
    ),
    ...formatGauge(
      'mole_connection_unconfirmed_statements',
      'Statements that were given up and may still be running.',
      all.map(({ labels, status }) => [labels, status.unconfirmed ?? 0]),
    ),
    ...formatGauge(
      'mole_tunnel_open',
      '1 while the SSH tunnel of the connection is open.',
      tunnels.map(({ labels, tunnel }) => [labels, Number(tunnel.state === 'ready')]),
    ),
    ...formatGauge(
      'mole_tunnel_channels',
      'Open channels of the SSH tunnel; connections that share it show the same number.',
      tunnels.map(({ labels, tunnel }) => [labels, tunnel.channels]),
    ),
  ];
}

function formatGauge(name: string, help: string, samples: readonly Sample[]): string[] {
  return formatFamily({ name, help, type: 'gauge' }, samples);
}

function formatHistogram(name: string, help: string, tools: ReadonlyMap<string, Durations>): string[] {
  const lines = [...tools].flatMap(([tool, { counts, sum }]) => {
    let total = 0;
    const cumulative = counts.map((count, i) => {
      total += count;
      return formatSample(`${name}_bucket`, { tool, le: String(buckets[i] ?? '+Inf') }, total);
    });
    return [...cumulative, formatSample(`${name}_sum`, { tool }, sum), formatSample(`${name}_count`, { tool }, total)];
  });
  return formatHead({ name, help, type: 'histogram' }, lines);
}

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
}

function formatFamily(family: Family, samples: readonly Sample[]): string[] {
  return formatHead(
    family,
    samples.map(([labels, value]) => formatSample(family.name, labels, value)),
  );
}

/** A family without samples is left out. */
function formatHead({ name, help, type }: Family, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function formatSample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escapeLabel(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
