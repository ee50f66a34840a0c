import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { Forecast, Forecaster, ForecastQuestions, TableRead } from '../../../cost/forecast.ts';
import type { CatalogRun } from '../../../engine.ts';
import { detectFlavour } from '../flavour.ts';
import { findTable } from './find-table.ts';
import type { PlanSteps, TableStep } from './plan-steps.ts';
import { findPlanned } from './planned-part.ts';
import { walkJson } from './walk-json.ts';
import { walkTree } from './walk-tree.ts';

export const forecaster: Forecaster = {
  findPlanned,
  async forecast(questions, sql) {
    const isMaria = detectFlavour(await questions.version()).product === 'MariaDB';
    const answer = await questions.explain(`EXPLAIN FORMAT=${isMaria ? 'JSON' : 'TREE'} `, sql);
    const { cost, steps } = isMaria ? walkJson(answer, { sql, maxRows: questions.maxRows }) : walkTree(answer);
    return await withSizes({ cost, steps }, questions, sql);
  },
};

const fullRead = /^(?:Count rows|(?:Table|Index|Covering index) scan)/;

interface TableSize {
  rows: number;
  rowBytes: number;
}

/** A table that the catalog does not know by the name in the plan: rows of a usual length. */
const unknownSize: TableSize = { rows: 0, rowBytes: 1_024 };

async function withSizes({ cost, steps }: PlanSteps, { own, wants }: ForecastQuestions, sql: string): Promise<Forecast> {
  const needed = wants.bytes ? steps : wants.rows ? steps.filter(({ rows }) => rows === undefined) : [];
  const sizes = needed.length === 0 ? new Map<string, TableSize>() : await readSizes(own, needed, sql);
  const reads = steps.map(({ label, table, filter, rows, times }): TableRead => {
    const size = sizes.get(table) ?? unknownSize;
    const read = (rows ?? size.rows) * times;
    const isSearch = !fullRead.test(label);
    return { label, table, schema: undefined, alias: table, filter, isSearch, rows: read, bytes: read * size.rowBytes };
  });
  return { cost, reads };
}

/**
 * By the names in the plan, which are aliases. Behind a view, an alias is looked for as a name in any database; of several tables the
 * largest counts.
 */
async function readSizes(own: CatalogRun, steps: readonly TableStep[], sql: string): Promise<Map<string, TableSize>> {
  const names = new Map(steps.map(({ table }) => [table, parseNameParts(findTable(table, sql)).map(({ text }) => text)]));
  const wanted = [...new Set([...names.values()].map((parts) => parts.at(-1) ?? ''))];
  const rows = await own(
    `select table_schema, table_name, table_rows, data_length, table_schema = database() from information_schema.tables
where table_name in (${wanted.map(() => '?').join(', ')})`,
    wanted,
  );
  return new Map(
    [...names].map(([alias, parts]) => {
      const named = rows.filter(([, name]) => isSame(name, parts.at(-1)));
      const schema = parts.length > 1 ? parts.at(-2) : undefined;
      const inSchema = named.filter(([place, , , , isCurrent]) =>
        schema === undefined ? isCurrent === '1' : isSame(place, schema),
      );
      const found = inSchema.length > 0 ? inSchema : named;
      return [alias, found.map(toSize).reduce(pickLarger, unknownSize)];
    }),
  );
}

function isSame(name: string | null | undefined, other: string | undefined): boolean {
  return name?.toLowerCase() === other?.toLowerCase();
}

function toSize([, , rows, bytes]: readonly (string | null)[]): TableSize {
  const count = Number(rows ?? 0);
  return { rows: count, rowBytes: count === 0 ? unknownSize.rowBytes : Number(bytes ?? 0) / count };
}

function pickLarger(one: TableSize, other: TableSize): TableSize {
  return other.rows >= one.rows ? other : one;
}
