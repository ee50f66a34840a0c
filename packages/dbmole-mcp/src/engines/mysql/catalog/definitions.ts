import type { ColumnDetails, ReferenceDetails, TableDetails } from '../../../catalog/catalog.ts';
import { formatParenthesised } from '../../../statement/parenthesised.ts';
import { formatExpression, formatIdentifier } from '../values/identifiers.ts';
import type { CatalogContext } from './context.ts';

type Row = readonly (string | null)[];

/** The rows of one table in the answer, by the kind of the row. */
export type RowsOf = (what: string) => readonly Row[];

export function readColumns(buildRows: RowsOf, { maria }: CatalogContext): ColumnDetails[] {
  const json = maria ? jsonColumns(buildRows) : new Set<string>();
  return buildRows('column').map(([name, type, nullable, text, extra, generated, comment]) => {
    const column = { type: type ?? '', extra: extra ?? '', generated: generated ?? '', text };
    return {
      name: formatIdentifier(name ?? ''),
      type: json.has(name ?? '') ? `${column.type} (json)` : column.type,
      nullable: nullable === 'YES',
      default: column.generated === '' ? formatDefault(column, maria) : undefined,
      filled: formatFilled(column),
      comment: comment === '' ? undefined : (comment ?? undefined),
    };
  });
}

/** MariaDB turns a JSON column into a long text with this check. */
export function jsonCheck(name: string): string {
  return `json_valid(\`${name.replaceAll('`', '``')}\`)`;
}

function jsonColumns(buildRows: RowsOf): Set<string> {
  const clauses = new Set(buildRows('check').map(([, clause]) => clause));
  const names = buildRows('column').map(([name]) => name ?? '');
  return new Set(names.filter((name) => clauses.has(jsonCheck(name))));
}

interface RawColumn {
  type: string;
  extra: string;
  generated: string;
  text: string | null | undefined;
}

/** MariaDB shows the default as SQL; MySQL shows its value, and marks expressions in `extra`. */
function formatDefault({ type, extra, text }: RawColumn, maria: boolean): string | undefined {
  if (text === null || text === undefined || (maria && text === 'NULL')) return undefined;
  if (maria || /\bDEFAULT_GENERATED\b/.test(extra)) return formatExpression(text);
  if (/^(?:tinyint|smallint|mediumint|int|bigint|decimal|float|double|year|bit|binary|varbinary)\b/.test(type)) return text;
  return `'${text.replaceAll("'", "''")}'`;
}

function formatFilled({ extra, generated }: RawColumn): string | undefined {
  const words: string[] = [];
  if (/\bauto_increment\b/i.test(extra)) words.push('auto_increment');
  const update = /on update \S+/i.exec(extra)?.[0];
  if (update !== undefined) words.push(update);
  if (generated !== '') words.push(formatGenerated(extra, generated));
  if (/\bINVISIBLE\b/i.test(extra)) words.push('invisible');
  return words.length === 0 ? undefined : words.join(' ');
}

function formatGenerated(extra: string, generated: string): string {
  const kind = /STORED|PERSISTENT/i.test(extra) ? 'stored' : 'virtual';
  const expression = formatExpression(generated.replaceAll("\\'", "'"));
  return `generated ${kind} ${formatParenthesised(expression)}`;
}

/** An account sees a table as soon as it has any right on it. */
export function readRights(buildRows: RowsOf): string | undefined {
  const rights = buildRows('column').map((cells) => /\bselect\b/i.test(cells[7] ?? ''));
  if (rights.every((may) => may)) return undefined;
  return rights.some((may) => may) ? 'SELECT on some columns only' : 'no SELECT';
}

interface Index {
  name: string;
  parts: string[];
  unique: boolean;
  /** The index is no more than its columns, as a key is. */
  plain: boolean;
  columns: string[];
  method: string;
  hidden: string;
}

/** Sizes and uses by the name of the index. */
export type IndexUses = ReadonlyMap<string, { bytes: number | undefined; uses: number | undefined }>;

/** In this engine, every unique index is a constraint and every constraint an index. */
export function toIndexes(buildRows: RowsOf, uses: IndexUses): Pick<TableDetails, 'keys' | 'indexes'> {
  const indexes = readIndexes(buildRows);
  const isKey = ({ unique, plain }: Index) => unique && plain;
  const keys = indexes.filter(isKey).map(({ name, columns }) => ({
    name: formatIdentifier(name),
    word: name === 'PRIMARY' ? 'PK' : 'UNIQUE',
    columns,
  }));
  return {
    keys: keys.sort((a, b) => Number(b.word === 'PK') - Number(a.word === 'PK')),
    indexes: indexes.map((index) => ({
      name: formatIdentifier(index.name),
      definition: formatIndex(index),
      isKey: isKey(index),
      bytes: uses.get(index.name)?.bytes,
      uses: uses.get(index.name)?.uses,
    })),
  };
}

function readIndexes(buildRows: RowsOf): Index[] {
  const indexes = new Map<string, Index>();
  for (const [name, column, collation, length, nonUnique, method, expression, hidden] of buildRows('index')) {
    const key = name ?? '';
    const fresh = {
      name: key,
      parts: [],
      unique: nonUnique === '0',
      plain: true,
      columns: [],
      method: method ?? '',
      hidden: hidden ?? '',
    };
    const index = indexes.get(key) ?? fresh;
    indexes.set(key, index);
    const label = formatIdentifier(column ?? '');
    const base = expression ? `(${formatExpression(expression.replaceAll("\\'", "'"))})` : label;
    const part = `${base}${length ? `(${length})` : ''}${collation === 'D' ? ' DESC' : ''}`;
    index.parts.push(part);
    index.columns.push(label);
    index.plain &&= part === label && index.hidden === '';
  }
  return [...indexes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function formatIndex({ parts, unique, method, hidden }: Index): string {
  const words = [unique ? 'UNIQUE' : '', method.toLowerCase(), `(${parts.join(', ')})`, hidden];
  return words.filter((word) => word !== '').join(' ');
}

interface Names extends Pick<CatalogContext, 'formatLabel'> {
  schema: string;
}

interface Building extends ReferenceDetails {
  columns: string[];
  targets: string[];
}

export function readReferences(buildRows: RowsOf, { formatLabel }: Names): ReferenceDetails[] {
  const rules = new Map(buildRows('rule').map(([name, update, remove]) => [name, formatAction(update, remove)]));
  const references = new Map<string, Building>();
  for (const [name, column, schema, table, target] of buildRows('reference')) {
    const label = formatLabel(schema, table);
    collect(references, { key: name ?? '', name, table: label, column, target, action: rules.get(name ?? '') ?? '' });
  }
  return [...references.values()];
}

export function referencedBy(buildRows: RowsOf, { formatLabel }: Names): TableDetails['referencedBy'] {
  const toKey = (name: string | null | undefined, schema: string | null | undefined, table: string | null | undefined) =>
    JSON.stringify([schema, table, name]);
  const rules = new Map(
    buildRows('incoming rule').map(([name, schema, table, update, remove]) => [
      toKey(name, schema, table),
      formatAction(update, remove),
    ]),
  );
  const references = new Map<string, Building>();
  for (const [name, schema, table, column, target] of buildRows('incoming')) {
    const key = toKey(name, schema, table);
    collect(references, { key, name, table: formatLabel(schema, table), column, target, action: rules.get(key) ?? '' });
  }
  const all = [...references.values()].sort((a, b) => (a.table < b.table ? -1 : 1));
  return { shown: all, total: all.length };
}

interface Part {
  key: string;
  name: string | null | undefined;
  table: string;
  column: string | null | undefined;
  target: string | null | undefined;
  action: string;
}

function collect(references: Map<string, Building>, { key, name, table, column, target, action }: Part): void {
  const fresh = { name: formatIdentifier(name ?? ''), table, action, columns: [], targets: [] };
  const reference = references.get(key) ?? fresh;
  references.set(key, reference);
  reference.columns.push(formatIdentifier(column ?? ''));
  reference.targets.push(formatIdentifier(target ?? ''));
}

/** RESTRICT and NO ACTION mean the same in this engine and are its default. */
function formatAction(update: string | null | undefined, remove: string | null | undefined): string {
  const said = (word: string, rule: string | null | undefined) =>
    rule && !/^(?:RESTRICT|NO ACTION)$/.test(rule) ? `ON ${word} ${rule}` : '';
  return [said('DELETE', remove), said('UPDATE', update)].filter((action) => action !== '').join(' ');
}
