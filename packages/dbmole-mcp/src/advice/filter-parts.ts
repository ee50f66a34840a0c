import { bareName } from '../catalog/nearest-tables.ts';

/** A condition that all rows of a scan meet, in the words of the plan. */
export interface FilterPart {
  text: string;
  /** The columns of the table in it, as the catalog has them. */
  columns: ReadonlySet<string>;
}

/** Literals, quoted names, words, and single signs. */
const tokens = /'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|[\p{L}\p{N}_$]+|\s+|\S/gsu;
const maxParts = 20;

/** The parts of an AND. Anything unusual is one part, so that nothing is claimed of its conditions alone. */
export function splitFilter(filter: string, columns: ReadonlySet<string>): FilterPart[] {
  const words = filter.match(tokens) ?? [];
  const isWrapped = words[0] === '(' && findClosing(words, 0) === words.length - 1;
  const inside = isWrapped ? words.slice(1, -1) : words;
  const parts = splitAnd(inside);
  return (parts.length > maxParts ? [words] : parts).map((part) => ({
    text: part.join(''),
    columns: listColumns(part, columns),
  }));
}

function splitAnd(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    depth += { '(': 1, ')': -1 }[word] ?? 0;
    if (depth === 0 && word === 'AND') parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function findClosing(words: readonly string[], open: number): number {
  let depth = 0;
  return words.findIndex((word, at) => {
    if (at < open) return false;
    depth += { '(': 1, ')': -1 }[word] ?? 0;
    return depth === 0;
  });
}

function listColumns(part: readonly string[], columns: ReadonlySet<string>): Set<string> {
  const words = part.filter((word) => word.trim() !== '');
  const names = words.filter((word, at) => !word.startsWith("'") && words[at + 1] !== '(' && words[at + 1] !== '.');
  return new Set(names.map(bareName).filter((name) => columns.has(name)));
}
