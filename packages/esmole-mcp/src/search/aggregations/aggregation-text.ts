import { type CellValue, type RowWriter, truncateRows } from '@dbmole/core';
import { jsonText, unite } from '../hit-table.ts';
import type { AggregationRow, AggregationTable, Values } from './aggregation-tables.ts';

/** One block of text with rows that can be read page by page. Lengths are those of lines, with their ends. */
export interface RowText {
  readonly total: number;
  /** `room` is how many characters the block may have at most. */
  headLength(room: number): number;
  /** The length of the row at this position of the page: 0 after the last, Infinity where there are more and they have no room. */
  rowLength(at: number, room: number): number;
  format(rows: number, room: number): string;
}

interface TextOptions {
  /** What holds for the table as a whole. */
  readonly head?: Values | undefined;
  /** Rows that earlier pages have shown. */
  readonly offset: number;
  readonly cellLimit?: number | undefined;
  readonly cellOffset?: number | undefined;
}

/** With more columns than this, or with so many holes, a row is one cell of JSON. */
const maxColumns = 120;
const minFilled = 0.5;
/** These are left out where they are zero in all rows: nothing is missing then. */
const counters = /(?:^|\.)(?:sum_other_doc_count|doc_count_error_upper_bound)$/;
const minBudget = 2_000;

export function createLinesText(lines: readonly string[], offset: number): RowText {
  const page = lines.slice(offset);
  return {
    total: lines.length,
    headLength: () => 0,
    rowLength: (at) => (page[at] === undefined ? 0 : page[at].length + 1),
    format: (rows) => page.slice(0, rows).join('\n'),
  };
}

export function createTableText(table: AggregationTable, options: TextOptions): RowText {
  const rendered = new Map<number, Rendered>();
  const layouts = createLayouts(table);
  const measure = (room: number) => {
    const known = rendered.get(room) ?? render({ table, layouts }, options, { room, rows: table.rows.length });
    rendered.set(room, known);
    return known;
  };
  return {
    total: table.total,
    headLength: (room) => measure(room).heading.length + measure(room).lines[0].length + 2,
    rowLength(at, room) {
      const line = measure(room).lines[at + 1];
      if (line !== undefined) return line.length + 1;
      return options.offset + at < table.total ? Infinity : 0;
    },
    format(rows, room) {
      const { heading, lines } = render({ table, layouts }, options, { room, rows });
      return table.total === 0 ? heading : [heading, ...lines].join('\n');
    },
  };
}

interface Rendered {
  heading: string;
  /** The names of the columns, and a line for each row. */
  lines: readonly [string, ...string[]];
}

type Rows = ReturnType<RowWriter['finish']>;

/** Both ways to show a table, which is written several times to see what fits. */
interface Layouts {
  readonly usual: Layout;
  readonly json: () => Layout;
}

function createLayouts({ rows }: AggregationTable): Layouts {
  let json: Layout | undefined;
  return {
    usual: layOut(rows),
    json: () => {
      json ??= layOut(rows, true);
      return json;
    },
  };
}

interface Prepared {
  table: AggregationTable;
  layouts: Layouts;
}

function render({ table, layouts }: Prepared, options: TextOptions, { room, rows }: { room: number; rows: number }): Rendered {
  const layout = layouts.usual;
  let written = write(layout, options, { room, rows });
  if (written.shownColumns < written.columns && !layout.isJson) written = write(layouts.json(), options, { room, rows });
  const [header = '', ...lines] = written.body.split('\n');
  return { heading: formatHeading(table, options, written), lines: [header, ...lines] };
}

function write(layout: Layout, options: TextOptions, { room, rows }: { room: number; rows: number }): Rows {
  const { cellLimit, cellOffset } = options;
  const cells = { ...(cellLimit === undefined ? {} : { cellLimit }), ...(cellOffset === undefined ? {} : { cellOffset }) };
  const writer = truncateRows({ columns: layout.columns, budget: Math.max(minBudget, room), rowLimit: rows, ...cells });
  for (const row of layout.rows.slice(0, rows)) if (!writer.add(layout.formatCells(row))) break;
  return writer.finish();
}

interface Layout {
  columns: readonly string[];
  rows: readonly AggregationRow[];
  formatCells(row: AggregationRow): CellValue[];
  isJson: boolean;
}

function layOut(rows: readonly AggregationRow[], asJson = false): Layout {
  const keys = new Map(rows.map((row) => [row, keyCells(row)]));
  const keyIds = unite([...keys.values()]);
  const names = unite(rows.map(({ values }) => values)).filter((name) => !isNothing(name, rows));
  const filled = rows.reduce((sum, { values }) => sum + values.size, 0);
  const isJson = asJson || names.length > maxColumns || (names.length > 8 && filled < names.length * rows.length * minFilled);
  const keyed = (row: AggregationRow) => {
    const cells = keys.get(row);
    return keyIds.map((id) => cells?.get(id) ?? null);
  };
  const heads = keyIds.map((id) => id.slice(id.indexOf(':') + 1));
  if (!isJson)
    return {
      columns: distinct([...heads, ...names]),
      rows,
      isJson,
      formatCells: (row) => [...keyed(row), ...names.map((name) => row.values.get(name) ?? null)],
    };
  const formatCells = (row: AggregationRow) => [...keyed(row), row.values.get('docs') ?? null, formatRest(row)];
  return { columns: distinct([...heads, 'docs', 'values']), rows, isJson, formatCells };
}

function formatRest({ values }: AggregationRow): string {
  return jsonText(Object.fromEntries([...values].filter(([name]) => name !== 'docs')));
}

/** The keys by depth and name, from the outermost bucket on. */
function keyCells({ keys }: AggregationRow): Map<string, CellValue> {
  const levels = [];
  for (let level = keys; level !== undefined; level = level.outer) levels.unshift(level.own);
  return new Map(levels.flatMap((own, depth) => own.map(([name, value]) => [`${depth}:${name}`, value] as const)));
}

function isNothing(name: string, rows: readonly AggregationRow[]): boolean {
  return counters.test(name) && rows.every(({ values }) => (values.get(name) ?? 0) === 0);
}

function distinct(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name, at) => {
    const label = seen.has(name) ? `${name}#${at + 1}` : name;
    seen.add(label);
    return label;
  });
}

function formatHeading({ name, total, lost }: AggregationTable, { head, offset }: TextOptions, written: Rows): string {
  const { shownRows, cuts } = written;
  const isPart = offset > 0 || offset + shownRows < total;
  const notes = [
    isPart ? `rows ${offset + 1}-${offset + shownRows} of ${total}` : '',
    lost > 0 ? `${lost} more were not kept, ask for fewer` : '',
    formatHead(head),
    cuts.replace(/\.$/, ''),
  ].filter((note) => note !== '');
  const title = `${name.replace(/\s+/g, ' ')}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}:`;
  return total === 0 ? `${title} no buckets` : title;
}

/** Zeros of counters say that nothing is missing. */
function formatHead(head: Values | undefined): string {
  const said = new Map([...(head ?? [])].filter(([name, value]) => !(counters.test(name) && value === 0)));
  const others = said.get('sum_other_doc_count');
  said.delete('sum_other_doc_count');
  return [others === undefined ? '' : `${formatCell(others)} documents in other buckets`, formatValues(said)]
    .filter((text) => text !== '')
    .join('; ');
}

/** `12.5`, or `count=3, min=1`. What is longer than the limit is not formatted to its end. */
export function formatValues(values: Values, limit = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (const [name, value] of values) {
    text += `${text === '' ? '' : ', '}${name === '' ? formatCell(value) : `${name}=${formatCell(value)}`}`;
    if (text.length > limit) break;
  }
  return text;
}

/** Quotes text that could be read as something else. */
function formatCell(value: CellValue): string {
  if (value === null) return 'null';
  const text = typeof value === 'object' ? value.text : String(value);
  return /^[^\s"=,;()⟦⟧](?:[^\n"=,;()⟦⟧]*[^\s"=,;()⟦⟧])?$/.test(text) || /^[[{]/.test(text) ? text : JSON.stringify(text);
}
