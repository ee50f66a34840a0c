import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText } from './json-text.ts';

describe('parseJsonText', () => {
  it('reads what JSON.parse reads', () => {
    const noPrototype = (text: string) => !text.includes('__proto__');
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }).filter(noPrototype), fc.constantFrom(undefined, 2, '\t'), (text, indent) => {
        const value: unknown = JSON.parse(text);
        expect(parseJsonText(JSON.stringify(value, null, indent), 'x').value).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\n',
      '\\',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const repeated = /"a"[^"]*"a"/.test(text);
        expect(outcome(() => parseJsonText(text, 'x').value)).toEqual(
          repeated ? expect.anything() : outcome(() => JSON.parse(text)),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['', 1, 1, 'the text ends where a value is expected'],
    ['{\n  "a": 1,\n}', 3, 1, 'there is a comma before }'],
    ['[1,]', 1, 4, 'there is a comma before ]'],
    ['{"a": 1 "b": 2}', 1, 9, 'expected a comma or }'],
    ['{"a" 1}', 1, 6, 'expected a colon'],
    ['{a: 1}', 1, 2, 'expected a key in double quotes'],
    ['["abc', 1, 2, 'no closing quote'],
    ['["a\nb"]', 1, 4, 'a line break'],
    ['["\\x"]', 1, 2, 'an escape that JSON does not know'],
    ['[01]', 1, 3, 'expected a comma or ]'],
    ['{} x', 1, 4, 'more text after the end'],
    ['// hello\n{}', 1, 1, 'comments are not allowed'],
    ['{"a": 1, "a": 2}', 1, 10, 'this key occurs twice'],
    ['{"x": {"__proto__": {}}}', 1, 8, '__proto__ is not accepted'],
    ['['.repeat(100), 1, 66, 'nested deeper'],
  ])('says where %j is wrong', (text, line, column, reason) => {
    expect(() => parseJsonText(text, 'the file')).toThrow(`the file is not valid JSON at line ${line}, column ${column}: `);
    expect(() => parseJsonText(text, 'the file')).toThrow(reason);
  });

  it('takes comments only where they are allowed', () => {
    const text = '// one\n{ /* two */ "a": 1, // "b": 2\n "c": "//", /**/ "d": [/*,*/] } // three';
    expect(parseJsonText(text, 'x', { comments: true }).value).toEqual({ a: 1, c: '//', d: [] });
    expect(() => parseJsonText('{} /* x', 'x', { comments: true })).toThrow('line 1, column 4: this comment has no end');
    expect(() => parseJsonText('{} / x', 'x', { comments: true })).toThrow('more text after the end');
  });

  it('never quotes the text', () => {
    const canary = 'canary-value';
    for (const text of [
      canary,
      `"${canary}`,
      `{"${canary}" 1}`,
      `{"p": "${canary}" x}`,
      `["${canary}\\q"]`,
      `{"${canary}":1,"${canary}":2}`,
    ]) {
      expect(() => parseJsonText(text, 'x')).toThrow(expect.not.objectContaining({ message: expect.stringContaining(canary) }));
    }
  });

  it('knows the lines of objects and takes a byte order mark', () => {
    const { value, findLine } = parseJsonText('\uFEFF[\r\n {},\n\n [{"a": 1}]]', 'x');
    expect(value).toEqual([{}, [{ a: 1 }]]);
    const [first, second] = Array.isArray(value) ? value : [];
    expect([findLine(value), findLine(first), findLine(second), findLine('a')]).toEqual([1, 2, 4, undefined]);
  });
});

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}
