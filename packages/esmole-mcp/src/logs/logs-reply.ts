import { redactData, respond, type ToolReply, truncateRows } from '@dbmole/core';
import { formatIncomplete } from '../answer/incomplete.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import type { LogsArgs } from '../tools/logs.ts';
import { type ComparedPattern, comparePatterns, type LineCount } from './compare-patterns.ts';
import { findPatterns, type PatternReport, type SideReport } from './find-patterns.ts';
import { findLogFields } from './log-fields.ts';
import { type LogSource, readExtent } from './log-search.ts';
import { formatWindow, type LogWindows, resolveWindows } from './log-window.ts';

/** Characters of the answer, of a pattern and of a sample. */
const budget = 4_000;
const maxPattern = 180;
const maxSample = 140;

export async function findLogPatterns(call: ClusterCall, args: LogsArgs): Promise<ToolReply> {
  const { index, query, field, time_field: timeField, seed = 1, offset = 0 } = args;
  const windows = resolveWindows(args, new Date());
  const fields = await findLogFields(call, { index, field, timeField });
  const source: LogSource = { call, index, query, fields, seed };
  const report = await findPatterns(source, windows);
  const compared = comparePatterns(report);
  const notes = await describeProblems(source, report);
  const head = `${formatHead(source, report, windows)} ${formatChanges(compared, report)}`.trimEnd();
  const room = budget - head.length - notes.join(' ').length - reserve;
  const { body, shown } = formatTable(compared.slice(offset), { report, room });
  const end = offset + shown;
  const more = end < compared.length ? `Patterns ${offset + 1}-${end} of ${compared.length}; more: offset=${end}.` : '';
  return respond.text(body, { line: [head, more, ...notes].filter((text) => text !== '').join(' '), budget });
}

/** Characters of the first line that come with the table. */
const reserve = 160;

function formatHead({ fields, seed }: LogSource, { sides, message }: PatternReport, windows: LogWindows): string {
  const { now, baseline } = sides;
  const about = [fields.time, ...(message === '' ? [] : [message])].join(', ');
  const own = `${formatLines(now)} from ${formatWindow(windows.now)} (${about})`;
  if (windows.baseline === undefined) return `${own}${formatSeed([now], seed)}.`;
  return `${own}; baseline: ${formatLines(baseline)} from ${formatWindow(windows.baseline)}${formatSeed([now, baseline], seed)}.`;
}

function formatLines(side: SideReport | undefined): string {
  const { total = 0, drawn = 0 } = side ?? {};
  const lines = total === 1 ? '1 line' : `${formatCount(total)} lines`;
  return drawn < total ? `${lines} (${formatCount(drawn)} drawn)` : lines;
}

function formatSeed(sides: readonly (SideReport | undefined)[], seed: number): string {
  return sides.some((side) => side !== undefined && side.drawn < side.total) ? `; seed ${seed}` : '';
}

function formatChanges(compared: readonly ComparedPattern[], report: PatternReport): string {
  const count = (change: string) => compared.filter((one) => one.change === change).length;
  const { now, baseline } = report.sides;
  const isCompared = isComparison(report);
  const isEmpty = baseline !== undefined && !isCompared && (now?.total ?? 0) > 0;
  const nothing = isEmpty ? ['The baseline has no lines, so nothing is compared.'] : [];
  const changes = isCompared ? [`${count('new')} new, ${count('gone')} gone.`] : nothing;
  const isSampled = [now, baseline].some((side) => side !== undefined && side.drawn < side.total);
  return [...changes, ...(isSampled ? formatLimits(report, isCompared) : [])].join(' ');
}

function isComparison({ sides: { now, baseline } }: PatternReport): boolean {
  return (now?.total ?? 0) > 0 && (baseline?.total ?? 0) > 0;
}

/** What a sample cannot exclude. */
function formatLimits({ sides, sampledOnly }: PatternReport, isCompared: boolean): string[] {
  const about = 'Counts are of lines with all words of the pattern; ~: extrapolated.';
  if (sampledOnly !== undefined)
    return [
      about,
      `Only drawn lines were compared (${sampledOnly}): rarer patterns may be missing${isCompared ? ', and new ones be old' : ''}.`,
    ];
  const unknown = [sides.now, sides.baseline].reduce((sum, side) => sum + (side?.unknown ?? 0), 0);
  const rest =
    unknown === 0
      ? 'All lines were searched; not told apart: a rare line that has all words of a frequent pattern.'
      : `${formatCount(unknown)} lines fit none of the patterns, so rare ones may be missing: narrow the query.`;
  return [about, rest];
}

/** Where the lines are, if the window has none. */
async function describeExtent(source: LogSource, { sides }: PatternReport): Promise<string[]> {
  if ((sides.now?.total ?? 0) > 0) return [];
  const { first, last } = await readExtent(source);
  if (first === undefined || last === undefined) return ['No other time has lines either.'];
  return [`The lines are from ${formatMoment(first)} to ${formatMoment(last)}.`];
}

function formatMoment(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** What a caller may have given wrongly. */
function describeMessage({ fields }: LogSource, { patterns, sides, message }: PatternReport): string[] {
  const drawn = (sides.now?.drawn ?? 0) + (sides.baseline?.drawn ?? 0);
  if (patterns.length > 0 || drawn === 0) return [];
  const tried = fields.messages.length === 0 ? 'any field' : quoteRemoteName(message);
  return [`None of these lines has text in ${tried}: pass another field, or none to find it.`];
}

async function describeProblems(source: LogSource, report: PatternReport): Promise<string[]> {
  const { call } = source;
  const { answers } = report;
  const missing = [...(await describeExtent(source, report)), ...describeMessage(source, report)];
  const incomplete = answers.flatMap(({ json }) => formatIncomplete(json, { terminateAfter: false }));
  const news = answers.flatMap((answer) => call.news(answer));
  return [...new Set([...missing, ...incomplete, ...news])];
}

interface TablePlace {
  report: PatternReport;
  room: number;
}

function formatTable(compared: readonly ComparedPattern[], { report, room }: TablePlace): { body: string; shown: number } {
  if (compared.length === 0) return { body: '', shown: 0 };
  const isCompared = isComparison(report);
  const columns = [...(isCompared ? ['change', 'lines', 'baseline'] : ['lines']), 'level', 'first', 'last', 'pattern', 'sample'];
  const writer = truncateRows({ columns, budget: room, rowLimit: maxRows, cellLimit: maxPattern + maxSample });
  const formatTime = openTimeFormat(compared);
  for (const one of compared) {
    const { pattern, level, first, last } = one;
    const counts = isCompared
      ? [formatChange(one), formatLineCount(one.now), formatLineCount(one.baseline)]
      : [formatLineCount(one.now)];
    const text = cutText(pattern.text, maxPattern);
    const sample = pattern.sample.startsWith(pattern.text) ? 'same' : cutText(pattern.sample, maxSample);
    if (!writer.add([...counts, level === '' ? none : level, formatTime(first), formatTime(last), text, sample])) break;
  }
  const { body, shownRows } = writer.finish();
  return { body, shown: shownRows };
}

const maxRows = 60;
/** A cell without a value. */
const none = '-';

function formatChange({ change, factor, now, baseline }: ComparedPattern): string {
  if (now === undefined || baseline === undefined) return '?';
  if (factor === undefined || change === undefined) return change ?? '=';
  return change === 'more' ? `x${formatFactor(factor)}` : `/${formatFactor(1 / factor)}`;
}

function formatFactor(factor: number): string {
  return factor < 10 ? factor.toFixed(1) : String(Math.round(factor));
}

function formatLineCount(count: LineCount | undefined): string {
  return count === undefined ? '?' : `${count.isAbout ? '~' : ''}${count.count}`;
}

/** Whole seconds in UTC, without the day where it is the same everywhere. */
function openTimeFormat(compared: readonly ComparedPattern[]): (time: number | undefined) => string {
  const times = compared.flatMap(({ first, last }) => [first, last]).filter((time) => time !== undefined);
  const days = new Set(times.map((time) => Math.floor(time / dayMs)));
  const from = days.size === 1 ? 'YYYY-MM-DDT'.length : 0;
  return (time) => (time === undefined ? none : new Date(time).toISOString().slice(from, 'YYYY-MM-DDTHH:MM:SS'.length));
}

const dayMs = 86_400_000;

function cutText(text: string, max: number): string {
  const plain = redactData(text).replace(/\s+/g, ' ');
  return plain.length > max ? `${plain.slice(0, max)}…` : plain;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
