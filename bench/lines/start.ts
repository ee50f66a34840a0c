import { type Line, type Measured, medianOf } from '../line.ts';
import { type Program, programs, type Round, startRounds } from '../start-rounds.ts';
import type { Era, Sample } from '../start-sample.ts';

const eras: readonly Era[] = ['legacy', 'modern'];
const firstRequest: Record<Era, string> = { legacy: 'initialize', modern: 'server/discover' };

/** How long a client waits for the first answer, as a multiple of what an empty program needs at the same moment. */
export const startLines: readonly Line[] = programs.flatMap((program) =>
  eras.map((era) => ({
    name: `${program} start, ${firstRequest[era]}`,
    goal: 2.5,
    unit: 'x',
    measure: async (options) => compareToFloor(program, await startRounds(era, options)),
  })),
);

export const memoryLines: readonly Line[] = programs.map((program) => ({
  name: `${program} memory after tools/list`,
  goal: 62,
  unit: 'MB',
  measure: async (options) => {
    const rounds = await startRounds('legacy', options);
    const of = (which: Program) => numbers(rounds.map((round) => round[which].rss));
    const values = of(program);
    return { value: medianOf(values), details: { min: Math.min(...values), floor: medianOf(of('floor')) } };
  },
}));

/** Every byte of it is read by the model at the start of each conversation. */
export const listLines: readonly Line[] = programs.map((program) => ({
  name: `${program} tools/list`,
  goal: program === 'esmole-mcp' ? 8_500 : 9_000,
  unit: 'bytes',
  measure: async (options) => {
    const rounds = await startRounds('legacy', options);
    return { value: medianOf(rounds.map((round) => round[program].listBytes)), details: {} };
  },
}));

function compareToFloor(program: Program, rounds: readonly Round[]): Measured {
  const column = (which: Program, field: 'ms' | 'cpu'): number[] => numbers(rounds.map((round) => round[which][field]));
  const cpu = medianOf(column(program, 'cpu'));
  return {
    value: medianOf(rounds.map((round) => round[program].ms / round.floor.ms)),
    details: {
      ms: medianOf(column(program, 'ms')),
      min: Math.min(...column(program, 'ms')),
      floorMs: medianOf(column('floor', 'ms')),
      floorMin: Math.min(...column('floor', 'ms')),
      cpu: known(cpu),
      cpuRatio: known(cpu / medianOf(column('floor', 'cpu'))),
    },
  };
}

function numbers(values: readonly (Sample['cpu'] | undefined)[]): number[] {
  return values.filter((value) => typeof value === 'number');
}

function known(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
