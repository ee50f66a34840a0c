import type { SqlBackend } from '../backend/backend.ts';
import type { Description, TableDetails } from './catalog.ts';
import {
  formatCheck,
  formatColumns,
  formatComposites,
  formatIndex,
  formatLine,
  formatPolicy,
  formatTrigger,
  withActions,
} from './schema-text.ts';

/** One statement describes this many tables. */
const tablesAtOnce = 100;
const namesAtOnce = 1_000;
const wholeText = 4_000;

interface Where {
  database: string | undefined;
  schema: string | undefined;
  signal: AbortSignal;
}

/** The whole schema, one line for each table, column, key, check, index, policy, trigger and type. Sizes and counts are left out. */
export async function listSchemaLines(backend: SqlBackend, { schema, ...options }: Where): Promise<string[]> {
  const run = backend.catalogRun(options);
  const names = await listNames(backend, { schema, ...options });
  const lines: string[] = [];
  const types = new Set<string>();
  for (let start = 0; start < names.length; start += tablesAtOnce) {
    const request = { names: names.slice(start, start + tablesAtOnce), schema, parts: ['columns' as const] };
    const description = await backend.catalog.describeTables(run, request);
    lines.push(...description.tables.flatMap((table) => formatTable(withActions(table))));
    for (const type of formatTypes(description)) types.add(type);
  }
  return [...lines, ...[...types].sort()];
}

async function listNames(backend: SqlBackend, { schema, ...options }: Where): Promise<string[]> {
  const run = backend.catalogRun(options);
  const names: string[] = [];
  for (;;) {
    const { shown } = await backend.catalog.listTables(run, { schema, limit: namesAtOnce, offset: names.length });
    names.push(...shown.slice(0, namesAtOnce).map(({ name }) => name));
    if (shown.length <= namesAtOnce) return names;
  }
}

function formatTable(table: TableDetails): string[] {
  const { name, kind, comment, columns, definition } = table;
  const checks = table.checks.filter(({ column }) => column === undefined);
  const indexes = table.indexes.filter(({ isKey }) => !isKey);
  const things = [
    ...formatComposites(table),
    ...checks.map(formatCheck),
    ...indexes.map((index) => formatIndex({ ...index, bytes: undefined, uses: undefined })),
    ...table.notes,
    ...table.policies.map(formatPolicy),
    ...table.triggers.map((trigger) => formatTrigger(trigger, wholeText)),
    ...(definition === undefined ? [] : [`AS ${definition}`]),
  ];
  return [
    // The number of partitions changes by itself.
    `${name} ${kind.replace(/ \(\d+\)$/, '')}${comment === undefined ? '' : ` -- ${comment}`}`,
    ...columns.flatMap((column) => formatColumns({ ...table, columns: [column] }, wholeText)).map((text) => `${name}.${text}`),
    ...things.map((text) => `${name} ${text}`),
  ].map((line) => formatLine(line.replace(/\s+/gu, ' ').trimEnd()));
}

function formatTypes({ types }: Description): string[] {
  return types.map(({ name, definition }) => formatLine(`${name} type ${definition.replace(/\s+/gu, ' ')}`));
}
