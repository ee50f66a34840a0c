import { Failure } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { type Counted, countPatterns } from './count-patterns.ts';
import { findSearchField, type SearchField } from './log-fields.ts';
import { drawSample, type LogSample, type LogSource } from './log-search.ts';
import type { LogWindow, LogWindows } from './log-window.ts';
import { type LogPattern, minePatterns, type Side } from './pattern-miner.ts';
import { hasForm, type PatternQuery, queryAll, queryPattern } from './pattern-query.ts';

/** Lines that are drawn from each window, and those that are drawn when rarer patterns are looked for. */
const sampleSize = 4_000;
const rareSize = 1_000;
/** Each round looks at lines that have no pattern of the rounds before. */
const maxRounds = 3;
/** Patterns that new ones are compared with, where not all could be left out of a search. */
const maxOpen = 500;
/** Patterns that are counted in the whole windows. */
const maxCounted = 100;

type Sides<T> = Partial<Record<Side, T>>;

export interface FoundPattern extends LogPattern {
  readonly found: PatternQuery | undefined;
  /** How many lines of each window one drawn line represents. */
  readonly weights: Sides<number>;
  /** Counts in the whole windows, as far as they were counted. */
  readonly counted: Sides<Counted>;
}

/** What is known of the lines of a window. */
export interface SideReport {
  readonly total: number;
  /** Lines that were drawn from all of them. */
  readonly drawn: number;
  /** Lines without the words of any pattern, at the end; undefined where that was not asked. */
  unknown: number | undefined;
}

export interface PatternReport {
  readonly patterns: readonly FoundPattern[];
  readonly sides: Sides<SideReport>;
  readonly message: string;
  /** Why the whole windows were not searched; undefined where they were, or where all lines were read. */
  readonly sampledOnly: string | undefined;
  readonly answers: readonly Answer[];
}

interface PatternSearch {
  readonly source: LogSource;
  readonly windows: readonly (readonly [Side, LogWindow])[];
  readonly field: SearchField | undefined;
  readonly patterns: FoundPattern[];
  readonly sides: Sides<SideReport>;
  readonly answers: Answer[];
}

/** The patterns of the lines in one window or two: of those that are drawn first, and then of lines that have none of these. */
export async function findPatterns(source: LogSource, { now, baseline }: LogWindows): Promise<PatternReport> {
  const windows: (readonly [Side, LogWindow])[] = [['now', now]];
  if (baseline !== undefined) windows.push(['baseline', baseline]);
  const drawn = await onEach(windows, (side, window) => drawSample(source, { window, side, size: sampleSize }));
  const message = drawn.now?.message ?? drawn.baseline?.message ?? source.fields.messages[0] ?? '';
  const field = findSearchField(source.fields, message);
  const search: PatternSearch = { source, windows, field, patterns: [], sides: {}, answers: [] };
  for (const [side, sample] of entriesOf(drawn))
    search.sides[side] = { total: sample.total, drawn: sample.drawn, unknown: undefined };
  await addPatterns(search, drawn);
  const sampledOnly = await searchWhole(search, message);
  return { ...search, message, sampledOnly };
}

async function onEach<T>(
  windows: PatternSearch['windows'],
  work: (side: Side, window: LogWindow) => Promise<T>,
): Promise<Sides<T>> {
  const done = await Promise.all(windows.map(async ([side, window]) => [side, await work(side, window)] as const));
  return Object.fromEntries(done) as Sides<T>;
}

function entriesOf<T>({ now, baseline }: Sides<T>): [Side, T][] {
  const sides: [Side, T | undefined][] = [
    ['now', now],
    ['baseline', baseline],
  ];
  return sides.filter((one): one is [Side, T] => one[1] !== undefined);
}

/** Whether every line of every window was read. */
function isComplete({ sides }: PatternSearch): boolean {
  return entriesOf(sides).every(([, { total, drawn }]) => drawn >= total);
}

/** `open` are patterns whose lines may be drawn again. */
async function addPatterns(
  { field, patterns, answers }: PatternSearch,
  drawn: Sides<LogSample>,
  open: readonly FoundPattern[] = [],
): Promise<void> {
  const samples = entriesOf(drawn);
  const weights: Sides<number> = {};
  for (const [side, { total, entries }] of samples)
    weights[side] = entries.length === 0 ? 0 : Math.max(1, total / entries.length);
  for (const pattern of await minePatterns(samples.flatMap(([, { entries }]) => entries))) {
    if (open.some(({ line }) => hasForm(pattern.line, line))) continue;
    const found = field === undefined ? undefined : queryPattern(pattern, field);
    patterns.push({ ...pattern, found, weights, counted: {} });
  }
  answers.push(...samples.map(([, { answer }]) => answer));
}

/** Looks at the whole windows, or returns why it cannot. What was drawn already is an answer as well. */
async function searchWhole(search: PatternSearch, message: string): Promise<string | undefined> {
  if (isComplete(search)) return undefined;
  if (search.field === undefined) return `${message} is not indexed for searching`;
  try {
    await findRare(search, search.field);
    await countAll(search, message);
    return undefined;
  } catch (error) {
    if (search.source.call.signal.aborted || !(error instanceof Failure)) throw error;
    return error.message.slice(0, maxReason);
  }
}

const maxReason = 200;

async function findRare(search: PatternSearch, field: SearchField): Promise<void> {
  const { source, windows, sides } = search;
  for (let round = 0; round < maxRounds; round++) {
    const known = byFrequency(search.patterns);
    const queries = queryAll(known, field);
    const without = [...queries.values()];
    const drawn = await onEach(windows, (side, window) => drawSample(source, { window, side, size: rareSize, without }));
    for (const [side, sample] of entriesOf(drawn)) {
      const report = sides[side];
      // All that is left was read, so that its patterns are known as well.
      if (report !== undefined) report.unknown = sample.drawn >= sample.total ? 0 : sample.total;
    }
    const open = known.filter((pattern) => !queries.has(pattern));
    await addPatterns(search, drawn, open.slice(0, maxOpen));
    if (entriesOf(sides).every(([, { unknown }]) => unknown === 0)) return;
  }
}

/** The number of lines in both windows, as far as what was drawn shows it. */
export function estimateCount({ seen, weights }: Pick<FoundPattern, 'seen' | 'weights'>, side: Side): number {
  return Math.round(seen[side].count * (weights[side] ?? 0));
}

function byFrequency(patterns: readonly FoundPattern[]): FoundPattern[] {
  const count = (pattern: FoundPattern) => estimateCount(pattern, 'now') + estimateCount(pattern, 'baseline');
  return [...patterns].sort((one, other) => count(other) - count(one));
}

/** Patterns of one window alone come first: whether the other one has them is the question. */
async function countAll(search: PatternSearch, message: string): Promise<void> {
  const { source, windows, patterns } = search;
  const isOneSided = ({ seen }: FoundPattern) => windows.length > 1 && (seen.now.count === 0 || seen.baseline.count === 0);
  const frequent = byFrequency(patterns).filter(({ found }) => found !== undefined);
  const chosen = [...frequent.filter(isOneSided), ...frequent.filter((one) => !isOneSided(one))].slice(0, maxCounted);
  if (chosen.length === 0) return;
  const counts = await onEach(windows, async (side, window) => {
    const asked = chosen.flatMap(({ line, found, seen }) =>
      found === undefined ? [] : [{ line, found, isSought: seen[side].count === 0 }],
    );
    return await countPatterns(source, window, { patterns: asked, message });
  });
  for (const [side, counted] of entriesOf(counts)) {
    for (const [at, pattern] of chosen.entries()) {
      const count = counted[at];
      if (count !== undefined) pattern.counted[side] = count;
    }
  }
}
