import type {
  ColumnDetails,
  Description,
  IndexDetails,
  KeyDetails,
  PolicyDetails,
  ReferenceDetails,
  TableDetails,
} from './catalog.ts';

export const commentLength = 200;
/** Nothing of a catalog is that long but a view's statement, which is wrapped. */
const maxLineLength = 8_000;
const wrapAt = 1_000;

/** A description as lines for a model: one for each column, with all in it that concerns this column alone. */
export function formatDescription({ tables, types }: Description): string[] {
  return [...tables.flatMap((table) => formatTable(withActions(table))), ...types.map(formatType)];
}

/** Columns, types, keys and references only, and one line for each table. */
export function formatBrief({ tables, types }: Description): string[] {
  const shown = tables.map((table) => {
    const own = withoutDetails(table);
    return formatLine(`${table.name}(${[...formatColumns(own), ...formatComposites(own)].join(', ')})`);
  });
  return [...shown, ...types.map(formatType)];
}

/** What a brief description shows of a table. */
export function withoutDetails(table: TableDetails): TableDetails {
  const plain = { default: undefined, comment: undefined, filled: undefined };
  const unnamed = <T extends { name: string }>(all: readonly T[]) => all.map((one) => ({ ...one, name: '' }));
  const columns = table.columns.map((column) => ({ ...column, ...plain }));
  return { ...table, columns, keys: unnamed(table.keys), references: unnamed(table.references), checks: [] };
}

function nothingOnDelete({ action }: ReferenceDetails): string {
  return action === '' ? 'NO ACTION' : `ON DELETE NO ACTION ${action}`;
}

/** Readers take a missing fact for an unknown one, so the answer states it. */
export function withActions(table: TableDetails): TableDetails {
  const explicit = (reference: ReferenceDetails): ReferenceDetails =>
    /\bON DELETE\b/.test(reference.action) ? reference : { ...reference, action: nothingOnDelete(reference) };
  const { shown, total } = table.referencedBy;
  return { ...table, references: table.references.map(explicit), referencedBy: { shown: shown.map(explicit), total } };
}

export function formatType({ name, definition }: Description['types'][number]): string {
  return formatLine(`${name}: ${definition}`);
}

function formatTable(table: TableDetails): string[] {
  const { partitions } = table;
  const lines = [
    ...formatColumns(table),
    ...formatComposites(table),
    ...table.checks.filter(({ column }) => column === undefined).map(formatCheck),
    ...table.indexes.filter(({ isKey }) => !isKey).map(formatIndex),
    ...table.notes,
    ...table.policies.map(formatPolicy),
    ...table.triggers.map((trigger) => formatTrigger(trigger)),
    ...(partitions.total === 0 ? [] : [`partitions: ${formatBounded(partitions.shown, partitions.total)}`]),
    ...formatReferencedBy(table),
    ...(table.alsoIn.length === 0 ? [] : [`not to be confused with ${table.alsoIn.join(', ')}`]),
  ];
  return [formatLine(formatHead(table)), ...lines.map((line) => formatLine(`  ${line}`)), ...formatShortDefinition(table)];
}

function formatHead({ name, kind, rows, bytes, comment, rights }: TableDetails): string {
  const facts = [kind, rows === undefined ? '' : `~${rows} rows`, bytes === undefined ? '' : formatBytes(bytes), rights ?? ''];
  return `${name}: ${facts.filter((fact) => fact !== '').join(', ')}${formatComment(comment)}`;
}

/** Neighbours of which there is nothing to say but the same type share a line. */
export function formatColumns(table: TableDetails, maxComment = commentLength): string[] {
  const lines: { names: string[]; rest: string }[] = [];
  const constraints = groupConstraints(table);
  for (const column of table.columns) {
    const rest = formatColumn(column, constraints, maxComment);
    const last = lines.at(-1);
    if (last?.rest === rest && rest === formatNull(column)) last.names.push(column.name);
    else lines.push({ names: [column.name], rest });
  }
  return lines.map(({ names, rest }) => `${names.join(', ')} ${rest}`);
}

export function formatComposites({ keys, references }: TableDetails): string[] {
  const composite = keys.filter(isComposite).map(formatKey);
  return [...composite, ...references.filter(isComposite).map(formatReference)];
}

function formatNull({ type, nullable }: ColumnDetails): string {
  return `${type}${nullable ? '?' : ''}`;
}

/** Constraints by the one column that each concerns: what comes before its default, and what after it. */
interface Constraints {
  keys: ReadonlyMap<string, readonly string[]>;
  others: ReadonlyMap<string, readonly string[]>;
}

function groupConstraints({ keys, references, checks }: TableDetails): Constraints {
  const sole = ({ columns }: { columns: readonly string[] }) => (columns.length === 1 ? columns[0] : undefined);
  return {
    keys: groupByColumn(keys.map((key) => [sole(key), `${key.word}${formatName(key)}`])),
    others: groupByColumn([
      ...references.map((reference) => [sole(reference), formatTarget(reference)] as const),
      ...checks.map((check) => [check.column, formatCheck(check)] as const),
    ]),
  };
}

function groupByColumn(all: readonly (readonly [column: string | undefined, text: string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [column, text] of all) {
    const group = column === undefined ? undefined : groups.get(column);
    if (group !== undefined) group.push(text);
    else if (column !== undefined) groups.set(column, [text]);
  }
  return groups;
}

/** All of its line but the name. */
function formatColumn(column: ColumnDetails, { keys, others }: Constraints, maxComment: number): string {
  const words = [
    formatNull(column),
    ...(keys.get(column.name) ?? []),
    column.filled ?? '',
    column.default === undefined ? '' : `=${column.default}`,
    ...(others.get(column.name) ?? []),
  ];
  return words.filter((word) => word !== '').join(' ') + formatComment(column.comment, maxComment);
}

function isComposite({ columns }: { columns: readonly string[] }): boolean {
  return columns.length !== 1;
}

export function formatReference(reference: ReferenceDetails): string {
  return `(${reference.columns.join(', ')}) ${formatTarget(reference)}`;
}

function formatTarget(reference: ReferenceDetails): string {
  const { table, targets, action } = reference;
  const target = formatPlace(table, targets);
  return `-> ${action === '' ? target : `${target} ${action}`}${formatName(reference)}`;
}

export function formatKey(key: KeyDetails): string {
  return `${key.word} (${key.columns.join(', ')})${formatName(key)}`;
}

export function formatCheck(check: TableDetails['checks'][number]): string {
  return `${check.definition}${formatName({ name: check.name, columns: check.column === undefined ? [] : [check.column] })}`;
}

export function formatIndex({ name, definition, isKey, bytes, uses }: IndexDetails): string {
  const facts = [
    isKey ? 'of a key' : '',
    bytes === undefined ? '' : formatBytes(bytes),
    uses === undefined ? '' : `used ${uses} ${uses === 1 ? 'time' : 'times'}`,
  ].filter((fact) => fact !== '');
  return [`INDEX ${name} ${definition}`, ...facts].join(', ');
}

export function formatPolicy({ name, definition }: PolicyDetails): string {
  return `POLICY ${name} ${definition}`;
}

/** Bodies may have several lines. */
export function formatTrigger({ name, definition }: TableDetails['triggers'][number], length?: number): string {
  return `TRIGGER ${name} ${shortComment(definition, length)}`;
}

/** A primary key needs no name, and the name of its only column is already shown. */
export function formatName({ name, word, columns = [] }: { name: string; word?: string; columns?: readonly string[] }): string {
  return name === '' || word === 'PK' || (columns.length === 1 && columns[0] === name) ? '' : ` [${name}]`;
}

function formatPlace(table: string, columns: readonly string[]): string {
  return columns.length === 1 ? `${table}.${columns[0]}` : `${table}(${columns.join(', ')})`;
}

const referencesPerLine = 10;

/** What a delete does to the rows that refer, from the one that reaches farthest. */
const deleteRules = ['CASCADE', 'SET NULL', 'SET DEFAULT', 'RESTRICT', 'NO ACTION'];
const deleteRule = /^(?:ON DELETE )?(CASCADE|RESTRICT|SET NULL|SET DEFAULT|NO ACTION|unknown) ?/;

/** Lines grouped by what a delete does. Referenced columns are named only if they are not the primary key. An answer can end between the lines. */
export function formatReferencedBy({ referencedBy, keys }: TableDetails): string[] {
  const { shown, total } = referencedBy;
  const primary = keys.find(({ word }) => word === 'PK')?.columns.join();
  const groups = new Map<string, string[]>(deleteRules.map((rule) => [rule, []]));
  for (const reference of shown) {
    const { table, columns, targets, action } = reference;
    const rule = deleteRule.exec(action)?.[1] ?? action;
    const at = targets.join() === primary ? '' : ` -> ${targets.join(', ')}`;
    const rest = action.replace(deleteRule, '');
    const text = `${formatPlace(table, columns)}${at}${rest === '' ? '' : ` ${rest}`}${formatName(reference)}`;
    groups.set(rule, [...(groups.get(rule) ?? []), text]);
  }
  const lines = [...groups].flatMap(([rule, all]) => {
    const starts = Array.from({ length: Math.ceil(all.length / referencesPerLine) }, (_, index) => index * referencesPerLine);
    return starts.map((start) => `<- ON DELETE ${rule}: ${all.slice(start, start + referencesPerLine).join(', ')}`);
  });
  return total > shown.length ? [...lines, `<- ${total - shown.length} more; query the catalog for them`] : lines;
}

function formatBounded(shown: readonly string[], total: number): string {
  const rest = total - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more; list_tables shows them by pattern`] : [])].join('; ');
}

/** Statements of views are short as a rule. */
const maxShortDefinition = 2_000;

function formatShortDefinition({ definition }: TableDetails): string[] {
  if (definition === undefined || definition.length <= maxShortDefinition) return formatDefinition(definition);
  return [`  AS … ${definition.length} characters; the part definition shows them`];
}

export function formatDefinition(definition: string | undefined): string[] {
  if (definition === undefined) return [];
  const isCrlf = /\r\n/.test(definition) && !/[^\r]\n/.test(definition);
  const lines = (isCrlf ? definition.replaceAll('\r\n', '\n') : definition)
    .split('\n')
    .flatMap((line) => line.match(wrapped) ?? []);
  return [isCrlf ? '  AS, with CRLF at each line end' : '  AS', ...lines.map((line) => escapeMark(`  ${line}`))];
}

/** Pieces that end with a space where there is one. */
const wrapped = new RegExp(`.{1,${wrapAt}}(?:\\s|$)|.{1,${wrapAt}}`, 'gu');

/** Comments are free prose: one line is enough to know what a thing is. */
function formatComment(comment: string | undefined, length?: number): string {
  const text = shortComment(comment, length);
  return text === '' ? '' : ` -- ${text}`;
}

export function shortComment(comment: string | undefined, length = commentLength): string {
  const characters = [...(comment ?? '').replace(/\s+/gu, ' ').trim()];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : characters.join('');
}

/** What a name or an expression holds must not look like one of our lines. */
export function formatLine(text: string): string {
  const line = text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
  return escapeMark(line).replaceAll('\n', '⟦U+000A⟧');
}

/** Every answer shows what is invisible as `⟦U+…⟧`; this distinguishes one that came with the data. */
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
