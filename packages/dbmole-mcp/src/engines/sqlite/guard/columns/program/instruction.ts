import { tooComplex } from '../../refuse.ts';

/** One instruction of the program that SQLite makes of a statement, as EXPLAIN shows it. */
export interface Instruction {
  readonly op: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string;
  readonly p5: number;
}

/** The instructions of a statement, or of one of the triggers that it runs. */
export type Program = readonly Instruction[];

/** EXPLAIN answers with at most this many rows. */
const maxInstructions = 20_000;

type Row = readonly (string | null)[];

/** Reads the rows of EXPLAIN: the program of the statement first, then those of triggers, each of which begins at 0. */
export function readPrograms(rows: readonly Row[]): readonly Program[] {
  if (rows.length > maxInstructions) throw tooComplex('the statement is too long to be traced', 0);
  const programs: Instruction[][] = [];
  for (const [address, op, p1, p2, p3, p4, p5] of rows) {
    if (address === '0') programs.push([]);
    programs.at(-1)?.push({
      op: op ?? '',
      ...{ p1: Number(p1), p2: Number(p2), p3: Number(p3) },
      ...{ p4: p4 ?? '', p5: Number(p5) },
    });
  }
  return programs;
}

/** The name and the number of arguments of a function, which is negative where the function takes any number. */
export function readFunction({ p4 }: Instruction): { name: string; size: number } {
  const [, name = '', size = '-1'] = /^(.*)\((-?\d+)\)$/s.exec(p4) ?? [];
  return { name: name.toLowerCase(), size: Number(size) };
}
