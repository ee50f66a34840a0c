import type { createColumnPolicy, ProtectValue } from '@dbmole/core';
import type { Param } from '../engine-values.ts';
import type { RowsOfChange, Sample, SampleCell, SampleRow, WriteTransaction } from './change.ts';

/** The number of rows that are shown. */
const maxSamples = 3;
/** Columns of a deleted row that are shown beside its key. */
const maxColumns = 4;

interface SampleProtection {
  /** Undefined where no column is protected; so is the other one. */
  policy: ReturnType<typeof createColumnPolicy>;
  protect: ProtectValue | undefined;
}

/** Every example of a row passes here before a person or a model sees it: protected columns are shown as the policy says. */
export function passSample(sample: Sample, { policy, protect }: SampleProtection): Sample {
  if (policy === undefined || protect === undefined) return sample;
  const { schema, table } = sample;
  const names = schema === undefined ? [table] : [table, `${schema}.${table}`];
  const pass = (cells: readonly SampleCell[]) =>
    cells.flatMap((cell) => {
      const action = policy.find(names, cell.column);
      if (action === 'drop' || action === 'refuse') return [];
      return { ...cell, value: action === undefined || cell.value === null ? cell.value : protect(action, { text: cell.value }) };
    });
  const rows = sample.rows.map(({ key, before, after }) => ({
    key: pass(key),
    before: pass(before),
    after: after && pass(after),
  }));
  return { ...sample, rows };
}

interface SampleRequest {
  transaction: WriteTransaction;
  rows: RowsOfChange;
  params: readonly Param[];
  quote(name: string): string;
  placeholder(number: number): string;
  /** The table in the catalog. */
  table: Pick<Sample, 'schema' | 'table'>;
  /** The table with its schema and quotes. */
  qualified: string;
  key: readonly string[];
  columns: readonly string[];
  /** The columns that are set. Empty: the rows are deleted. */
  set: readonly string[];
}

/** Reads a few rows before they change. Returns how to read them afterwards; undefined where there is nothing to show. */
export async function startSample(request: SampleRequest): Promise<(() => Promise<Sample>) | undefined> {
  const { transaction, rows, params, quote, key, columns, set } = request;
  const shown = set.length > 0 ? set.filter((name) => columns.includes(name)) : columns.filter((name) => !key.includes(name));
  const others = shown.slice(0, set.length > 0 ? shown.length : maxColumns);
  // A row whose key changes is not found again.
  if (key.length === 0 || key.some((name) => set.includes(name))) return undefined;
  const list = [...key, ...others].map((name) => `${rows.alias}.${quote(name)}`).join(', ');
  const query = `${rows.with} SELECT ${list} FROM ${rows.from} LIMIT ${maxSamples}`;
  const found = await transaction.tryAsk(
    query,
    rows.params.map((at) => params[at] ?? null),
  );
  if (found === undefined || found.length === 0) return undefined;
  const before = found.map((cells) => split(cells, key, others));
  return async () => ({ ...request.table, rows: await readAfter(request, before, others) });
}

interface Before {
  key: readonly SampleCell[];
  values: readonly SampleCell[];
}

async function readAfter(request: SampleRequest, before: readonly Before[], others: readonly string[]): Promise<SampleRow[]> {
  const { transaction, quote, placeholder, qualified, set } = request;
  const samples: SampleRow[] = [];
  for (const { key, values } of before) {
    const condition = key.map(({ column }, i) => `${quote(column)} = ${placeholder(i + 1)}`).join(' AND ');
    const query = `SELECT ${others.map(quote).join(', ')} FROM ${qualified} WHERE ${condition}`;
    const isDeleted = set.length === 0;
    const rows = isDeleted
      ? undefined
      : await transaction.tryAsk(
          query,
          key.map(({ value }) => value),
        );
    const [row] = rows ?? [];
    const now = row && others.map((column, i) => ({ column, value: row[i] ?? null }));
    // Compared before anything is masked: two values of a protected column look alike.
    const isChanged = (_: SampleCell, i: number) => now === undefined || now[i]?.value !== values[i]?.value;
    samples.push({ key, before: values.filter(isChanged), after: now?.filter(isChanged) });
  }
  return samples;
}

function split(cells: readonly (string | null)[], key: readonly string[], others: readonly string[]): Before {
  const toCells = (names: readonly string[], from: number) =>
    names.map((column, i): SampleCell => ({ column, value: cells[from + i] ?? null }));
  return { key: toCells(key, 0), values: toCells(others, key.length) };
}
