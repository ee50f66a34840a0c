import { statSync } from 'node:fs';
import type { CheckReport, Finding } from '@dbmole/core';
import type { CatalogRun } from '../../../engine.ts';
import { readFilePath } from '../catalog/sizes.ts';

const othersWrite = 0o002;
const modeBits = 0o777;

/** The rights of the file are all that protects it. */
export async function checkPrivileges(run: CatalogRun): Promise<CheckReport> {
  const file = await readFilePath(run);
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || file === undefined || process.platform === 'win32') return { findings: [], listing: [], notes: [] };
  const mode = (stats.mode & modeBits).toString(8);
  const findings: Finding[] =
    (stats.mode & othersWrite) === 0
      ? []
      : [
          {
            severity: 'medium',
            weight: 1,
            evidence: `the file has the mode ${mode}`,
            consequence: 'Every account of this machine can change it.',
            next: `chmod o-w ${file}`,
          },
        ];
  return { findings, listing: [`mode: ${mode}; owner: ${stats.uid}`], notes: [] };
}
