import type { ColumnDetails, Description, KeyDetails, ReferenceDetails, TableDetails } from './catalog.ts';

/** What the marks mean; stands in the first line of an answer. */
export const legend = '`?` nullable, `=` default, `->` references, `<-` referenced by.';

const commentLength = 200;
/** Nothing of a catalog is that long but a view's statement, which is wrapped. */
const longestLine = 8_000;
const wrapAt = 1_000;

/** A description as lines for a model: one for each column, with all in it that concerns this column alone. */
export function formatDescription({ tables, types }: Description): string[] {
  return [...tables.flatMap(formatTable), ...types.map(formatType)];
}

/** Columns, types, keys and references only, and one line for each table. */
export function formatBrief({ tables, types }: Description): string[] {
  const plain = { default: undefined, comment: undefined };
  const shown = tables.map((table) => {
    const columns = table.columns.map((column) => ({ ...column, ...plain, filled: undefined }));
    const references = table.references.map((reference) => ({ ...reference, action: '' }));
    const own = { ...table, columns, references, checks: [] };
    return formatLine(`${table.name}(${[...formatColumns(own), ...formatComposites(own)].join(', ')})`);
  });
  return [...shown, ...types.map(formatType)];
}

function formatType({ name, definition }: Description['types'][number]): string {
  return formatLine(`${name}: ${definition}`);
}

function formatTable(table: TableDetails): string[] {
  const { referencedBy, partitions } = table;
  const lines = [
    ...formatColumns(table),
    ...formatComposites(table),
    ...table.checks.filter(({ column }) => column === undefined).map(({ definition }) => definition),
    ...table.indexes.map(({ name, definition }) => `INDEX ${name} ${definition}`),
    ...table.notes,
    ...(partitions.total === 0 ? [] : [`partitions: ${formatBounded(partitions.shown, partitions.total, '; ')}`]),
    ...formatReferencedBy(referencedBy, table.keys),
    ...(table.alsoIn.length === 0 ? [] : [`not to be confused with ${table.alsoIn.join(', ')}`]),
  ];
  return [formatLine(formatHead(table)), ...lines.map((line) => formatLine(`  ${line}`)), ...formatDefinition(table.definition)];
}

function formatHead({ name, kind, rows, bytes, comment, rights }: TableDetails): string {
  const facts = [kind, rows === undefined ? '' : `~${rows} rows`, bytes === undefined ? '' : formatBytes(bytes), rights ?? ''];
  return `${name}: ${facts.filter((fact) => fact !== '').join(', ')}${formatComment(comment)}`;
}

/** Neighbours of which there is nothing to say but the same type share a line. */
function formatColumns(table: TableDetails): string[] {
  const lines: { names: string[]; rest: string }[] = [];
  for (const column of table.columns) {
    const rest = formatColumn(column, table);
    const last = lines.at(-1);
    if (last?.rest === rest && rest === formatNull(column)) last.names.push(column.name);
    else lines.push({ names: [column.name], rest });
  }
  return lines.map(({ names, rest }) => `${names.join(', ')} ${rest}`);
}

function formatComposites({ keys, references }: TableDetails): string[] {
  const composite = keys.filter(isComposite).map(({ word, columns }) => `${word} (${columns.join(', ')})`);
  return [...composite, ...references.filter(isComposite).map(formatReference)];
}

function formatNull({ type, nullable }: ColumnDetails): string {
  return `${type}${nullable ? '?' : ''}`;
}

/** All of its line but the name. */
function formatColumn(column: ColumnDetails, { keys, references, checks }: TableDetails): string {
  const ours = (columns: readonly string[]) => columns.length === 1 && columns[0] === column.name;
  const words = [
    formatNull(column),
    ...keys.filter((key) => ours(key.columns)).map(({ word }) => word),
    column.filled ?? '',
    column.default === undefined ? '' : `=${column.default}`,
    ...references.filter((reference) => ours(reference.columns)).map(formatTarget),
    ...checks.filter((check) => check.column === column.name).map(({ definition }) => definition),
  ];
  return words.filter((word) => word !== '').join(' ') + formatComment(column.comment);
}

function isComposite({ columns }: { columns: readonly string[] }): boolean {
  return columns.length !== 1;
}

function formatReference(reference: ReferenceDetails): string {
  return `(${reference.columns.join(', ')}) ${formatTarget(reference)}`;
}

function formatTarget({ table, targets, action }: ReferenceDetails): string {
  const target = formatPlace(table, targets);
  return `-> ${action === '' ? target : `${target} ${action}`}`;
}

function formatPlace(table: string, columns: readonly string[]): string {
  return columns.length === 1 ? `${table}.${columns[0]}` : `${table}(${columns.join(', ')})`;
}

/** To which of our columns is said only where it is not the primary key. */
function formatReferencedBy({ shown, total }: TableDetails['referencedBy'], keys: readonly KeyDetails[]): string[] {
  if (total === 0) return [];
  const primary = keys.find(({ word }) => word === 'PK')?.columns.join();
  const all = shown.map(({ table, columns, targets, action }) => {
    const at = targets.join() === primary ? '' : ` -> ${targets.join(', ')}`;
    return `${formatPlace(table, columns)}${at}${action === '' ? '' : ` ${action}`}`;
  });
  return [`<- ${formatBounded(all, total, ', ')}`];
}

function formatBounded(shown: readonly string[], total: number, separator: string): string {
  const rest = total - shown.length;
  return rest > 0 ? `${shown.join(separator)}${separator}and ${rest} more` : shown.join(separator);
}

function formatDefinition(definition: string | undefined): string[] {
  if (definition === undefined) return [];
  const lines = definition.split('\n').flatMap((line) => line.match(wrapped) ?? []);
  return ['  AS', ...lines.map((line) => escapeMark(`  ${line}`))];
}

/** Pieces that end with a space where there is one. */
const wrapped = new RegExp(`.{1,${wrapAt}}(?:\\s|$)|.{1,${wrapAt}}`, 'gu');

/** Comments are somebody's prose: one line of it is enough to know what a thing is. */
function formatComment(comment: string | undefined): string {
  const text = shortComment(comment);
  return text === '' ? '' : ` -- ${text}`;
}

export function shortComment(comment: string | undefined): string {
  const characters = [...(comment ?? '').replace(/\s+/gu, ' ').trim()];
  return characters.length > commentLength ? `${characters.slice(0, commentLength).join('')}…` : characters.join('');
}

/** What a name or an expression holds must not look like a line of ours. */
function formatLine(text: string): string {
  const line = text.length > longestLine ? `${text.slice(0, longestLine)}…` : text;
  return escapeMark(line).replaceAll('\n', '⟦U+000A⟧');
}

/** Every answer shows what is invisible as `⟦U+…⟧`; here one that came with the data is told from those. */
function escapeMark(text: string): string {
  return text.replaceAll('⟦', '⟦U+27E6⟧');
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}
