import { statSync } from 'node:fs';
import type { CheckReport, Finding } from '@dbmole/core';
import type { CatalogRun } from '../../../engine.ts';

const othersWrite = 0o002;
const modeBits = 0o777;

/** The rights of the file are all that protects it. */
export async function checkPrivileges(run: CatalogRun): Promise<CheckReport> {
  const [row] = await run("select file from pragma_database_list where name = 'main'");
  const stats = row?.[0] ? statSync(row[0], { throwIfNoEntry: false }) : undefined;
  if (stats === undefined || process.platform === 'win32') return { findings: [], listing: [], notes: [] };
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
            next: `chmod o-w ${row?.[0] ?? ''}`,
          },
        ];
  return { findings, listing: [`mode: ${mode}; owner: ${stats.uid}`], notes: [] };
}
