/** Chances that the same seed gives again. */
export interface SeededRandom {
  /** A whole number from 0, less than this. */
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** True once in so many times. */
  oneIn(times: number): boolean;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
  return { below, pick: (list) => list[below(list.length)] ?? list[0], oneIn: (times) => below(times) === 0 };
}
