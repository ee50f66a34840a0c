import type { CatalogRun } from '../../../engine.ts';

/** A table, a view or a virtual table. */
export interface Relation {
  name: string;
  /** `table`, `view`, `virtual` or `shadow`. */
  type: string;
  isStrict: boolean;
  hasNoRowid: boolean;
  sql: string | null;
}

export interface Reference {
  from: string;
  id: string;
  table: string;
  columns: string[];
  /** Empty where the reference names none, which means the primary key. */
  targets: string[];
  onUpdate: string;
  onDelete: string;
}

/** Names that begin like this are those of SQLite. */
export const ownTables = /^sqlite_/i;

const relationsSql = `select l.name, l.type, l.strict, l.wr, s.sql
from pragma_table_list l left join sqlite_schema s on s.name = l.name and s.type in ('table', 'view')
where l.schema = 'main' order by lower(l.name) limit 20000`;

export async function readRelations(run: CatalogRun): Promise<Relation[]> {
  return (await run(relationsSql)).map(([name, type, strict, withoutRowid, sql]) => ({
    name: name ?? '',
    type: type ?? '',
    isStrict: strict === '1',
    hasNoRowid: withoutRowid === '1',
    sql: sql ?? null,
  }));
}

/** What a reader calls it: `table`, `view`, `virtual table (fts5)`. */
export function formatKind({ type, sql }: Relation): string {
  if (type === 'shadow') return 'shadow table';
  if (type !== 'virtual') return type;
  const module = /\busing\s+["`[]?(\w+)/i.exec(sql ?? '')?.[1];
  return module === undefined ? 'virtual table' : `virtual table (${module.toLowerCase()})`;
}

const referencesSql = `select m.name, f.id, f."table", f."from", f."to", f.on_update, f.on_delete
from sqlite_schema m join pragma_foreign_key_list(m.name) f
where m.type = 'table' order by lower(m.name), f.id, f.seq limit 20000`;

/** All foreign keys of the file. */
export async function readReferences(run: CatalogRun): Promise<Reference[]> {
  const found = new Map<string, Reference>();
  for (const [from, id, table, column, target, onUpdate, onDelete] of await run(referencesSql)) {
    const key = JSON.stringify([from, id]);
    const one = found.get(key) ?? {
      ...{ from: from ?? '', id: id ?? '', table: table ?? '', columns: [], targets: [] },
      ...{ onUpdate: onUpdate ?? '', onDelete: onDelete ?? '' },
    };
    found.set(key, one);
    one.columns.push(column ?? '');
    if (target) one.targets.push(target);
  }
  return [...found.values()];
}

const keysSql = `select m.name, c.name from sqlite_schema m join pragma_table_info(m.name) c
where m.type = 'table' and c.pk > 0 order by lower(m.name), c.pk limit 20000`;

/** The columns of primary keys by the name of their table in small letters. */
export async function readPrimaryKeys(run: CatalogRun): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = new Map<string, string[]>();
  for (const [table, column] of await run(keysSql)) {
    const key = toKey(table);
    keys.set(key, [...(keys.get(key) ?? []), column ?? '']);
  }
  return keys;
}

/** SQLite compares names without the case of ASCII letters. */
export function toKey(name: string | null | undefined): string {
  return (name ?? '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
