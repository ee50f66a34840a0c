import type { DescribeRequest, OtherObject } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';

const sql = `select type, sql from sqlite_schema where type in ('index', 'trigger') and lower(name) = lower(?) limit 2`;

/** Finds indexes and triggers by names that are not those of tables. */
export async function findOthers(run: CatalogRun, { names }: Pick<DescribeRequest, 'names' | 'schema'>): Promise<OtherObject[]> {
  const found = names.map(async (asked) => {
    const rows = await run(sql, [parseNameParts(asked).at(-1)?.text ?? '']);
    return rows.map(([kind, definition]) => ({ asked, kind: kind ?? '', definition: definition ?? undefined }));
  });
  return (await Promise.all(found)).flat();
}
