import { type CheckReport, reportUnavailable } from '@dbmole/core';
import type { CatalogRun } from '../../../engine.ts';
import { readFilePath } from '../catalog/sizes.ts';
import { listHolders } from '../errors/lock-holders.ts';

/** The processes that hold a lock on the file, where the system tells. */
export async function checkLocks(run: CatalogRun): Promise<CheckReport> {
  const file = await readFilePath(run);
  const holders = file === undefined ? [] : listHolders(file);
  if (holders === undefined)
    return reportUnavailable('only Linux tells which process has locked a file', 'lsof shows which have it open.');
  return { findings: [], listing: holders.map((holder) => `locked by ${holder}`), notes: [] };
}
