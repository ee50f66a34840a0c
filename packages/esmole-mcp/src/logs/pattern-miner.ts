import { Turns } from '@dbmole/core';
import { wildcard } from './mask-token.ts';
import { formatPattern, isVariable, type LogLine, splitLine } from './split-line.ts';

/** A line that was read. */
export interface LogEntry {
  readonly message: string;
  /** Milliseconds; undefined where the document has no time that can be read. */
  readonly time: number | undefined;
  readonly level: string | undefined;
  /** The window that it is in. */
  readonly side: Side;
}

export type Side = 'now' | 'baseline';

/** What was read of a pattern in one window. */
export interface Seen {
  count: number;
  first: number | undefined;
  last: number | undefined;
}

export interface LogPattern {
  readonly line: LogLine;
  /** The pattern as text. */
  readonly text: string;
  readonly sample: string;
  readonly seen: Readonly<Record<Side, Seen>>;
  readonly levels: ReadonlyMap<string, number>;
}

/** Lines that are the same but for what was masked. */
interface Shape {
  readonly line: LogLine;
  readonly sample: string;
  readonly seen: Record<Side, Seen>;
  readonly levels: Map<string, number>;
}

/** Shapes that are alike, as in Drain: the same number of words, most of which are equal. */
interface Group {
  tokens: readonly string[];
  readonly shapes: Shape[];
}

/** Bounds of memory and time: further shapes are not told apart, further groups of one length take the most similar one. */
const maxShapes = 20_000;
const maxGroups = 200;
const maxLevels = 8;
/** The share of equal words above which two lines have one pattern. */
const minSimilarity = 0.6;
/** A word with at most so many values tells patterns apart: `accepted` and `declined`. */
const maxSplit = 6;
/** Each of these values has to be seen so often, on average. */
const minLinesPerValue = 4;

/** Finds the patterns of lines. The result depends only on the lines and their order. */
export async function minePatterns(entries: Iterable<LogEntry>): Promise<LogPattern[]> {
  const shapes = new Map<string, Shape>();
  const turns = new Turns();
  for (const entry of entries) {
    countEntry(shapes, entry);
    await turns.next();
  }
  const patterns: LogPattern[] = [];
  for (const group of await groupShapes(shapes.values())) {
    patterns.push(...splitGroup(group.shapes).map(toPattern));
    await turns.next();
  }
  return patterns;
}

function countEntry(shapes: Map<string, Shape>, { message, time, level, side }: LogEntry): void {
  const line = splitLine(message);
  const key = formatPattern(line);
  let shape = shapes.get(key);
  if (shape === undefined) {
    if (shapes.size >= maxShapes) return;
    shape = { line, sample: message, seen: { now: createSeen(), baseline: createSeen() }, levels: new Map() };
    shapes.set(key, shape);
  }
  addSeen(shape.seen[side], { count: 1, first: time, last: time });
  if (level !== undefined && (shape.levels.size < maxLevels || shape.levels.has(level)))
    shape.levels.set(level, (shape.levels.get(level) ?? 0) + 1);
}

function createSeen(): Seen {
  return { count: 0, first: undefined, last: undefined };
}

function addSeen(seen: Seen, { count, first, last }: Seen): void {
  seen.count += count;
  if (first !== undefined && (seen.first === undefined || first < seen.first)) seen.first = first;
  if (last !== undefined && (seen.last === undefined || last > seen.last)) seen.last = last;
}

async function groupShapes(shapes: Iterable<Shape>): Promise<readonly Group[]> {
  const byLength = new Map<number, Group[]>();
  const turns = new Turns();
  // The most frequent shapes come first, so that they decide what a group is about.
  for (const shape of [...shapes].sort((one, other) => countLines(other) - countLines(one))) {
    const { tokens } = shape.line;
    const groups = byLength.get(tokens.length) ?? [];
    byLength.set(tokens.length, groups);
    const found = findGroup(groups, tokens);
    if (found === undefined) groups.push({ tokens, shapes: [shape] });
    else addShape(found, shape);
    await turns.next();
  }
  return [...byLength.values()].flat();
}

function countLines({ seen }: Pick<Shape, 'seen'>): number {
  return seen.now.count + seen.baseline.count;
}

function addShape(group: Group, shape: Shape): void {
  group.tokens = group.tokens.map((token, at) => (token === shape.line.tokens[at] ? token : wildcard));
  group.shapes.push(shape);
}

function findGroup(groups: readonly Group[], tokens: readonly string[]): Group | undefined {
  let best: Group | undefined;
  let most = groups.length < maxGroups ? minSimilarity : -1;
  for (const group of groups) {
    const similarity = compareTokens(group.tokens, tokens);
    if (similarity > most) [best, most] = [group, similarity];
  }
  return best;
}

/** The share of equal words, of all that are not variable in both. */
function compareTokens(pattern: readonly string[], tokens: readonly string[]): number {
  let equal = 0;
  let fixed = 0;
  for (const [at, token] of tokens.entries()) {
    const other = pattern[at] ?? '';
    if (other === wildcard && token === wildcard) continue;
    fixed += 1;
    if (other === token) equal += 1;
  }
  return fixed === 0 ? 1 : equal / fixed;
}

/** Separates the shapes of a group by words that have few values, because these are no variables. */
function splitGroup(shapes: readonly Shape[]): (readonly Shape[])[] {
  const at = findSplit(shapes);
  if (at === undefined) return [shapes];
  const parts = new Map<string, Shape[]>();
  for (const shape of shapes) {
    const value = shape.line.tokens[at] ?? '';
    parts.set(value, [...(parts.get(value) ?? []), shape]);
  }
  return [...parts.values()].flatMap(splitGroup);
}

function findSplit(shapes: readonly Shape[]): number | undefined {
  const lines = shapes.reduce((sum, shape) => sum + countLines(shape), 0);
  const maxValues = Math.min(maxSplit, Math.floor(lines / minLinesPerValue));
  if (shapes.length < 2 || maxValues < 2) return undefined;
  const width = shapes[0]?.line.tokens.length ?? 0;
  for (let at = 0; at < width; at++) {
    const values = new Set<string>();
    for (const { line } of shapes) {
      const word = line.tokens[at] ?? wildcard;
      values.add(word);
      // One that varies for sure says that the others do as well.
      if (isVariable(word) || values.size > maxValues) break;
    }
    if (values.size > 1 && values.size <= maxValues && ![...values].some(isVariable)) return at;
  }
  return undefined;
}

function toPattern(shapes: readonly Shape[]): LogPattern {
  const [first, ...others] = shapes;
  if (first === undefined) throw new TypeError('a pattern has at least one shape');
  const tokens = first.line.tokens.map((token, at) => (others.every(({ line }) => line.tokens[at] === token) ? token : wildcard));
  const seen = { now: createSeen(), baseline: createSeen() };
  const levels = new Map<string, number>();
  for (const shape of shapes) {
    addSeen(seen.now, shape.seen.now);
    addSeen(seen.baseline, shape.seen.baseline);
    for (const [level, count] of shape.levels) levels.set(level, (levels.get(level) ?? 0) + count);
  }
  const line = { tokens, gaps: first.line.gaps };
  return { line, text: formatPattern(line), sample: first.sample, seen, levels };
}
