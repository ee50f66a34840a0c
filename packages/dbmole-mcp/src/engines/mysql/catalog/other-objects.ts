import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { DescribeRequest, OtherObject } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { readContext } from './context.ts';

const sql = `select routine_type from information_schema.routines where routine_schema = ? and routine_name = ?
  and routine_type in ('FUNCTION', 'PROCEDURE')
  union all select 'TRIGGER' from information_schema.triggers where trigger_schema = ? and trigger_name = ?
  union all select 'EVENT' from information_schema.events where event_schema = ? and event_name = ? limit 4`;

const indexes = `select table_name, group_concat(column_name order by seq_in_index) from information_schema.statistics
  where table_schema = ? and index_name = ? and index_name <> 'PRIMARY' group by table_name limit 20`;

/** Finds routines, triggers, events and indexes by names that are not those of tables. */
export async function findOthers(
  run: CatalogRun,
  { names, schema: inSchema }: Pick<DescribeRequest, 'names' | 'schema'>,
): Promise<OtherObject[]> {
  const { database } = await readContext(run);
  const found: OtherObject[] = [];
  for (const asked of names) {
    const parts = parseNameParts(asked);
    const [schema, name] = [parts.at(-2)?.text ?? inSchema ?? database ?? null, parts.at(-1)?.text ?? ''];
    const [kinds, tables] = await Promise.all([
      run(sql, Array.from({ length: 3 }, () => [schema, name]).flat()),
      run(indexes, [schema, name]),
    ]);
    const label = [schema, name].flatMap((part) => (part === null ? [] : [formatIdentifier(part)])).join('.');
    for (const [kind] of kinds) {
      const definition = kind ? await readStatement(run, kind, label) : undefined;
      found.push({ asked, kind: kind?.toLowerCase() ?? '', definition });
    }
    for (const [table, columns] of tables)
      found.push({ asked, kind: 'index', definition: `on ${formatIdentifier(table ?? '')} (${columns})` });
  }
  return found;
}

/** An event has its time zone before its statement. */
async function readStatement(run: CatalogRun, kind: string, label: string): Promise<string | undefined> {
  const rows = await askIfAllowed(run, `show create ${kind} ${label}`);
  return rows?.[0]?.[kind === 'EVENT' ? 3 : 2] ?? undefined;
}
