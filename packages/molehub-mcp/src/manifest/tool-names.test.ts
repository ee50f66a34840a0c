import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWanted, maxNameLength, nameParts } from './tool-names.ts';

const names = (...tools: [server: string, tool: string][]) => [
  ...nameParts(tools.map(([server, name]) => ({ server, name }))).keys(),
];

describe('nameParts', () => {
  it('joins the name of the server and that of the tool', () => {
    expect(names(['shop', 'read_file'], ['my files', 'list.all'])).toEqual(['shop__read_file', 'my_files__list_all']);
  });

  it('gives names that no two tools share, none too long, whatever other tools there are', () => {
    const part = fc.string({ minLength: 1, maxLength: 80 });
    const tools = fc.uniqueArray(fc.tuple(part, part), { maxLength: 12, selector: (pair) => JSON.stringify(pair) });
    fc.assert(
      fc.property(tools, (pairs) => {
        const found = names(...pairs);
        expect(new Set(found).size).toBe(pairs.length);
        for (const name of found) expect(name).toMatch(new RegExp(`^[A-Za-z0-9_-]{1,${maxNameLength}}$`));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the name of a long tool when others come and go', () => {
    const long: [string, string] = ['a-server-with-a-long-name', 'and_a_tool_whose_name_is_even_longer_than_that'];
    const [alone] = names(long);
    expect(alone).toHaveLength(maxNameLength);
    expect(names(['x', 'y'], long)).toContain(alone);
  });

  it('tells two tools apart that would have one name', () => {
    const both = names(['a', 'b__c'], ['a__b', 'c']);
    expect(both[0]).toMatch(/^a__b__c_[0-9a-f]{6}$/);
    expect(new Set(both).size).toBe(2);
  });
});

describe('a name that a server chose to take that of another tool', () => {
  it('leaves it to neither', () => {
    const [victim = ''] = names(['a__b', 'c'], ['a', 'b__c']);
    const thief: [string, string] = ['a', victim.slice('a__'.length)];
    const found = names(['a__b', 'c'], ['a', 'b__c'], thief);
    expect(new Set(found).size).toBe(3);
    expect(found).not.toContain(victim);
  });
});

describe('isWanted', () => {
  it.each([
    ['read_file', undefined, true],
    ['read_file', [], false],
    ['read_file', ['read_*'], true],
    ['read_file', ['*file'], true],
    ['read_file', ['r*_*e'], true],
    ['read_file', ['read'], false],
    ['aa', ['a*a*a'], false],
    ['read_file', ['list_*', 'read_file'], true],
  ])('%s in %j is %s', (tool, patterns, wanted) => {
    expect(isWanted(tool, patterns)).toBe(wanted);
  });
});
