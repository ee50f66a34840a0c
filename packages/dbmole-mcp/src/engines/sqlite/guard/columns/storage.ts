import { type ColumnRules, createColumnPolicy } from '@dbmole/core';
import { deriveTaint, mergeTaints, type Taint } from '../../../../policy/taint.ts';
import { noToken, type Token } from '../../../../statement/tokens.ts';
import { readCreateText } from '../../catalog/create-text.ts';
import { toKey } from '../../catalog/schema-facts.ts';
import { tokenize } from '../text/lexer.ts';
import { listNames, readNames, type Schema, type SchemaColumn, type SchemaObject } from './schema.ts';

type Part = Taint | undefined;
type ColumnPolicy = NonNullable<ReturnType<typeof createColumnPolicy>>;

/** A table or an index in the file, by its columns as they are stored. */
export interface Tree {
  readonly table: string;
  readonly isIndex: boolean;
  readonly columns: readonly Part[];
  /** What the columns are called; undefined for an expression. */
  readonly names: readonly (string | undefined)[];
  readonly rowid: Part;
  readonly rowidName: string | undefined;
}

/** The rules, applied to the schema of a file. */
export interface Storage {
  /** Tables and indexes by their root page. */
  readonly trees: ReadonlyMap<number, Tree>;
  /** Columns of tables and views as they are called, by the names of both in small letters. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, Taint>>;
  /** Virtual tables that can show protected columns. */
  readonly virtual: ReadonlyMap<string, VirtualTable>;
}

interface VirtualTable {
  readonly columns: readonly Part[];
  /** What any of its columns, or the tables that it keeps, can show. */
  readonly all: Taint;
}

export function openPolicy(rules: readonly ColumnRules[] | undefined): ColumnPolicy | undefined {
  return rules && createColumnPolicy(rules);
}

/** Statistics of ANALYZE with values of rows. */
const samples: ReadonlySet<string> = new Set(['sqlite_stat3', 'sqlite_stat4']);

export function applyRules(schema: Schema, policy: ColumnPolicy): Storage {
  const ruled = new Map<string, Map<string, Taint>>();
  for (const [table, columns] of schema.columns)
    for (const { name } of columns) add(ruled, table, name, judge(policy, table, name));
  addComputed(schema, ruled);
  const virtual = findVirtual(schema, ruled);
  const shadows = schema.objects.filter(({ type, name }) => type === 'table' && schema.kinds.get(toKey(name)) === 'shadow');
  for (const { name } of shadows)
    for (const column of schema.columns.get(toKey(name)) ?? []) add(ruled, toKey(name), column.name, findOwner(virtual, name));
  const trees = new Map<number, Tree>();
  for (const object of schema.objects) {
    if (object.root === 0) continue;
    trees.set(object.root, object.type === 'index' ? readIndex(schema, ruled, object) : readTable(schema, ruled, object));
  }
  // The schema itself has no values.
  trees.set(1, { table: 'sqlite_schema', isIndex: false, columns: [], names: [], rowid: undefined, rowidName: undefined });
  return { trees, columns: ruled, virtual };
}

function judge(policy: ColumnPolicy, table: string, column: string): Part {
  if (samples.has(table)) return { action: 'mask', labels: [column] };
  const action = policy.find([table, `main.${table}`], column);
  return action === undefined ? undefined : { action, labels: [column] };
}

function add(ruled: Map<string, Map<string, Taint>>, table: string, column: string, taint: Part): void {
  if (taint === undefined) return;
  const columns = ruled.get(table) ?? new Map<string, Taint>();
  ruled.set(table, columns.set(toKey(column), mergeTaints(columns.get(toKey(column)), taint) ?? taint));
}

/**
 * A stored column is read as it is, so it has the taint of what it was computed of. One that is not stored is computed of others at each
 * read; a rule for it holds for these as well.
 */
function addComputed(schema: Schema, ruled: Map<string, Map<string, Taint>>): void {
  for (const { type, name, sql } of schema.objects) {
    const columns = schema.columns.get(toKey(name)) ?? [];
    const computed = columns.filter(({ isVirtual, isStored }) => isVirtual || isStored);
    if (type !== 'table' || computed.length === 0) continue;
    const { generated } = readCreateText(sql);
    const found = computed.map((column) => {
      const named = readNames(generated.get(column.name.toLowerCase()) ?? sql);
      return { column, others: columns.filter((other) => other !== column && named.has(toKey(other.name))) };
    });
    passTaints(ruled, toKey(name), found);
  }
}

interface ComputedColumn {
  column: SchemaColumn;
  others: readonly SchemaColumn[];
}

function passTaints(ruled: Map<string, Map<string, Taint>>, table: string, computed: readonly ComputedColumn[]): void {
  const find = ({ name }: SchemaColumn) => ruled.get(table)?.get(toKey(name));
  for (const { column, others } of computed) {
    const own = column.isVirtual ? find(column) : undefined;
    for (const other of others) add(ruled, table, other.name, own);
  }
  // Generated columns may be computed of others.
  for (const _ of computed)
    for (const { column, others } of computed) add(ruled, table, column.name, deriveTaint(mergeTaints(...others.map(find))));
}

/** Virtual tables with a protected column, and those whose text names a table with one: its content, or its words. */
function findVirtual(schema: Schema, ruled: ReadonlyMap<string, ReadonlyMap<string, Taint>>): ReadonlyMap<string, VirtualTable> {
  const found = new Map<string, VirtualTable>();
  const virtual = schema.objects.filter(
    ({ type, root, name }) => type === 'table' && root === 0 && schema.kinds.has(toKey(name)),
  );
  for (let round = 0; round <= virtual.length; round += 1) {
    const before = found.size;
    for (const { name, sql } of virtual) {
      const key = toKey(name);
      const table = found.has(key) ? undefined : readVirtual({ schema, ruled, found }, key, sql);
      if (table !== undefined) found.set(key, table);
    }
    if (found.size === before) break;
  }
  return found;
}

interface VirtualPlace {
  schema: Schema;
  ruled: ReadonlyMap<string, ReadonlyMap<string, Taint>>;
  found: ReadonlyMap<string, VirtualTable>;
}

function readVirtual({ schema, ruled, found }: VirtualPlace, key: string, sql: string): VirtualTable | undefined {
  const tokens = tokenize(sql);
  const named = [...listNames(tokens)].filter((word) => word !== key && (ruled.has(word) || found.has(word)));
  const shown = named.flatMap((word) => [...(ruled.get(word)?.values() ?? []), ...toList(found.get(word)?.all)]);
  const own = ruled.get(key);
  const all = deriveTaint(mergeTaints(...(own?.values() ?? []), ...shown));
  if (all === undefined) return undefined;
  // Text search reads the table with its content by the names of columns.
  const module = toKey(tokens[tokens.findIndex(({ word }) => word === 'USING') + 1]?.name);
  const isContent = /^fts[345]$/.test(module);
  const read = ({ name, isHidden }: SchemaColumn): Part => {
    if (isHidden) return all;
    if (named.length === 0) return own?.get(toKey(name));
    const has = (table: string) => (schema.columns.get(table) ?? []).some((other) => toKey(other.name) === toKey(name));
    if (!isContent || !named.every(has)) return all;
    return mergeTaints(own?.get(toKey(name)), ...named.map((table) => deriveTaint(ruled.get(table)?.get(toKey(name)))));
  };
  return { all, columns: (schema.columns.get(key) ?? []).map(read) };
}

function toList<T>(one: T | undefined): T[] {
  return one === undefined ? [] : [one];
}

function findOwner(virtual: ReadonlyMap<string, VirtualTable>, shadow: string): Part {
  const owners = [...virtual].filter(([name]) => toKey(shadow).startsWith(`${name}_`));
  return mergeTaints(...owners.map(([, { all }]) => all));
}

function readTable(schema: Schema, ruled: ReadonlyMap<string, ReadonlyMap<string, Taint>>, object: SchemaObject): Tree {
  const key = toKey(object.name);
  const all = schema.columns.get(key) ?? [];
  const taint = (name: string | undefined) => (name === undefined ? undefined : ruled.get(key)?.get(toKey(name)));
  const stored = all.filter(({ isVirtual, isHidden }) => !isVirtual && !isHidden).map(({ name }) => name);
  const primary = schema.indexes.get(key)?.find(({ origin }) => origin === 'pk');
  const isKeyed = schema.withoutRowid.has(key) && primary !== undefined;
  const names = isKeyed ? primary.columns.map((column) => all[column]?.name) : stored;
  const rowidName = all.find(({ isRowid }) => isRowid)?.name;
  return { table: object.name, isIndex: false, columns: names.map(taint), names, rowid: taint(rowidName), rowidName };
}

function readIndex(schema: Schema, ruled: ReadonlyMap<string, ReadonlyMap<string, Taint>>, object: SchemaObject): Tree {
  const key = toKey(object.table);
  const all = schema.columns.get(key) ?? [];
  const own = ruled.get(key);
  const { columns = [] } = schema.indexes.get(key)?.find(({ name }) => toKey(name) === toKey(object.name)) ?? {};
  const rowidName = all.find(({ isRowid }) => isRowid)?.name;
  const rowid = rowidName === undefined ? undefined : own?.get(toKey(rowidName));
  const named = readNames(object.sql);
  const computed = deriveTaint(mergeTaints(...[...(own ?? [])].filter(([name]) => named.has(name)).map(([, taint]) => taint)));
  const names = columns.map((column) => (column === -1 ? rowidName : all[column]?.name));
  return {
    ...{ table: object.table, isIndex: true, names, rowid, rowidName },
    columns: names.map((name, i) => (columns[i] === -2 ? computed : name === undefined ? undefined : own?.get(toKey(name)))),
  };
}

/** The taint of a column of the virtual tables that the names can mean. */
export function judgeVirtual({ virtual }: Storage, tokens: readonly Token[]): (column: number) => Part {
  const names = listNames(tokens);
  const found = [...virtual].flatMap(([name, table]) => (names.has(name) ? table : []));
  return (column) => mergeTaints(...found.map(({ columns, all }) => (column < columns.length ? columns[column] : all)));
}

/** The largest number of arguments with which the texts call each function. */
export function countArguments(tokens: readonly Token[]): (name: string) => number {
  const found = new Map<string, number>();
  const open: { name: string; size: number }[] = [];
  for (const [at, { word }] of tokens.entries()) {
    const top = open.at(-1);
    if (word === '(') open.push({ name: toKey((tokens[at - 1] ?? noToken).name), size: 1 });
    else if (top !== undefined && word === ',') top.size += 1;
    else if (top !== undefined && word === ')') {
      open.pop();
      found.set(top.name, Math.max(found.get(top.name) ?? 0, top.size));
    }
  }
  return (name) => found.get(name) ?? maxArguments;
}

/** What SQLite allows by default. */
const maxArguments = 1_000;
