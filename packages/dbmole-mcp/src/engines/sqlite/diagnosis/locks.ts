import { type CheckReport, reportUnavailable } from '@dbmole/core';
import type { CatalogRun } from '../../../engine.ts';
import { listHolders } from '../errors/lock-holders.ts';

/** The processes that hold a lock on the file, where the system tells. */
export async function checkLocks(run: CatalogRun): Promise<CheckReport> {
  const [row] = await run("select file from pragma_database_list where name = 'main'");
  const holders = row?.[0] ? listHolders(row[0]) : [];
  if (holders === undefined)
    return reportUnavailable('only Linux tells which process has locked a file', 'lsof shows which have it open.');
  return { findings: [], listing: holders.map((holder) => `locked by ${holder}`), notes: [] };
}
