import type { DescribeRequest, OtherObject } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { readContext } from './context.ts';

/** Finds routines, triggers and events by names that are not those of tables. */
export async function findOthers(
  run: CatalogRun,
  { names, schema: inSchema }: Pick<DescribeRequest, 'names' | 'schema'>,
): Promise<OtherObject[]> {
  const { database } = await readContext(run);
  const found: OtherObject[] = [];
  for (const asked of names) {
    const parts = parseNameParts(asked);
    const [schema, name] = [parts.at(-2)?.text ?? inSchema ?? database ?? null, parts.at(-1)?.text ?? ''];
    const [row] = await run(sql, Array.from({ length: 3 }, () => [schema, name]).flat());
    const kind = row?.[0];
    if (kind === undefined || kind === null) continue;
    const label = [schema, name].flatMap((part) => (part === null ? [] : [formatIdentifier(part)])).join('.');
    found.push({ asked, kind: kind.toLowerCase(), shownBy: `SHOW CREATE ${kind} ${label}` });
  }
  return found;
}

const sql = `select routine_type from information_schema.routines where routine_schema = ? and routine_name = ?
  and routine_type in ('FUNCTION', 'PROCEDURE')
  union all select 'TRIGGER' from information_schema.triggers where trigger_schema = ? and trigger_name = ?
  union all select 'EVENT' from information_schema.events where event_schema = ? and event_name = ? limit 1`;
