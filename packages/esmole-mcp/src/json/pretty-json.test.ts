import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prettyJson } from './pretty-json.ts';

it('formats any JSON as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

it('keeps digits and texts in pretty JSON', () => {
  expect(prettyJson('{"a":9007199254740993,"b":[],"c":{ },"d":"x\\"{,"}')).toBe(
    '{\n  "a": 9007199254740993,\n  "b": [],\n  "c": {},\n  "d": "x\\"{,"\n}',
  );
});

it('takes little more room than a deeply nested text', () => {
  expect(prettyJson(`${'['.repeat(20_000)}${']'.repeat(20_000)}`).length).toBeLessThan(10_000_000);
});
