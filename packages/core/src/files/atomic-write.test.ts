import { existsSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { makeFolder } from './atomic-write.ts';

const folder = useTempFolder();

describe('makeFolder', () => {
  it('makes what is missing, for its owner alone, and leaves what is there', () => {
    makeFolder(folder.at('a/b/c'));
    makeFolder(folder.at('a/b/c'));
    expect(statSync(folder.at('a/b')).mode & 0o777).toBe(0o700);
  });

  it.runIf(existsSync('/proc/self'))('says at once that a folder cannot be made where the system allows none', () => {
    expect(() => makeFolder('/proc/nowhere/mole')).toThrow('/proc/nowhere/mole');
  });
});
