import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import { systemCode } from '../../files/system-code.ts';
import type { Backend } from '../../manager/backend.ts';
import { findVariable } from '../../program/settings.ts';
import type { AuditLine } from '../../recording/audit/audit-line.ts';
import { AuditReader } from '../../recording/audit/read-audit.ts';
import { formatVisible } from '../../text.ts';
import { type CommandCall, type CommandOptions, exitCodes } from '../command.ts';
import { formatColumns } from '../terminal/table.ts';

const pollMs = 250;
/** On a terminal, unless --limit or --since say otherwise. */
const shownOnTerminal = 100;

/** Prints the audit log, across the files that were put aside. */
export async function audit<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { terminal, options } = call;
  const isWanted = createFilter(options);
  const limit = readLimit(options, terminal.isTerminal);
  const reader = new AuditReader(findLog(call));
  const lines = withoutEnded(readOn(reader), options.json === true).filter(isWanted);
  const shown = limit === undefined ? lines : lines.slice(-limit);
  if (shown.length < lines.length)
    terminal.printError(`The last ${shown.length} of ${lines.length} lines; raise --limit to see more.`);
  print(call, shown);
  if (options.follow) await follow(call, reader, isWanted);
  if (reader.damaged > 0) terminal.printError(`Lines that could not be read: ${reader.damaged}.`);
  return exitCodes.ok;
}

function findLog<C extends BaseConnection, B extends Backend>({ words, terminal, app, definition }: CommandCall<C, B>): string {
  const [named] = words;
  const path = named === undefined ? app.settings.audit : resolve(terminal.cwd, named);
  if (path !== undefined) return path;
  const variable = findVariable(definition.program.app, 'audit');
  throw new Failure('input', 'no audit log is named', { hint: `Write its file after audit, or set ${variable}.` });
}

function readOn(reader: AuditReader): AuditLine[] {
  try {
    return reader.readOn();
  } catch (error) {
    const code = systemCode(error);
    const why = code === 'ENOENT' ? 'there is no such file' : code;
    throw new Failure('input', `the audit log cannot be read: ${why}`, {
      hint: 'A server with --audit creates it at its first call.',
      cause: error,
    });
  }
}

/** Until Ctrl-C, or until the reader of our output has enough. */
async function follow<C extends BaseConnection, B extends Backend>(
  call: CommandCall<C, B>,
  reader: AuditReader,
  isWanted: (line: AuditLine) => boolean,
): Promise<void> {
  const stop = new AbortController();
  const forget = call.terminal.onInterrupt(() => stop.abort());
  try {
    while (!stop.signal.aborted) {
      await delay(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
      const lines = withoutEnded(readAgain(reader), call.options.json === true);
      print(call, lines.filter(({ verdict }) => call.options.json || verdict !== 'begun').filter(isWanted));
    }
  } finally {
    forget();
  }
}

/** For a moment there may be no file, while one is put aside. */
function readAgain(reader: AuditReader): AuditLine[] {
  try {
    return reader.readOn();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The line before a change is worth reading only where none about its end follows. */
function withoutEnded(lines: readonly AuditLine[], isWhole: boolean): AuditLine[] {
  if (isWhole) return [...lines];
  const keyFor = ({ call, fingerprint = '' }: AuditLine) => `${call} ${fingerprint}`;
  const ended = new Set(lines.filter(({ verdict }) => verdict !== 'begun').map(keyFor));
  return lines.filter((line) => line.verdict !== 'begun' || !ended.has(keyFor(line)));
}

function createFilter({ since, connection, tool, errors }: CommandOptions): (line: AuditLine) => boolean {
  const from = since === undefined ? undefined : new Date(readSince(since)).toISOString();
  return (line) =>
    (from === undefined || line.time >= from) &&
    (connection === undefined || line.connection === connection) &&
    (tool === undefined || line.tool === tool) &&
    (!errors || line.verdict !== 'ok');
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `30m`, `2h` and `7d` before now, or a date with or without a time. */
function readSince(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') return Date.now() - Number(count) * units[unit];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new Failure(
    'input',
    `invalid --since ${JSON.stringify(text.slice(0, 40))}: expected 30m, 2h, 7d or a date such as 2026-11-20`,
  );
}

function readLimit({ limit, since }: CommandOptions, isTerminal: boolean): number | undefined {
  if (limit === undefined) return isTerminal && since === undefined ? shownOnTerminal : undefined;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new Failure('input', `invalid --limit ${JSON.stringify(limit.slice(0, 40))}: expected a number such as 100`);
}

const head = ['time', 'client', 'connection', 'tool', 'outcome', 'rows', 'ms', 'text'];

function print<C extends BaseConnection, B extends Backend>(
  { terminal, options }: CommandCall<C, B>,
  lines: readonly AuditLine[],
) {
  if (lines.length === 0) return;
  if (options.json) terminal.print(lines.map((line) => formatVisible(JSON.stringify(line))).join('\n'));
  else terminal.print(formatColumns(head, lines.map(toRow)));
}

function toRow({ time, client, door, connection, tool, ms, rows, changed, text, ...line }: AuditLine): string[] {
  return [
    time.replace('T', ' ').slice(0, 19),
    client ?? door,
    connection ?? '',
    tool,
    formatOutcome(line),
    changed === undefined ? `${rows ?? ''}` : `${changed} changed`,
    ms === undefined ? '' : `${ms}`,
    text ?? '',
  ];
}

function formatOutcome({
  verdict,
  code,
  confirmedBy,
  more,
}: Pick<AuditLine, 'verdict' | 'code' | 'confirmedBy' | 'more'>): string {
  const confirmed = confirmedBy === undefined ? '' : `, confirmed by ${confirmedBy}`;
  const lost = verdict === 'lost' ? ` ${more ?? ''} lines` : '';
  return `${code ?? verdict}${lost}${confirmed}`;
}
