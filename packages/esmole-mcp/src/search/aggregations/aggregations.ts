import { type CellValue, Turns } from '@dbmole/core';
import { unite } from '../hit-table.ts';
import { AggregationCollector, type AggregationTable, type TopAggregation, type Values } from './aggregation-tables.ts';
import { createLinesText, createTableText, formatValues, type RowText } from './aggregation-text.ts';

export interface AggregationOptions {
  /** Rows of each table that earlier pages have shown. */
  readonly offset?: number;
  readonly cellLimit?: number;
  readonly cellOffset?: number;
}

export interface FormattedAggregations {
  readonly body: string;
  /** Sentences about what is not shown, and how to read on. */
  readonly notes: readonly string[];
  readonly isCut: boolean;
}

/** Rows of one table on one page. */
const maxRows = 2_000;
/** What a table needs to show at least a row. */
const minTableRoom = 2_000;
/** Characters of a line that says all of an aggregation; a longer one becomes a table. */
const maxLine = 1_000;
/** What is kept free for the heading of a table, beside its name. */
const headingReserve = 200;

/** Values as lines, and then small tables. All tables show the same number of rows, so that one offset reads on in all of them. */
export class AggregationText {
  readonly #texts: readonly RowText[];
  readonly #offset: number;
  readonly #lostTables: number;
  /** Somewhere nothing was found, as if a field did not exist. */
  readonly isEmpty: boolean;

  private constructor(texts: readonly RowText[], { offset, lostTables, isEmpty }: TextFacts) {
    this.#texts = texts;
    this.#offset = offset;
    this.#lostTables = lostTables;
    this.isEmpty = isEmpty;
  }

  static async read(aggregations: unknown, options: AggregationOptions = {}): Promise<AggregationText> {
    const { offset = 0 } = options;
    const collected = await new AggregationCollector({ offset, limit: maxRows }).collect(aggregations);
    const texts = await createTexts(collected, { ...options, offset });
    return new AggregationText(
      texts.filter((text) => text.total > offset || offset === 0),
      { offset, lostTables: collected.lostTables.size, isEmpty: await hasNothing(collected) },
    );
  }

  /** Shows as many rows of all tables as fit, and always one: what is too wide is cut. */
  async format(room: number): Promise<FormattedAggregations> {
    const [texts, offset] = [this.#texts, this.#offset];
    const common = await countRows(texts, room, room);
    const shown = common > 0 ? texts : texts.slice(0, Math.max(1, Math.floor(room / minTableRoom)));
    const each = common > 0 ? room : Math.floor(room / shown.length);
    const rows = common > 0 ? common : Math.max(1, await countRows(shown, room, each));
    const isCut = shown.some(({ total }) => total > offset + rows);
    const hidden = texts.length - shown.length + this.#lostTables;
    return {
      body: await formatTexts(shown, rows, each),
      isCut: isCut || hidden > 0,
      notes: [
        ...(isCut ? [`More rows of aggregations: same call with agg_offset=${offset + rows}.`] : []),
        ...(hidden > 0 ? [`${hidden} more tables have no room: ask for fewer aggregations at a time.`] : []),
      ],
    };
  }
}

interface TextFacts {
  readonly offset: number;
  readonly lostTables: number;
  readonly isEmpty: boolean;
}

async function createTexts(
  { top, tables }: AggregationCollector,
  options: AggregationOptions & { offset: number },
): Promise<RowText[]> {
  const turns = new Turns();
  const { lines, long, heads } = await sortTop(top, tables);
  const texts = lines.length === 0 ? [] : [createLinesText(lines, options.offset)];
  for (const one of long) {
    texts.push(createTableText(createValuesTable(one, options.offset), options));
    await turns.next();
  }
  for (const table of tables.values()) {
    texts.push(createTableText(table, { ...options, head: heads.get(table.name) }));
    await turns.next();
  }
  return texts;
}

interface SortedTop {
  readonly lines: readonly string[];
  readonly long: readonly TopAggregation[];
  /** What is shown with the table of the same name. */
  readonly heads: ReadonlyMap<string, Values>;
}

async function sortTop(top: readonly TopAggregation[], tables: ReadonlyMap<string, unknown>): Promise<SortedTop> {
  const turns = new Turns();
  const lines: string[] = [];
  const long: TopAggregation[] = [];
  const heads = new Map<string, Values>();
  for (const one of top) {
    const text = formatValues(one.values, maxLine);
    if (text.length > maxLine) long.push(one);
    else if (tables.has(one.name)) heads.set(one.name, one.values);
    else if (one.values.size > 0) lines.push(`${one.name.replace(/\s+/g, ' ')}: ${text}`);
    await turns.next();
  }
  return { lines, long, heads };
}

async function hasNothing({ top, tables }: AggregationCollector): Promise<boolean> {
  const turns = new Turns();
  for (const { name, values } of top) {
    if (!tables.has(name) && [...values.values()].every(isNothing)) return true;
    await turns.next();
  }
  for (const table of tables.values()) {
    if (hasEmptyColumn(table)) return true;
    await turns.next();
  }
  return false;
}

/** No buckets, or a column in which no row has anything. */
function hasEmptyColumn({ rows, total }: AggregationTable): boolean {
  const some = new Set(rows.flatMap(({ values }) => [...values].flatMap(([name, value]) => (isNothing(value) ? [] : [name]))));
  return total === 0 || unite(rows.map(({ values }) => values)).some((name) => !some.has(name));
}

function isNothing(value: CellValue): boolean {
  return value === null || value === 0;
}

/** How many rows of every table have room together; 0 when not even one of each has. */
async function countRows(texts: readonly RowText[], room: number, each: number): Promise<number> {
  if (texts.length * headingReserve > room) return 0;
  const turns = new Turns();
  let left = room;
  for (const text of texts) {
    left -= text.headLength(each) + headingReserve;
    await turns.next();
  }
  for (let count = 0; ; count++) {
    const size = texts.reduce((sum, text) => sum + text.rowLength(count, each), 0);
    left -= size;
    if (left < 0) return count;
    if (size === 0) return Math.max(1, count);
    await turns.next();
  }
}

async function formatTexts(texts: readonly RowText[], rows: number, each: number): Promise<string> {
  const turns = new Turns();
  const bodies: string[] = [];
  for (const text of texts) {
    bodies.push(text.format(rows, each));
    await turns.next();
  }
  return bodies.join('\n');
}

/** What has too many values for a line. */
function createValuesTable({ name, values }: TopAggregation, offset: number): AggregationTable {
  const rows = [...values].slice(offset, offset + maxRows).map(([field, value]) => ({
    keys: undefined,
    values: new Map<string, CellValue>([
      ['field', field],
      ['value', value],
    ]),
  }));
  return { name, rows, total: values.size, lost: 0 };
}
