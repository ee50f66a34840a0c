import { matchesGlob } from '@dbmole/core';
import type { Bounded, DatabaseSummary, Page, RelationName, TableFilter, TableListing } from '../../../catalog/catalog.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { formatKind, ownTables, type Relation, readPrimaryKeys, readReferences, readRelations, toKey } from './schema-facts.ts';
import { readFileSize, readSizes, type TableSize } from './sizes.ts';

export async function listDatabases(run: CatalogRun, { limit, offset }: Page): Promise<DatabaseSummary[]> {
  const [rows, bytes] = await Promise.all([run('select name, file from pragma_database_list order by seq'), readFileSize(run)]);
  return rows.slice(offset, offset + limit + 1).map(([name, file]) => ({
    name: name ?? '',
    current: name === 'main',
    bytes: name === 'main' ? bytes : undefined,
    comment: file || undefined,
  }));
}

/** SQLite has all facts at hand, so they are read at once and filtered here; sizes are read for one page. */
export async function listTables(run: CatalogRun, filter: TableFilter): Promise<Bounded<TableListing>> {
  if (isElsewhere(filter.schema)) return { shown: [], total: 0 };
  const [relations, references, keys] = await Promise.all([readRelations(run), readReferences(run), readPrimaryKeys(run)]);
  // What a virtual table keeps is listed where a pattern asks for it.
  const listed = relations.filter(
    ({ name, type }) => !ownTables.test(name) && (type !== 'shadow' || filter.pattern !== undefined),
  );
  const counts = countReferences(references);
  const isCounted = filter.without === 'rows';
  const early = isCounted ? await readSizes(run, listTablesOf(listed)) : undefined;
  const found = listed.filter(
    (one) => matchesName(one, filter) && matchesKind(one, filter) && lacks(one, filter, { counts, keys, sizes: early }),
  );
  const page = found.slice(filter.offset, filter.offset + filter.limit + 1);
  const sizes = early ?? (await readSizes(run, listTablesOf(page)));
  return { shown: page.map((one) => toListing(one, { counts, keys, sizes })), total: found.length };
}

export function isElsewhere(schema: string | undefined): boolean {
  return schema !== undefined && toKey(schema) !== 'main';
}

function listTablesOf(relations: readonly Relation[]): string[] {
  return relations.filter(({ type }) => type !== 'view').map(({ name }) => name);
}

interface Facts {
  counts: ReturnType<typeof countReferences>;
  keys: ReadonlyMap<string, readonly string[]>;
  sizes: ReadonlyMap<string, TableSize> | undefined;
}

function countReferences(references: readonly { from: string; table: string }[]) {
  const count = (names: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  };
  return { from: count(references.map(({ from }) => toKey(from))), to: count(references.map(({ table }) => toKey(table))) };
}

function matchesName({ name }: Relation, { pattern }: TableFilter): boolean {
  if (pattern === undefined) return true;
  const wanted = toKey(pattern.replace(/^main\./i, ''));
  return /[*?]/.test(wanted) ? matchesGlob(wanted, toKey(name)) : toKey(name).includes(wanted);
}

function matchesKind(relation: Relation, { kind }: TableFilter): boolean {
  if (kind === undefined) return true;
  return kind === 'table' ? relation.type !== 'view' : kind === relation.type;
}

function lacks({ name, type }: Relation, { without }: TableFilter, { counts, keys, sizes }: Facts): boolean {
  const key = toKey(name);
  if (without === undefined) return true;
  if (without === 'references') return !counts.from.has(key) && !counts.to.has(key);
  if (type === 'view') return false;
  return without === 'rows' ? sizes?.get(key)?.rows === 0 : type === 'table' && !keys.has(key);
}

function toListing(relation: Relation, { counts, keys, sizes }: Facts): TableListing {
  const key = toKey(relation.name);
  const size = sizes?.get(key);
  return {
    name: formatIdentifier(relation.name),
    kind: formatKind(relation),
    rows: size?.rows,
    bytes: size?.bytes,
    comment: undefined,
    rights: undefined,
    primaryKey: relation.type === 'table' ? (keys.get(key) ?? []).map(formatIdentifier) : undefined,
    rowSecurity: undefined,
    references: counts.from.get(key) ?? 0,
    referencedBy: counts.to.get(key) ?? 0,
  };
}

export async function relations(run: CatalogRun): Promise<RelationName[]> {
  return (await readRelations(run)).map(({ name }) => ({ schema: 'main', name, label: formatIdentifier(name) }));
}

export async function tableNames(run: CatalogRun): Promise<string[]> {
  const found = await readRelations(run);
  return found.filter(({ name }) => !ownTables.test(name)).map(({ name }) => formatIdentifier(name));
}

export async function schemaNames(): Promise<string[]> {
  return ['main'];
}
