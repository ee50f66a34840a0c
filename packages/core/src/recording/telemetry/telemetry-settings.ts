import { rememberSecret } from '../../redact/redact.ts';

export interface SignalSettings {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
}

export interface TelemetrySettings {
  /** Undefined: not wanted. */
  traces: SignalSettings | undefined;
  metrics: SignalSettings | undefined;
  /** Attributes of everything that is sent. */
  resource: Readonly<Record<string, string>>;
  maxQueue: number;
  maxBatch: number;
  traceDelayMs: number;
  metricDelayMs: number;
  /** What a person has asked for and does not get. */
  warnings: readonly string[];
}

type Environment = NodeJS.ProcessEnv;

/** The variables of OpenTelemetry, as far as they have a meaning here. */
export function readTelemetrySettings(env: Environment): TelemetrySettings {
  const maxQueue = readNumber(env.OTEL_BSP_MAX_QUEUE_SIZE, 2_048);
  return {
    traces: readSignal(env, 'TRACES'),
    metrics: readSignal(env, 'METRICS'),
    resource: {
      ...parsePairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
    },
    maxQueue,
    maxBatch: Math.min(maxQueue, readNumber(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, 512)),
    traceDelayMs: readNumber(env.OTEL_BSP_SCHEDULE_DELAY, 5_000),
    metricDelayMs: readNumber(env.OTEL_METRIC_EXPORT_INTERVAL, 60_000),
    warnings: [env.OTEL_EXPORTER_OTLP_PROTOCOL, env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL]
      .filter((protocol) => protocol !== undefined && protocol !== '' && protocol !== 'http/json')
      .slice(0, 1)
      .map(() => 'telemetry is sent as http/json, whatever OTEL_EXPORTER_OTLP_PROTOCOL says'),
  };
}

function readSignal(env: Environment, signal: 'TRACES' | 'METRICS'): SignalSettings | undefined {
  if (env[`OTEL_${signal}_EXPORTER`]?.trim() === 'none') return undefined;
  const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!own && !base) return undefined;
  // Only the common endpoint gets the path of the signal.
  const url = own || `${base?.endsWith('/') ? base.slice(0, -1) : base}/v1/${signal.toLowerCase()}`;
  const headers = parsePairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`] || env.OTEL_EXPORTER_OTLP_HEADERS);
  for (const value of Object.values(headers)) rememberSecret(value);
  const timeoutMs = readNumber(env[`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`] || env.OTEL_EXPORTER_OTLP_TIMEOUT, 10_000);
  return { url, headers, timeoutMs };
}

/** `a=1,b=two%20words` */
function parsePairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at)).trim();
    return key === '' ? [] : [[key, decode(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readNumber(text: string | undefined, usual: number): number {
  const number = Number(text);
  return text !== undefined && text.trim() !== '' && Number.isInteger(number) && number > 0 ? number : usual;
}
