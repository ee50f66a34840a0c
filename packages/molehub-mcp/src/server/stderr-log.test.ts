import { readFileSync } from 'node:fs';
import { createTempFolder } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { StderrLog } from './stderr-log.ts';

function readLastWords(text: string): { lastWords: string | undefined; file: string } {
  using folder = createTempFolder();
  const log = new StderrLog(folder.at('logs', 'one.log'));
  log.write(Buffer.from(text.slice(0, 20)));
  log.write(Buffer.from(text.slice(20)));
  log.close();
  return { lastWords: log.lastWords, file: readFileSync(folder.at('logs', 'one.log'), 'utf8') };
}

describe('StderrLog', () => {
  it.each([
    [
      "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/a.js'\n    at Module._load (x:1:2)\n\nNode.js v22.1.0\n",
      "Error: Cannot find module '/a.js'",
    ],
    [
      'npm error code E404\nnpm error 404 Not Found - GET https://example.com/x\nnpm error 404\nnpm error A complete log of this run can be found in: /x.log\n',
      'npm error 404 Not Found - GET https://example.com/x',
    ],
    [
      'Traceback (most recent call last):\n  File "x", line 1\nModuleNotFoundError: No module named \'x\'',
      "ModuleNotFoundError: No module named 'x'",
    ],
    ['starting\nno license\n', 'no license'],
    ['', undefined],
  ])('finds in %j the line that says why', (text, expected) => {
    expect(readLastWords(text)).toMatchObject({ lastWords: expected, file: expect.stringContaining(text.trim().slice(-20)) });
  });

  it('keeps at most a megabyte, with the last lines', () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index} ${'x'.repeat(90)}`).join('\n');
    const { file } = readLastWords(lines);
    expect(file.length).toBeLessThanOrEqual(1024 * 1024);
    expect(file.length).toBeGreaterThan(100_000);
    expect(file.trimEnd().endsWith(lines.slice(-90))).toBe(true);
  });
});
