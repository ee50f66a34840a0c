import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../testing/use-temp-folder.ts';
import { LogFile } from './log-file.ts';

const folder = useTempFolder();

describe('LogFile', () => {
  it('keeps the newest lines, whole, within its limit', () => {
    const fd = openSync(folder.at('log'), 'a+');
    const log = new LogFile(fd, 1_000);
    for (let i = 0; i < 500; i++) {
      log.write(`line ${i} ${'x'.repeat(i % 30)}`);
      expect(statSync(folder.at('log')).size).toBeLessThanOrEqual(1_000);
    }
    closeSync(fd);
    const lines = readFileSync(folder.at('log'), 'utf8').trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^line 499 x+$/);
    expect(lines[0]).toMatch(/^line \d+ x*$/);
    expect(lines.length).toBeGreaterThan(10);
  });

  it('goes on when nothing can be written', () => {
    const fd = openSync(folder.at('log'), 'a+');
    closeSync(fd);
    expect(() => new LogFile(fd).write('x')).not.toThrow();
  });
});
