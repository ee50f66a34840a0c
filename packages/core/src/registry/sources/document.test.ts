import { describe, expect, it } from 'vitest';
import { parseDocument, readServeEnabled } from './document.ts';

const problemsOf = (fields: string) =>
  parseDocument(`{ "version": 1, "connections": [{ "name": "shop" }]${fields} }`, 'the file').problems.map(
    ({ message }) => message,
  );

describe('the key "serve" of a file of connections', () => {
  it.each(['', ', "serve": {}', ', "serve": { "enabled": true }', ', "serve": { "enabled": false }'])(
    'accepts the fields %j',
    (fields) => {
      expect(problemsOf(fields)).toEqual([]);
    },
  );

  it.each(['false', '"off"', '[]', '{ "enabled": 0 }', '{ "enable": false }'])(
    'reports %s and keeps the connections',
    (serve) => {
      expect(problemsOf(`, "serve": ${serve}`)).toEqual(['the file has an invalid "serve"']);
    },
  );

  it('is suggested for a key that resembles it', () => {
    expect(problemsOf(', "serves": {}')).toEqual([expect.stringContaining('did you mean "serve"?')]);
  });

  it('is undefined where the file does not say it', () => {
    expect([{}, { serve: {} }, { serve: { enabled: false } }].map((value) => readServeEnabled(value, 'x'))).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });
});
