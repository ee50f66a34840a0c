import { createHash } from 'node:crypto';
import { Failure } from '@dbmole/core';
import { type CatalogQuestion, premiseCode } from '../../../../guard/read-statement.ts';
import { isName, type Token } from '../../../../statement/tokens.ts';
import { toKey } from '../../catalog/schema-facts.ts';
import { tooComplex } from '../refuse.ts';
import { tokenize } from '../text/lexer.ts';

/** A question of our own answers with at most this many rows. */
const maxRows = 20_000;

export const objectsSql = `select type, name, tbl_name, rootpage, sql from sqlite_schema order by rowid limit ${maxRows}`;

const columnsSql = `select m.name, c.name, c.hidden, c.pk, upper(c.type) from sqlite_schema m join pragma_table_xinfo(m.name) c
where m.type in ('table', 'view') order by m.rowid, c.cid limit ${maxRows}`;

const indexesSql = `select m.name, l.name, l.origin, i.cid from sqlite_schema m join pragma_index_list(m.name) l
join pragma_index_xinfo(l.name) i where m.type = 'table' order by m.rowid, l.seq, i.seqno limit ${maxRows}`;

const kindsSql = `select name, type, wr from pragma_table_list where schema = 'main' limit ${maxRows}`;

export interface SchemaObject {
  type: 'table' | 'view' | 'index' | 'trigger';
  name: string;
  /** The table of an index or a trigger. */
  table: string;
  root: number;
  sql: string;
}

export interface SchemaColumn {
  name: string;
  isHidden: boolean;
  /** It is computed when it is read, and not in the file. */
  isVirtual: boolean;
  isStored: boolean;
  /** The only column of the key, and an integer. */
  isRowid: boolean;
}

interface SchemaIndex {
  name: string;
  origin: string;
  /** Numbers of columns; -1 for the rowid, and -2 for an expression. */
  columns: readonly number[];
}

/** The schema of a file at one moment. */
export interface Schema {
  /** Differs wherever any text of the schema does. */
  readonly stamp: string;
  readonly objects: readonly SchemaObject[];
  /** Columns by the name of their table or view in small letters. */
  readonly columns: ReadonlyMap<string, readonly SchemaColumn[]>;
  readonly indexes: ReadonlyMap<string, readonly SchemaIndex[]>;
  /** `table`, `view`, `virtual` or `shadow`. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly withoutRowid: ReadonlySet<string>;
  /** The tokens of all texts. */
  readonly tokens: readonly Token[];
}

type Rows = Awaited<ReturnType<CatalogQuestion>>;

/** Reads the schema, and the answer to another question at the same moment. What is known of the same schema is not read again. */
export async function readSchema(
  run: CatalogQuestion,
  also: Promise<Rows>,
  known: Schema | undefined,
): Promise<{ schema: Schema; rows: Rows }> {
  const [objects, rows] = await Promise.all([run(objectsSql), also]);
  const stamp = stampSchema(objects);
  if (known?.stamp === stamp) return { schema: known, rows };
  const [again, columns, indexes, kinds] = await Promise.all([run(objectsSql), run(columnsSql), run(indexesSql), run(kindsSql)]);
  if (stampSchema(again) !== stamp) throw changedSchema();
  for (const list of [objects, columns, indexes, kinds])
    if (list.length >= maxRows) throw tooComplex('the schema of the file is too large for a policy of tables or columns', 0);
  return { rows, schema: buildSchema({ objects, columns, indexes, kinds }) };
}

/** Nothing of the caller's has run. */
export function changedSchema(): Failure {
  return new Failure('engine', 'the schema of the file changed while the statement was checked', {
    code: premiseCode,
    hint: 'Retry.',
  });
}

export function stampSchema(rows: Rows): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

function buildSchema({ objects, columns, indexes, kinds }: Record<'objects' | 'columns' | 'indexes' | 'kinds', Rows>): Schema {
  const withoutRowid = new Set(kinds.filter(([, , wr]) => wr === '1').map(([name]) => toKey(name)));
  const keySizes = countKeys(columns);
  return {
    stamp: stampSchema(objects),
    objects: objects.map(([type, name, table, root, sql]) => ({
      // SQLite has no other types.
      type: (type ?? 'table') as SchemaObject['type'],
      ...{ name: name ?? '', table: table ?? '', root: Number(root ?? 0), sql: sql ?? '' },
    })),
    columns: groupRows(columns, ([table, name, hidden, pk, type]) => ({
      name: name ?? '',
      isHidden: hidden === '1',
      isVirtual: hidden === '2',
      isStored: hidden === '3',
      isRowid: pk === '1' && type === 'INTEGER' && keySizes.get(toKey(table)) === 1 && !withoutRowid.has(toKey(table)),
    })),
    indexes: readIndexes(indexes),
    kinds: new Map(kinds.map(([name, type]) => [toKey(name), type ?? ''])),
    withoutRowid,
    tokens: objects.flatMap(([, , , , sql]) => tokenize(sql ?? '')),
  };
}

function countKeys(columns: Rows): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const [table, , , pk] of columns) sizes.set(toKey(table), (sizes.get(toKey(table)) ?? 0) + (pk === '0' ? 0 : 1));
  return sizes;
}

function readIndexes(rows: Rows): ReadonlyMap<string, readonly SchemaIndex[]> {
  const found = new Map<string, Map<string, { name: string; origin: string; columns: number[] }>>();
  for (const [table, name, origin, column] of rows) {
    const ofTable = found.get(toKey(table)) ?? new Map();
    const index = ofTable.get(name ?? '') ?? { name: name ?? '', origin: origin ?? '', columns: [] };
    index.columns.push(Number(column));
    ofTable.set(index.name, index);
    found.set(toKey(table), ofTable);
  }
  return new Map([...found].map(([table, ofTable]) => [table, [...ofTable.values()]]));
}

function groupRows<T>(rows: Rows, toItem: (row: Rows[number]) => T): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = toKey(row[0]);
    const list = groups.get(key) ?? [];
    list.push(toItem(row));
    groups.set(key, list);
  }
  return groups;
}

/** Everything in a text that may be a name; SQLite takes a text for one in some places. */
export function listNames(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter((token) => isName(token) || token.kind === 'text').map(({ name }) => toKey(name)));
}

export function readNames(sql: string): ReadonlySet<string> {
  return listNames(tokenize(sql));
}

/** The tokens of a statement, and of the views that it leads to. */
export function followViews(schema: Schema, tokens: readonly Token[], more: readonly string[] = []): readonly Token[] {
  const views = new Map(schema.objects.filter(({ type }) => type === 'view').map(({ name, sql }) => [toKey(name), sql]));
  const found = [...tokens, ...more.flatMap((sql) => [...tokenize(sql)])];
  for (const token of found) {
    const sql = isName(token) || token.kind === 'text' ? views.get(toKey(token.name)) : undefined;
    if (sql === undefined) continue;
    views.delete(toKey(token.name));
    found.push(...tokenize(sql));
  }
  return found;
}
