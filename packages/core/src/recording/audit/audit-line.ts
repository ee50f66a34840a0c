import { userInfo } from 'node:os';
import { type Failure, toFailure } from '../../failure.ts';
import { redact } from '../../redact/redact.ts';
import { alignCut } from '../../text.ts';
import type { StatementKind } from '../../tools/call-record.ts';
import { judge, type RecordedCall, type RecordedStatement } from '../recorded-call.ts';

/** One line of the log, in the order of its keys. Empty ones are left out. */
export interface AuditLine {
  time: string;
  /** The same in all lines of one call. */
  call: string;
  trace: string;
  door: string;
  client?: string;
  principal: string;
  connection?: string;
  account?: string;
  database?: string;
  tool: string;
  kind?: StatementKind;
  text?: string;
  fingerprint?: string;
  /** `begun`: about to change something. The line about its end follows, unless the process died in between. */
  verdict: 'begun' | 'asked' | 'ok' | 'refused' | 'error' | 'lost';
  code?: string;
  engineCode?: string;
  status?: number;
  rows?: number;
  changed?: number;
  bytes?: number;
  ms?: number;
  confirmedBy?: string;
  /** Statements of the call that were too many to be listed; for `lost`, lines that could not be written. */
  more?: number;
}

const maxTextLength = 8_000;
const maxNameLength = 200;

/** The lines about a call that has ended: one for each statement, or one without a statement. */
export function describeCall(call: RecordedCall): AuditLine[] {
  const { statements, bytes, leftOut, milliseconds, failure } = call;
  const rest = { bytes, ...(leftOut > 0 ? { more: leftOut } : {}) };
  const last = statements.length - 1;
  const asked = call.isAsked ? { verdict: 'asked' as const } : {};
  if (last < 0) return [compact({ ...describe(call), ...judge(failure), ...asked, ms: round(milliseconds), ...rest })];
  return statements.map((statement, i) => {
    const { rows, changed, status, error, isUndone = false } = statement.end;
    const endsCall = i === last || isUndone;
    const own = error === undefined ? (endsCall ? failure : undefined) : toFailure(error);
    const outcome = { ...judgeStatement(own, status), status, rows, changed, ms: round(statement.milliseconds) };
    return compact({ ...describe(call, statement), ...outcome, ...(endsCall ? asked : {}), ...(i === last ? rest : {}) });
  });
}

/** The line before something changes. */
export function describeBeginning(call: RecordedCall, statement?: RecordedStatement): AuditLine {
  return compact({ ...describe(call, statement), verdict: 'begun' });
}

function judgeStatement(failure: Failure | undefined, status: number | undefined) {
  const judged = judge(failure);
  return judged.verdict === 'ok' && (status ?? 200) >= 400 ? { ...judged, verdict: 'error' as const } : judged;
}

function describe(call: RecordedCall, statement?: RecordedStatement) {
  const { startedAt, spanId, traceId, origin, about, connection, account, tool, confirmedBy } = call;
  const { name, version } = about.client ?? {};
  return {
    time: new Date(statement?.startedAt ?? startedAt).toISOString(),
    call: spanId,
    trace: traceId,
    door: origin.door,
    client: name && cut(version === undefined ? name : `${name} ${version}`, maxNameLength),
    principal: cut(origin.principal ?? localUser(), maxNameLength),
    connection,
    account: account && cut(account, maxNameLength),
    tool,
    confirmedBy: confirmedBy && cut(confirmedBy, maxNameLength),
    ...(statement && describeStatement(statement)),
  };
}

function describeStatement({ facts, text }: RecordedStatement) {
  return {
    database: facts.database && cut(facts.database, maxNameLength),
    kind: facts.kind,
    text: cut(text.text, maxTextLength),
    fingerprint: text.fingerprint,
  };
}

const order: readonly (keyof AuditLine)[] = [
  ...(['time', 'call', 'trace', 'door', 'client', 'principal', 'connection', 'account', 'database', 'tool'] as const),
  ...(['kind', 'text', 'fingerprint', 'verdict', 'code', 'engineCode', 'status', 'rows', 'changed', 'bytes'] as const),
  ...(['ms', 'confirmedBy', 'more'] as const),
];

type Loose = { [K in keyof AuditLine]: AuditLine[K] | undefined };

function compact(line: Loose): AuditLine {
  const entries = order.flatMap((key) => (line[key] === undefined || line[key] === '' ? [] : [[key, line[key]]]));
  // The keys that every line needs have just been given.
  return Object.fromEntries(entries) as AuditLine;
}

function cut(text: string, room: number): string {
  const clean = redact(text);
  return clean.length <= room ? clean : `${clean.slice(0, alignCut(clean, room))}…`;
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

let user: string | undefined;

function localUser(): string {
  user ??= `local:${readUser()}`;
  return user;
}

function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that the system does not know.
    return `${process.getuid?.() ?? 'unknown'}`;
  }
}
