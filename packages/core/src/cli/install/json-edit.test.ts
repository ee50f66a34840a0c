import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { readJsonEntry, writeJsonEntry } from './json-file.ts';

const entry = { command: 'npx', args: ['-y', 'one-mcp'] };
const write = (text: string, name: string, value: unknown) =>
  writeJsonEntry({ text, path: ['servers', name], where: 'a file' }, value);
const add = (text: string, name: string) => write(text, name, entry);
const remove = (text: string, name: string) => write(text, name, undefined);

/** Files in the styles of people and programs. */
const texts = {
  minified: '{"a":1,"servers":{"other":{"command":"x"}},"n":12345678901234567890}',
  'without a section': '{"a":1}',
  'without anything': '{}',
  'without anything, and a comment': '{\n  // mine\n}\n',
  'on several lines': '{\n  "servers": {\n    "other": {"command": "x", "args": [1,2]}\n  }\n}\n',
  'with comments and trailing commas':
    '// top\n{\n  // a\n  "servers": {\n    "other": {"command": "x"}, // t\n    // the end\n  },\n  "z": [1,2,],\n}\n// end\n',
  'with a comment and no comma': '{\n  "servers": {\n    "other": {} // t\n  } /* b */\n}',
  'with one on the line of the brace': '{ "servers": { "other": {}, // t\n } }',
  'with tabs and CRLF': '{\r\n\t"servers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n',
  'with the mark of its encoding': '\uFEFF{\n    "a": {"b":[]}\n}\n',
};

describe('an entry of a client’s JSON file', () => {
  it.each(Object.entries(texts))('comes and goes without a trace in a file %s', (_, text) => {
    const both = add(add(text, 'one'), 'two');
    for (const name of ['one', 'two']) expect(readJsonEntry(both, ['servers', name], 'a file')).toEqual(entry);
    const errors: never[] = [];
    parse(both.replace('\uFEFF', ''), errors, { allowTrailingComma: true });
    expect(errors).toEqual([]);
    expect(remove(remove(both, 'two'), 'one')).toBe(text);
    expect(remove(remove(both, 'one'), 'two')).toBe(text);
  });

  it.each(Object.entries(texts))('leaves every other line as it is in a file %s', (_, text) => {
    const written = new Set(add(text, 'one').split('\n'));
    const changed = text.split('\n').filter((line) => !written.has(line));
    // The line that gets a comma, or that has all of it.
    expect(changed.length).toBeLessThanOrEqual(1);
  });

  it('is written where the client looks when a section occurs twice', () => {
    const text = add('{"servers":{"a":{}},"servers":{"b":{}}}', 'one');
    expect(JSON.parse(text)).toEqual({ servers: { b: {}, one: entry } });
  });

  it('replaces an older one, and nothing else', () => {
    const text = '{"servers":{"one":{"command":"old"},"z":{}}} // c';
    expect(add(text, 'one')).toBe(`{"servers":{"one":${JSON.stringify(entry)},"z":{}}} // c`);
    expect(remove(text, 'one')).toBe('{"servers":{"z":{}}} // c');
  });

  it.each(['null', '[]', '"x"'])('says so where the section is %s', (section) => {
    const message = '"servers" in a file does not hold an object';
    expect(() => add(`{"servers":${section}}`, 'one')).toThrow(expect.objectContaining({ kind: 'config', message }));
  });
});
