import { type AnswerTable, ApiError, callTool } from '../api.ts';
import { formatPlural } from '../format.ts';
import type { CellPart } from '../grid/cell-pane.tsx';
import { type ColumnLayout, layOutColumns } from '../grid/column-layout.ts';
import { parseTable } from '../grid/parse-table.ts';
import { pageSize, type RowPage, RowWindow } from '../grid/row-window.ts';

export interface Statement {
  connection: string;
  sql: string;
}

/** Everything that is shown of a statement that was run. */
export interface QueryResult {
  statement: Statement;
  columns: readonly string[];
  /** Columns that the statement has, of which some may be left out. */
  totalColumns: number;
  layout: ColumnLayout;
  rows: RowWindow;
  /** What the server adds: the time zone, an order that is missing, what was cut. */
  notes: readonly string[];
}

/** Characters of one cell in the grid. */
const cellLimit = 300;

/** Runs a statement as agents do. Throws an ApiError with the whole text of a refusal. */
export async function runQuery(statement: Statement, signal: AbortSignal, onChange: () => void): Promise<QueryResult> {
  const table = await readRows(statement, { limit: pageSize, cell_limit: cellLimit }, signal);
  const parsed = parseTable(table);
  const read = async (offset: number, limit: number): Promise<RowPage> => {
    const page = await readRows(statement, { offset, limit, cell_limit: cellLimit }, signal);
    return { rows: parseTable(page).rows, next: page.nextOffset };
  };
  return {
    statement,
    columns: parsed.columns,
    totalColumns: table.columns,
    layout: layOutColumns(parsed),
    rows: new RowWindow({ rows: parsed.rows, next: table.nextOffset }, { read, onChange }),
    notes: [...table.notes, ...describeCuts(table)],
  };
}

/** What of the first rows is not as in the database, in words for a person. */
function describeCuts({ cutCells, redactedCells }: AnswerTable): string[] {
  return [
    ...(cutCells === 0 ? [] : [`${formatPlural(cutCells, 'long cell')} cut: show one to read it in full.`]),
    ...(redactedCells === 0 ? [] : [`${formatPlural(redactedCells, 'cell')} shown without secrets.`]),
  ];
}

/** The most that an answer has room for. */
const maxPart = 30_000;
/** What a click reads; more of a value is for a file. */
const maxRead = 300_000;

/** Reads one cell from a character on, until its end or the limit of a click. */
export async function readCell(
  statement: Statement,
  { row, column }: { row: number; column: number },
  from: number,
): Promise<CellPart> {
  let text = '';
  let offset = from;
  for (;;) {
    const table = await readRows(statement, { offset: row, limit: 1, cell_limit: maxPart, cell_offset: offset });
    const cell = parseTable(table).rows[0]?.[column];
    if (cell === undefined) throw new ApiError('This row or column is not there any more.');
    if (cell.text === null) return { cell, next: undefined };
    // A value that is short by now is answered in full.
    text = cell.mark === '' ? cell.text : text + cell.text;
    const next = cell.mark === '' ? undefined : table.nextCellOffset;
    if (next === undefined || text.length >= maxRead) return { cell: { text, mark: cell.mark }, next };
    offset = next;
  }
}

async function readRows({ connection, sql }: Statement, args: object, signal?: AbortSignal): Promise<AnswerTable> {
  const { text, isError, table } = await callTool('query', { connection, sql, ...args }, signal);
  if (isError || table === null) throw new ApiError(text);
  return table;
}
