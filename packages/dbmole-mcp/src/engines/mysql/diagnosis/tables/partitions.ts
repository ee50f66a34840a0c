import { type Finding, formatSeconds } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../../engine.ts';
import type { CatalogContext } from '../../catalog/context.ts';

type Row = readonly (string | null)[];

const maxPartitions = 5_000;
const msPerDay = 86_400_000;
/** What has to lie ahead, in parts of the span of the last partition. */
const minAhead = 0.1;
/** Spans after which a table whose last partition has ended is no longer written to, rather than broken. */
const maxBehind = 3;
/** What TO_DAYS counts up to 1970. */
const daysTo1970 = 719_528;

interface Scope {
  /** The condition on `table_schema`, and on `table_name` where a table is named. */
  where: string;
  params: readonly string[];
}

/** Partitions by time, without one for all later values, of which the last ends soon or has ended. */
export async function findPartitionTrouble(
  run: CatalogRun,
  { where, params }: Scope,
  context: CatalogContext,
): Promise<readonly Finding[]> {
  const rows = await askIfAllowed(
    run,
    `select table_schema, table_name, partition_expression, partition_description, partition_ordinal_position
     from information_schema.partitions where partition_method like 'RANGE%' and coalesce(subpartition_ordinal_position, 1) = 1 and ${where}
     limit ${maxPartitions}`,
    params,
  );
  const tables = new Map<string, Row[]>();
  for (const row of rows ?? []) {
    const label = context.formatLabel(row[0], row[1]);
    tables.set(label, [...(tables.get(label) ?? []), row]);
  }
  return [...tables].flatMap(([label, partitions]) => judge(label, partitions, Date.now()));
}

function judge(table: string, partitions: readonly Row[], now: number): Finding[] {
  const ends = partitions.toSorted((a, b) => Number(a[4]) - Number(b[4])).map((row) => readEnd(row[2] ?? '', row[3] ?? ''));
  const [end, before] = [ends.at(-1), ends.at(-2)];
  if (end === undefined) return [];
  const span = before === undefined ? msPerDay : end - before;
  const ahead = end - now;
  if (ahead >= span * minAhead || ahead < -Math.max(maxBehind * span, 7 * msPerDay)) return [];
  const when = new Date(end).toISOString().slice(0, 16).replace('T', ' ');
  return [
    {
      severity: ahead <= msPerDay ? 'high' : 'medium',
      weight: 1,
      evidence:
        ahead <= 0
          ? `the last partition of ${table} ended at ${when}, and it has none for later values`
          : `the last partition of ${table} ends at ${when}, in ${formatSeconds(ahead / 1_000)}, and it has none for later values`,
      consequence: ahead <= 0 ? 'Every INSERT of a later row fails.' : 'From then on every INSERT of a later row fails.',
      next: `ALTER TABLE ${table} ADD PARTITION (PARTITION … VALUES LESS THAN (…)); and find out what should have made it.`,
    },
  ];
}

/** The end of a partition in milliseconds, by the expressions that are common; undefined if it has none, or another one. */
function readEnd(expression: string, description: string): number | undefined {
  const [, date] = /^'(\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?)'$/.exec(description) ?? [];
  if (date !== undefined) return Date.parse(`${date.replace(' ', 'T')}${date.length > 10 ? 'Z' : ''}`);
  if (!/^\d+$/.test(description)) return undefined;
  const number = Number(description);
  if (/^to_days\(/i.test(expression)) return (number - daysTo1970) * msPerDay;
  if (/^unix_timestamp\(/i.test(expression)) return number * 1_000;
  return /^year\(/i.test(expression) ? Date.UTC(number, 0, 1) : undefined;
}
