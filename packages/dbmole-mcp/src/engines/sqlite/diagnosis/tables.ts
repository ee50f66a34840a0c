import { type CheckReport, type Finding, formatShare } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { ownTables, type Relation, readPrimaryKeys, readRelations, toKey } from '../catalog/schema-facts.ts';
import { formatSize, readFileSize, readSizes } from '../catalog/sizes.ts';
import { formatIdentifier } from '../values/identifiers.ts';

/** Larger files are not read as a whole to be checked. */
const maxCheckedBytes = 64 * 1024 * 1024;
const maxProblems = 5;
const free = { minBytes: 1024 * 1024, share: 0.25 };

/** Damage, keys that are missing, and free pages. */
export async function checkTables(run: CatalogRun, { table, limit }: CheckScope): Promise<CheckReport> {
  const [relations, keys, bytes, pages] = await Promise.all([
    readRelations(run),
    readPrimaryKeys(run),
    readFileSize(run),
    run('select freelist_count, page_size from pragma_freelist_count, pragma_page_size'),
  ]);
  const own = relations.filter(
    ({ name, type }) => type === 'table' && !ownTables.test(name) && (table === undefined || toKey(name) === toKey(table)),
  );
  const isSmall = bytes <= maxCheckedBytes;
  const [sizes, damage] = await Promise.all([
    readSizes(
      run,
      own.map(({ name }) => name),
    ),
    isSmall ? findDamage(run) : [],
  ]);
  const freeBytes = Number(pages[0]?.[0] ?? 0) * Number(pages[0]?.[1] ?? 0);
  return {
    findings: [...damage, ...judgeKeys(own, keys), ...judgeFree(freeBytes, bytes)],
    listing: own.slice(0, limit).map(({ name }) => `${formatIdentifier(name)}: ${formatSize(sizes.get(toKey(name)))}`),
    notes: isSmall
      ? []
      : [`The file has ${formatBytes(bytes)} and was not checked for damage; PRAGMA integrity_check reads all of it.`],
  };
}

async function findDamage(run: CatalogRun): Promise<Finding[]> {
  const [damaged, broken] = await Promise.all([
    run(`select * from pragma_quick_check limit ${maxProblems}`),
    run(`select "table", parent, count(*) from pragma_foreign_key_check group by 1, 2 limit ${maxProblems}`),
  ]);
  return [
    ...damaged
      .filter(([text]) => text !== 'ok')
      .map(
        ([text]): Finding => ({
          severity: 'high',
          weight: 2,
          evidence: `PRAGMA quick_check: ${text ?? ''}`,
          consequence: 'Reads fail or give wrong rows, and writes can make it worse.',
          next: 'Restore the file from a backup, or recover it with the .recover command of sqlite3.',
        }),
      ),
    ...broken.map(
      ([child, parent, count]): Finding => ({
        severity: 'medium',
        weight: Number(count),
        evidence: `${count} rows of ${formatIdentifier(child ?? '')} refer to rows of ${formatIdentifier(parent ?? '')} that do not exist`,
        consequence: 'Joins lose these rows; they were written while foreign keys were not enforced.',
        next: `PRAGMA foreign_key_check(${formatIdentifier(child ?? '')}) lists them.`,
      }),
    ),
  ];
}

function judgeKeys(tables: readonly Relation[], keys: ReadonlyMap<string, readonly string[]>): Finding[] {
  const names = tables.filter(({ name }) => !keys.has(toKey(name))).map(({ name }) => formatIdentifier(name));
  if (names.length === 0) return [];
  const shown = names.slice(0, maxProblems).join(', ');
  return [
    {
      severity: 'low',
      weight: names.length,
      evidence: `${names.length} ${names.length === 1 ? 'table has' : 'tables have'} no primary key: ${shown}${names.length > maxProblems ? ', …' : ''}`,
      consequence: 'Rows can be doubled, and only the rowid tells them apart, which VACUUM may change.',
      next: 'Create a table with a key, and copy the rows.',
    },
  ];
}

function judgeFree(freeBytes: number, bytes: number): Finding[] {
  if (freeBytes < free.minBytes || freeBytes < free.share * bytes) return [];
  return [
    {
      severity: 'low',
      weight: freeBytes,
      evidence: `${formatBytes(freeBytes)} of ${formatBytes(bytes)} in the file are free (${formatShare(freeBytes / bytes)})`,
      consequence: 'The file stays that large, and backups copy it all.',
      next: 'VACUUM; rewrites the file, and needs as much room again meanwhile.',
    },
  ];
}
