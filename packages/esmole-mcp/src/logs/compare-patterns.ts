import { estimateCount, type FoundPattern, type PatternReport } from './find-patterns.ts';
import type { Side } from './pattern-miner.ts';

/** How many lines of a window have a pattern. */
export interface LineCount {
  readonly count: number;
  /** It was extrapolated from a sample, or may include lines of other patterns with the same words. */
  readonly isAbout: boolean;
}

export type Change = 'new' | 'gone' | 'more' | 'less' | undefined;

export interface ComparedPattern {
  readonly pattern: FoundPattern;
  /** Undefined where the window was not searched for it. */
  readonly now: LineCount | undefined;
  readonly baseline: LineCount | undefined;
  readonly change: Change;
  /** How much more, or less, of all lines have it than in the baseline. */
  readonly factor: number | undefined;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly level: string;
}

/** A change of a share by this factor is shown, if a window has so many lines. */
const minFactor = 3;
const minLines = 10;
/** Standard deviations by which a count may differ from what a sample shows. */
const tolerance = 4;

/** New patterns first, then those that are gone, those that changed, and the frequent ones. */
export function comparePatterns({ patterns, sides }: PatternReport): ComparedPattern[] {
  const totals = { now: sides.now?.total ?? 0, baseline: sides.baseline?.total ?? 0 };
  const compared = patterns.map((pattern) => comparePattern(pattern, totals));
  return compared.sort((one, other) => rank(other) - rank(one) || amount(other) - amount(one) || order(one, other));
}

function comparePattern(pattern: FoundPattern, totals: Record<Side, number>): ComparedPattern {
  const now = countLines(pattern, 'now');
  const baseline = totals.baseline === 0 ? undefined : countLines(pattern, 'baseline');
  const factor = findFactor({ now, baseline }, totals);
  const change = findChange({ now, baseline, factor });
  const shown = change === 'gone' ? 'baseline' : 'now';
  return { pattern, now, baseline, change, factor, ...findTimes(pattern, shown), level: findLevel(pattern) };
}

/** The count of the whole window where it fits what was drawn, and else what the sample shows. */
function countLines(pattern: FoundPattern, side: Side): LineCount | undefined {
  const { seen, weights, counted } = pattern;
  const weight = weights[side] ?? 0;
  const drawn = seen[side].count;
  if (weight <= 1 && drawn > 0) return { count: drawn, isAbout: false };
  const whole = counted[side];
  if (drawn === 0) return whole === undefined ? (weight === 1 ? nothing : undefined) : countUndrawn(pattern, side);
  if (whole !== undefined && fits(whole.count, drawn, weight)) return { count: whole.count, isAbout: false };
  return { count: estimateCount(pattern, side), isAbout: true };
}

const nothing: LineCount = { count: 0, isAbout: false };

/** A window whose sample does not have the pattern. */
function countUndrawn(pattern: FoundPattern, side: Side): LineCount | undefined {
  const whole = pattern.counted[side];
  if (whole === undefined || !isReliable(pattern)) return undefined;
  if (whole.count === 0) return nothing;
  // Each line with these words, as far as one looked, has another form.
  if (whole.isOther) return { count: 0, isAbout: whole.count > maxLooked };
  return { count: whole.count, isAbout: true };
}

const maxLooked = 10;

/** A query that does not find what was read says nothing about a window either: the field may be analyzed in another way. */
function isReliable({ seen, counted }: FoundPattern): boolean {
  const sides: readonly Side[] = ['now', 'baseline'];
  return sides.every((side) => (counted[side]?.count ?? 0) >= seen[side].count);
}

function fits(count: number, drawn: number, weight: number): boolean {
  const spread = weight * (tolerance * Math.sqrt(drawn) + 1);
  return count >= drawn && Math.abs(count - drawn * weight) <= spread;
}

type Counts = Pick<ComparedPattern, 'now' | 'baseline' | 'factor'>;

function findFactor({ now, baseline }: Omit<Counts, 'factor'>, totals: Record<Side, number>): number | undefined {
  if (now === undefined || baseline === undefined || now.count === 0 || baseline.count === 0) return undefined;
  return now.count / totals.now / (baseline.count / totals.baseline);
}

function findChange({ now, baseline, factor }: Counts): Change {
  if (now === undefined || baseline === undefined) return undefined;
  if (baseline.count === 0) return now.count > 0 ? 'new' : undefined;
  if (now.count === 0) return 'gone';
  if (factor === undefined || Math.max(now.count, baseline.count) < minLines) return undefined;
  if (factor >= minFactor) return 'more';
  return factor <= 1 / minFactor ? 'less' : undefined;
}

function findTimes({ seen, counted }: FoundPattern, side: Side): Pick<ComparedPattern, 'first' | 'last'> {
  const whole = counted[side];
  const isWhole = whole !== undefined && whole.count >= seen[side].count && whole.first !== undefined;
  return isWhole ? { first: whole.first, last: whole.last } : { first: seen[side].first, last: seen[side].last };
}

/** The most frequent levels. */
function findLevel({ levels }: FoundPattern): string {
  const sorted = [...levels].sort(([, one], [, other]) => other - one);
  return sorted
    .slice(0, 2)
    .map(([level]) => level)
    .join('/');
}

const ranks: Readonly<Record<NonNullable<Change>, number>> = { new: 4, gone: 3, more: 2, less: 1 };

function rank({ change }: ComparedPattern): number {
  return change === undefined ? 0 : ranks[change];
}

/** Among patterns that changed in the same way, errors come first, and then what is frequent. */
function amount({ now, baseline, level }: ComparedPattern): number {
  const count = Math.max(now?.count ?? 0, baseline?.count ?? 0);
  return severe.test(level) ? count + Number.MAX_SAFE_INTEGER / 2 : count;
}

const severe = /^(?:ERR|CRIT|FATAL|SEVERE|ALERT|EMERG|PANIC)/;

function order(one: ComparedPattern, other: ComparedPattern): number {
  return one.pattern.text < other.pattern.text ? -1 : 1;
}
