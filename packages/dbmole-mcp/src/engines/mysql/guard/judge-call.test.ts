import { describe, expect, it } from 'vitest';
import { foldName } from './judge-call.ts';
import { builtIn, builtInSomewhere, gluedOnMaria, gluedToBracket, reservedWords } from './known-functions.ts';

describe('foldName', () => {
  it.each([
    ['sleep', 'SLEEP'],
    ['slëép', 'SLEEP'],
    ['ſleep', 'SLEEP'],
    ['ßleep', 'SLEEP'],
    ['benchmarK', 'BENCHMARK'],
    ['get_lock ', 'GET_LOCK'],
    ['lıke', 'LIKE'],
    ['名', '名'],
  ])('compares %s as the servers do', (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });
});

describe('the known functions', () => {
  it('are each in exactly one list', () => {
    const all = [...reservedWords, ...builtIn, ...builtInSomewhere];
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([]);
    expect([...gluedToBracket, ...gluedOnMaria].filter((name) => !builtIn.has(name) && !builtInSomewhere.has(name))).toEqual([]);
  });
});
