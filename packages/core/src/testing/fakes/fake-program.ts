import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Folder } from '../temp-folder.ts';

export interface FakeProgram {
  /** The folder for PATH. */
  folder: string;
  /** The arguments of every run so far. */
  readonly runs: readonly (readonly string[])[];
}

/** A program of this name that remembers its arguments, prints this text and ends with this code. */
export function createFakeProgram(
  folder: Folder,
  name: string,
  { prints = '', exitCode = 0 }: { prints?: string; exitCode?: number } = {},
): FakeProgram {
  const bin = folder.at('bin');
  const log = folder.at(`${name}.runs`);
  mkdirSync(bin, { recursive: true });
  writeFileSync(folder.at(`${name}.prints`), prints);
  const record = `for word in "$@"; do printf '%s\\n' "$word" >> '${log}'; done; echo >> '${log}'`;
  const script = `#!/bin/sh\n${record}\ncat '${folder.at(`${name}.prints`)}'\nexit ${exitCode}\n`;
  writeFileSync(folder.at('bin', name), script, { mode: 0o755 });
  return {
    folder: bin,
    get runs() {
      if (!existsSync(log)) return [];
      const runs = readFileSync(log, 'utf8').split('\n\n').slice(0, -1);
      return runs.map((run) => run.split('\n'));
    },
  };
}
