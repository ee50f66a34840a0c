import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, everythingVisible, intersectLists, narrowNames } from './index-names.ts';

const open = { systemIndices: false };

describe('the indices of several policies', () => {
  it.each([
    [[undefined, undefined], undefined],
    [
      [['a', 'b'], undefined],
      ['a', 'b'],
    ],
    [[['logs-*'], ['logs-app-*', 'x']], ['logs-app-*']],
    [[['logs-app', 'y'], ['logs-*']], ['logs-app']],
    [[['a*'], ['*b']], []],
    [[['*'], ['a']], ['a']],
  ])('%j allow %j', (lists, allowed) => {
    expect(intersectLists(lists)).toEqual(allowed);
  });
});

describe('names of indices', () => {
  it.each([
    ['*', everythingVisible],
    [undefined, everythingVisible],
    ['_all', everythingVisible],
    ['a,*', `a,${everythingVisible}`],
    ['*,-b*', `${everythingVisible},-b*`],
    [everythingVisible, everythingVisible],
    ['a,b-*', 'a,b-*'],
  ])('%s are narrowed to what is not hidden', (text, sent) => {
    expect(narrowNames(text, open, 'documents')).toBe(sent);
  });

  it('keeps names where hidden indices are allowed, or only described', () => {
    expect(narrowNames('*', { systemIndices: true }, 'documents')).toBe('*');
    expect(narrowNames(undefined, { systemIndices: true }, 'documents')).toBeUndefined();
    expect(narrowNames('*', open, 'descriptions')).toBe('*');
    expect(narrowNames('*a', open, 'descriptions')).toBe('*a');
  });

  it.each(['rem:_all', 'rem:_all,rem:a', 'rem:_local', 'rem:+a', '_all:a'])('refuses %s, which no index is called', (name) => {
    for (const rules of [open, { ...open, indices: ['rem:*'] }])
      expect(() => narrowNames(name, rules, 'documents')).toThrow('begins with');
  });

  it('narrows names to the list of the connection', () => {
    const rules = { systemIndices: false, indices: ['a', 'b-*'] };
    expect(narrowNames('*', rules, 'documents')).toBe('a,b-*');
    expect(narrowNames(undefined, rules, 'descriptions')).toBe('a,b-*');
    expect(narrowNames('b-1*,a,-b-12', rules, 'documents')).toBe('b-1*,a,-b-12');
    expect(() => narrowNames('b*', rules, 'documents')).toThrow('not among');
    expect(() => narrowNames('.ds-c-000001', rules, 'documents')).toThrow('not among');
    expect(narrowNames('.ds-b-x-000001', rules, 'documents')).toBe('.ds-b-x-000001');
    expect(() => narrowNames('.ds-b-*', rules, 'documents')).toThrow('not among');
  });

  it('covers a pattern only by one that matches at least as much', () => {
    const glob = fc.array(fc.constantFrom('a', 'b', '*', ':'), { maxLength: 4 }).map((parts) => parts.join(''));
    const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(glob, glob, text, (pattern, name, member) => {
        fc.pre(covers(pattern, name) && covers(name, member));
        expect(covers(pattern, member)).toBe(true);
      }),
      { maxSkipsPerRun: 1_000 },
    );
  });

  it('refuses hidden names in any notation', () => {
    const part = fc.array(fc.constantFrom('.', 's', '*', '-', '<', '>', '{now', '}', "'", '_', ':', '+', 'é', ' '), {
      maxLength: 7,
    });
    fc.assert(
      fc.property(part, (parts) => {
        const name = parts.join('');
        let sent: string | undefined;
        try {
          sent = narrowNames(name, open, 'documents');
        } catch {
          return;
        }
        const first = sent?.replace(everythingVisible, 's') ?? '';
        expect(first).toMatch(/^(?:<?[^.*<>{:\s_+-]|\.ds-[^.*])/);
        expect(first).not.toMatch(/:[.*]/);
      }),
    );
  });
});
