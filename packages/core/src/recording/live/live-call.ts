import { redact } from '../../redact/redact.ts';
import { isFields } from '../../registry/tree.ts';
import { cutVisible, formatVisible, formatVisibleReply } from '../../text.ts';
import { type AuditLine, describeCall } from '../audit/audit-line.ts';
import { judge, type RecordedCall } from '../recorded-call.ts';

/** A call as a person sees it in a list. It is plain data, and every text in it is safe to show. */
export interface LiveCall {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  state: 'running' | 'asked' | 'ok' | 'refused' | 'error' | 'cancelled';
  client: string;
  door: string;
  principal?: string | undefined;
  connection?: string | undefined;
  tool: string;
  /** The arguments on one line. */
  text: string;
  code?: string | undefined;
  rows?: number | undefined;
  changed?: number | undefined;
  bytes?: number | undefined;
  milliseconds?: number | undefined;
  confirmedBy?: string | undefined;
}

interface LiveArgument {
  name: string;
  text: string;
}

export interface LiveDetails extends LiveCall {
  /** The arguments and the answer were too large to be kept. */
  isPartial: boolean;
  args: readonly LiveArgument[];
  /** The answer as the caller got it; undefined before the end. */
  answer?: string | undefined;
  /** What the audit log has of it. */
  audit: readonly AuditLine[];
}

const maxLineLength = 400;
const maxArgumentLength = 64 * 1024;
const maxAnswerLength = 256 * 1024;
const maxNameLength = 100;

export function describeLive(call: RecordedCall, phase: 'running' | 'ended'): LiveCall {
  const { spanId: id, startedAt: at, origin, about, connection, tool, confirmedBy, bytes, milliseconds, failure } = call;
  const { name, version } = about.client ?? {};
  const end = phase === 'running' ? {} : { bytes, milliseconds: Math.round(milliseconds * 10) / 10, code: failure?.code };
  return {
    id,
    at,
    state: phase === 'running' ? 'running' : findState(call),
    client: showName([name, version].filter((part) => part !== undefined).join(' ')),
    door: origin.door,
    principal: origin.principal && showName(origin.principal),
    connection: connection && showName(connection),
    tool: showName(tool),
    text: showLine(call.args),
    rows: sum(call, 'rows'),
    changed: sum(call, 'changed'),
    confirmedBy,
    ...end,
  };
}

export function describeLiveFully(call: RecordedCall | undefined, brief: LiveCall): LiveDetails {
  if (call === undefined) return { ...brief, isPartial: true, args: [], audit: [] };
  const { args, reply } = call;
  return {
    ...brief,
    isPartial: false,
    args: listArguments(args, maxArgumentLength),
    // What tools answer was made safe to show.
    answer: reply && cutVisible(reply.content.map(({ text }) => text).join('\n'), maxAnswerLength),
    audit: brief.state === 'running' ? [] : describeCall(call),
  };
}

function findState(call: RecordedCall): LiveCall['state'] {
  if (call.isAsked) return 'asked';
  if (call.failure?.kind === 'cancelled') return 'cancelled';
  const { verdict } = judge(call.failure);
  return verdict === 'ok' && call.isError ? 'error' : verdict;
}

function sum({ statements }: RecordedCall, key: 'rows' | 'changed'): number | undefined {
  const counts = statements.flatMap(({ end }) => end[key] ?? []);
  return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
}

/** The connection has a place of its own. */
function showLine(args: unknown): string {
  const shown = listArguments(args, maxLineLength).filter(({ name }) => name !== 'connection');
  const [only] = shown;
  const line =
    shown.length === 1 && only !== undefined ? only.text : shown.map(({ name, text }) => `${name}: ${text}`).join(', ');
  return cutVisible(line.replaceAll(/\s+/g, ' ').trim(), maxLineLength);
}

/** Each argument apart; a text is shown as it is, anything else as JSON. */
function listArguments(args: unknown, room: number): LiveArgument[] {
  const entries = isFields(args) ? Object.entries(args) : args === undefined ? [] : [['arguments', args] as const];
  return entries.map(([name, value]) => ({ name: showName(name), text: showValue(name, value, room) }));
}

/** A secret is recognized by the name of its argument as well, and in the whole text rather than in a part of it. */
function showValue(name: string, value: unknown, room: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
  const label = `${name}: `;
  const named = redact(`${label}${text}`);
  const clean = named.startsWith(label) ? named.slice(label.length) : redact(text);
  return cutVisible(formatVisible(clean), room);
}

function showName(name: string): string {
  return cutVisible(formatVisibleReply(name).replaceAll(/\s+/g, ' '), maxNameLength);
}
