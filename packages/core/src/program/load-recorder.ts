import { createLog, type Log, parseLogLevel } from '../log.ts';
import type { LiveCalls } from '../recording/live/live-calls.ts';
import type { RecordSink } from '../recording/recorded-call.ts';
import type { CallRecorder } from '../tools/call-record.ts';
import type { AppOptions } from './app.ts';
import { findVariable, readFlag, readSettings, serverSettings, tagFlag } from './settings.ts';

interface RecorderPlaces extends Pick<AppOptions, 'env' | 'cwd' | 'settings'> {
  log?: Log;
  given?: { isAll: boolean } | undefined;
  /** `--tag` was given. */
  tag?: boolean | undefined;
  /** It serves clients. What a person runs is not sent to a collector. */
  isServer: boolean;
  /** Is told of every call, where a person can watch them. */
  live?: RecordSink | undefined;
}

const endpoints = ['', 'TRACES_', 'METRICS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`);

/** What records every call, where a person wants it; undefined where not, and then nothing of it is loaded. */
export async function loadRecorder(
  { app, name, version }: { app: string; name: string; version: string },
  options: RecorderPlaces,
): Promise<CallRecorder | undefined> {
  const env = options.given?.isAll === true ? {} : options.env;
  const { audit } = readSettings(serverSettings, { app, env, given: options.settings ?? {}, cwd: options.cwd });
  const isTagged = readFlag(tagFlag, { app, env, given: options.tag === true });
  const isTraced = options.isServer && endpoints.some((variable) => Boolean(env[variable])) && !isOff(env.OTEL_SDK_DISABLED);
  if (audit === undefined && !isTagged && !isTraced && options.live === undefined) return undefined;
  const log = options.log ?? createLog(name, parseLogLevel(env[findVariable(app, 'log')], findVariable(app, 'log')));
  const program = { name, version, log };
  const [{ Recorder }, auditLog, telemetry] = await Promise.all([
    import('../recording/recorder.ts'),
    audit === undefined ? undefined : import('../recording/audit/audit-log.ts'),
    isTraced ? import('../recording/telemetry/telemetry.ts') : undefined,
  ]);
  const sinks: readonly RecordSink[] = [
    ...(options.live === undefined ? [] : [options.live]),
    ...(auditLog && audit !== undefined ? [new auditLog.AuditLog(audit, log)] : []),
    ...(telemetry ? [telemetry.openTelemetry(env, program)] : []),
  ];
  return new Recorder({ program: name, isTagged, sinks });
}

/** A server over HTTP has a page, on which a person can watch its calls. */
export async function loadLive(): Promise<LiveCalls> {
  const live = await import('../recording/live/live-calls.ts');
  return new live.LiveCalls();
}

function isOff(disabled: string | undefined): boolean {
  return disabled?.trim().toLowerCase() === 'true';
}
