import { Failure } from '../failure.ts';
import { redactKnown } from '../redact.ts';
import { type CellPart, type CellValue, type CellWindow, cutCell, formatCell, formatTextCell } from './csv.ts';
import { formatCuts, formatRowsLine, type More, type RowFacts } from './first-line.ts';
import { defaultBudget, defaultCellLimit, defaultRowLimit, lineReserve, requireBudget } from './truncate.ts';

export interface RowsOptions {
  columns: readonly string[];
  /** Characters of the whole answer, the first line included. */
  budget?: number;
  rowLimit?: number;
  cellLimit?: number;
  /** Rows the producer has left out before the first `add`. */
  offset?: number;
  /** Where in long cells to begin. */
  cellOffset?: number;
  /** Nothing follows the table in its answer, so that a cell of several lines that is all there is can be shown as plain text. */
  textCell?: boolean;
  /** The call is not to be made again to read on: it would do again what it did. */
  once?: boolean;
}

/** The answer: `line` says in words what the other fields say in numbers. */
export interface Rows extends RowFacts {
  line: string;
  /** The part of it about what is missing inside of the rows, for who has other words for the rows. */
  cuts: string;
  /** CSV: the names of the columns, then one record per row. */
  body: string;
}

export interface RowWriter {
  /**
   * Takes one row, or answers false: this row was not taken and none will be, so stop reading. To tell whether more follow,
   * offer one row more than the limit.
   */
  add(row: readonly CellValue[]): boolean;
  /** `more` says what the producer knows when it stopped before a row was refused; 'no' means that it reached the end. */
  finish(more?: More): Rows;
}

interface Line {
  cells: string[];
  /** Of its only cell. */
  text: string | undefined;
  size: number;
  cut: number;
  unkept: number;
  redacted: number;
}

const nameLimit = 256;
const smallestName = 32;
const smallestCell = 16;

/** Writes a table row by row within one budget, so that no more is ever read or kept than is shown. */
export function truncateRows(options: RowsOptions): RowWriter {
  return new BudgetedRows(options);
}

class BudgetedRows implements RowWriter {
  readonly #columns: readonly string[];
  readonly #budget: number;
  readonly #rowLimit: number;
  readonly #offset: number;
  readonly #window: CellWindow;
  readonly #once: boolean;
  readonly #textCell: boolean;
  /** The only cell of the first row, if it goes over several lines. */
  #text: string | undefined;
  readonly #header: Line;
  readonly #lines: string[] = [];
  readonly #count = { cut: 0, unkept: 0, redacted: 0 };
  #room: number;
  #shrunk = false;
  #stoppedBy: 'rows' | 'budget' | undefined;

  constructor(options: RowsOptions) {
    this.#columns = options.columns;
    this.#budget = requireBudget(options.budget ?? defaultBudget);
    this.#rowLimit = options.rowLimit ?? defaultRowLimit;
    this.#offset = options.offset ?? 0;
    this.#window = { offset: options.cellOffset ?? 0, limit: options.cellLimit ?? defaultCellLimit };
    this.#once = options.once ?? false;
    this.#textCell = options.textCell ?? false;
    this.#room = this.#budget - lineReserve;
    this.#header = formatHeader(options.columns, Math.floor(this.#room / 2));
  }

  add(row: readonly CellValue[]): boolean {
    if (row.length !== this.#columns.length) {
      throw new Failure('internal', `a row has ${row.length} cells for ${this.#columns.length} columns`);
    }
    if (this.#stoppedBy !== undefined) return false;
    if (this.#lines.length >= this.#rowLimit) return this.#refuse('rows');
    if (this.#shrunk) return this.#refuse('budget');
    const line = this.#lines.length === 0 ? this.#fitFirst(row) : this.#fit(row, this.#window.limit);
    return line === undefined ? this.#refuse('budget') : this.#take(line);
  }

  finish(more: More = 'no'): Rows {
    const rest = this.#stoppedBy === undefined ? more : 'yes';
    const { cut, unkept, redacted } = this.#count;
    const facts: RowFacts = {
      budget: this.#budget,
      offset: this.#offset,
      shownRows: this.#lines.length,
      more: rest,
      stoppedBy: this.#stoppedBy,
      nextOffset: rest === 'no' || this.#once ? undefined : this.#offset + this.#lines.length,
      columns: this.#columns.length,
      shownColumns: this.#header.cells.length,
      cutNames: this.#header.cut,
      cutCells: cut,
      unkeptCells: unkept,
      redactedCells: redacted + this.#header.redacted,
      cellLimit: this.#window.limit,
      cellShrunk: this.#shrunk,
      cellOffset: this.#window.offset,
      nextCellOffset: cut > unkept && !this.#once ? this.#window.offset + this.#window.limit : undefined,
    };
    return {
      line: formatRowsLine(facts),
      cuts: formatCuts(facts),
      body: [this.#header.cells.join(','), ...(this.#plainCell ?? this.#lines)].join('\n'),
      ...facts,
    };
  }

  get #plainCell(): string[] | undefined {
    return this.#text !== undefined && this.#lines.length === 1 ? [this.#text] : undefined;
  }

  #refuse(by: 'rows' | 'budget'): false {
    this.#stoppedBy = by;
    return false;
  }

  #take(line: Line): true {
    if (this.#lines.length === 0) {
      this.#room -= this.#header.size;
      if (this.#textCell) this.#text = line.text;
    }
    this.#room -= Math.max(1, line.size);
    this.#lines.push(line.cells.join(','));
    this.#count.cut += line.cut;
    this.#count.unkept += line.unkept;
    this.#count.redacted += line.redacted;
    return true;
  }

  #fit(row: readonly CellValue[], limit: number): Line | undefined {
    const columns = this.#header.cells.length;
    const room = this.#lines.length === 0 ? this.#room - this.#header.size : this.#room;
    const line = formatLine(row.slice(0, columns), { offset: this.#window.offset, limit }, room);
    return line.cells.length === columns ? line : undefined;
  }

  /**
   * The first row is always shown, however large it is: a caller that reads on by rows would otherwise never get past it. Its
   * cells become shorter until it fits, and if that is not enough, columns go. No other row is taken then.
   */
  #fitFirst(row: readonly CellValue[]): Line {
    const line = this.#fit(row, this.#window.limit);
    if (line) return line;
    this.#shrunk = true;
    const smallest = Math.min(smallestCell, this.#window.limit);
    if (!this.#fit(row, smallest)) this.#dropColumns(row, smallest);
    this.#window.limit = this.#largestLimit(row, smallest);
    const shortened = this.#fit(row, this.#window.limit);
    if (shortened) return shortened;
    throw new Failure('internal', `no part of a row fits into ${this.#room} characters`);
  }

  /** By halving; `fits` is known to fit. */
  #largestLimit(row: readonly CellValue[], fits: number): number {
    let low = fits;
    let high = this.#window.limit;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#fit(row, middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  #dropColumns(row: readonly CellValue[], limit: number): void {
    const cells = formatLine(row.slice(0, this.#header.cells.length), { offset: this.#window.offset, limit }, this.#room).cells;
    const header: string[] = [];
    let size = 0;
    for (const [index, name] of this.#header.cells.entries()) {
      size += name.length + 1 + (cells[index] ?? '').length + 1;
      if (index >= cells.length || size > this.#room) break;
      header.push(name);
    }
    this.#header.cells = header;
    this.#header.size = header.join(',').length + 1;
  }
}

/** Long names are cut hard only if not even one of them would fit. */
function formatHeader(columns: readonly string[], room: number): Line {
  const header = formatLine(columns, { offset: 0, limit: nameLimit }, room);
  return header.cells.length > 0 ? header : formatLine(columns, { offset: 0, limit: smallestName }, room);
}

/** As many cells as fit into `room`, with the comma or newline after each. */
function formatLine(row: readonly CellValue[], window: CellWindow, room: number): Line {
  const line: Line = { cells: [], text: undefined, size: 0, cut: 0, unkept: 0, redacted: 0 };
  const parts = cutCells(row, window, room);
  const secret = mayHoldSecret(parts);
  for (const part of parts) {
    const shown = secret && part.text !== null ? { ...part, text: redactKnown(part.text) } : part;
    const cell = formatCell(shown);
    if (line.size + cell.length + 1 > room) break;
    line.cells.push(cell);
    line.text = row.length === 1 ? formatTextCell(shown) : undefined;
    line.size += cell.length + 1;
    line.cut += Number(part.cut);
    line.unkept += Number(part.unkept);
    line.redacted += Number(part.redacted || shown.text !== part.text);
  }
  return line;
}

function cutCells(row: readonly CellValue[], window: CellWindow, room: number): CellPart[] {
  const parts: CellPart[] = [];
  let size = 0;
  for (const value of row) {
    const part = cutCell(value, window);
    size += part.text?.length ?? 0;
    if (size > room) break;
    parts.push(part);
  }
  return parts;
}

/**
 * Secrets are looked for in a whole row at once, which is cheap, but removed cell by cell: a pattern that reached over the
 * end of a cell would swallow quotes, commas, and with half a private key all rows that follow.
 */
function mayHoldSecret(parts: readonly CellPart[]): boolean {
  const joined = parts.map((part) => part.text ?? '').join('\n');
  return redactKnown(joined) !== joined;
}
