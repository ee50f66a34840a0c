import { Failure } from '../failure.ts';
import { redactData, redactKnown } from '../redact/redact.ts';
import { belowMark, type CellValue, type CellWindow } from './csv.ts';
import { formatCuts, formatRowsLine, type More, type RowFacts } from './first-line.ts';
import { type CutRow, formatHeader, formatLine, growCells, type Line, type RemoveSecrets } from './format-row.ts';
import { defaultBudget, defaultCellLimit, defaultRowLimit, lineReserve, requireBudget } from './truncate.ts';

export interface RowsOptions {
  columns: readonly string[];
  /** The count includes columns that the producer has left out. */
  totalColumns?: number;
  /** Characters of the whole answer, the first line included. */
  budget?: number;
  rowLimit?: number;
  cellLimit?: number;
  /** Cells may be longer than the limit where the rows leave room. The producer keeps as much of each as the budget has. */
  growCells?: boolean;
  /** Rows the producer has left out before the first `add`. */
  offset?: number;
  /** Where in long cells to begin. */
  cellOffset?: number;
  /** How far into a long cell the caller can begin. */
  maxCellOffset?: number;
  /** Nothing follows the table in its answer, so that a cell of its only row can be shown as plain text. */
  textCell?: boolean;
  /** Rows that there are on all pages together, where that is known. */
  total?: number;
  /** The call must not be repeated to read on: it would do again what it did. */
  names?: boolean;
  /** The call is not to be made again to read on: it would do again what it did. */
  once?: boolean;
  /** The table of one of several statements. */
  isOneOfSeveral?: boolean;
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

/** How far into a long cell a call may look: what is before it has to be read, at once and in one piece. */
export const maxCellOffset = 1_000_000;

const smallestCell = 16;
/** Characters of rows that are kept to show more of them. */
const maxKept = 2_000_000;

/** Writes a table row by row within one budget, so that no more is ever read or kept than is shown. */
export function truncateRows(options: RowsOptions): RowWriter {
  return new BudgetedRows(options);
}

class BudgetedRows implements RowWriter {
  readonly #columns: readonly string[];
  readonly #totalColumns: number;
  readonly #budget: number;
  readonly #rowLimit: number;
  readonly #offset: number;
  readonly #window: CellWindow;
  readonly #maxCellOffset: number;
  readonly #once: boolean;
  readonly #total: number | undefined;
  readonly #isOneOfSeveral: boolean;
  readonly #textCell: boolean;
  readonly #removeSecrets: RemoveSecrets;
  /** The first row, if one of its cells can be plain text. */
  #textLine: Line | undefined;
  /** Those with cells that could show more, by their place in the table; undefined when that would be too much to keep. */
  #cutRows: CutRow[] | undefined;
  readonly #header: Line;
  readonly #lines: string[] = [];
  readonly #count = { cut: 0, unkept: 0, redacted: 0 };
  #room: number;
  #keptSize = 0;
  #shrunk = false;
  #stoppedBy: 'rows' | 'budget' | undefined;

  constructor(options: RowsOptions) {
    this.#columns = options.columns;
    this.#totalColumns = options.totalColumns ?? options.columns.length;
    this.#budget = requireBudget(options.budget ?? defaultBudget);
    this.#rowLimit = options.rowLimit ?? defaultRowLimit;
    this.#offset = options.offset ?? 0;
    this.#window = { offset: options.cellOffset ?? 0, limit: options.cellLimit ?? defaultCellLimit };
    this.#maxCellOffset = options.maxCellOffset ?? maxCellOffset;
    this.#once = options.once ?? false;
    this.#total = options.total;
    this.#isOneOfSeveral = options.isOneOfSeveral ?? false;
    this.#textCell = options.textCell ?? false;
    this.#cutRows = options.growCells ? [] : undefined;
    this.#removeSecrets = options.names ? redactKnown : redactData;
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
    if (line === undefined) return this.#refuse('budget');
    if (line.cut > 0) this.#keepCut(row, line);
    return this.#take(line);
  }

  finish(more: More = 'no'): Rows {
    if (this.#stoppedBy !== 'budget' && !this.#shrunk) this.#grow();
    const rest = this.#stoppedBy === undefined ? more : 'yes';
    const { cut, redacted } = this.#count;
    const end = this.#window.offset + this.#window.limit;
    const unkept = end > this.#maxCellOffset ? cut : this.#count.unkept;
    const textLine = this.#lines.length === 1 ? this.#textLine : undefined;
    const { texts, isCrlf } = foldLineBreaks(textLine === undefined ? this.#lines : withTextCell(textLine));
    const facts: RowFacts = {
      budget: this.#budget,
      text: textLine && (textLine.cells.length === 1 ? 'cell' : 'below'),
      isCrlf,
      total: this.#total,
      offset: this.#offset,
      shownRows: this.#lines.length,
      more: rest,
      stoppedBy: this.#stoppedBy,
      nextOffset: rest === 'no' || this.#once ? undefined : this.#offset + this.#lines.length,
      columns: this.#totalColumns,
      shownColumns: this.#header.cells.length,
      cutNames: this.#header.cut,
      cutCells: cut,
      unkeptCells: unkept,
      redactedCells: redacted + this.#header.redacted,
      cellLimit: this.#window.limit,
      cellShrunk: this.#shrunk,
      cellOffset: this.#window.offset,
      isOneOfSeveral: this.#isOneOfSeveral,
      nextCellOffset: cut > unkept && !this.#once ? end : undefined,
    };
    return {
      line: formatRowsLine(facts),
      cuts: formatCuts(facts),
      body: [this.#header.cells.join(','), ...texts].join('\n'),
      ...facts,
    };
  }

  #keepCut(row: readonly CellValue[], line: Line): void {
    this.#cutRows?.push({ row, line, index: this.#lines.length });
    const kept = row.reduce(
      (sum: number, cell) => sum + (typeof cell === 'object' ? (cell?.text.length ?? 0) : String(cell).length),
      0,
    );
    this.#keptSize += kept;
    if (this.#keptSize > maxKept) this.#cutRows = undefined;
  }

  /** Gives the room that is left to the cells that were cut. */
  #grow(): void {
    const [rows, { limit }] = [this.#cutRows ?? [], this.#window];
    this.#cutRows = undefined;
    const grown = growCells(rows, {
      limit,
      most: this.#budget,
      room: this.#room,
      format: (row, wider, room) => this.#formatRow(row.slice(0, this.#header.cells.length), wider, room),
    });
    if (grown === undefined) return;
    this.#window.limit = grown.limit;
    for (const [at, { index, line: old }] of rows.entries()) {
      const line = grown.lines[at] ?? old;
      this.#lines[index] = line.cells.join(',');
      if (index === 0) this.#keepText(line);
      this.#room += old.size - line.size;
      this.#count.cut += line.cut - old.cut;
      this.#count.unkept += line.unkept - old.unkept;
      this.#count.redacted += line.redacted - old.redacted;
    }
  }

  #keepText(line: Line): void {
    this.#textLine = line.text === undefined ? undefined : line;
  }

  #refuse(by: 'rows' | 'budget'): false {
    this.#stoppedBy = by;
    return false;
  }

  #take(line: Line): true {
    if (this.#lines.length === 0) {
      this.#room -= this.#header.size;
      this.#keepText(line);
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
    const line = this.#formatRow(row.slice(0, columns), limit, room);
    return line.cells.length === columns ? line : undefined;
  }

  #formatRow(row: readonly CellValue[], limit: number, room: number): Line {
    return formatLine(row, {
      window: { offset: this.#window.offset, limit },
      room,
      removeSecrets: this.#removeSecrets,
      // Only the first row can be the only one.
      findsText: this.#textCell && this.#lines.length <= 1,
    });
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

  /** Finds the limit by halving; `fits` is known to fit. */
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
    const { cells } = this.#formatRow(row.slice(0, this.#header.cells.length), limit, this.#room);
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

/** The only cell alone, or the record and then the cell that it refers to. */
function withTextCell({ cells, text }: Line): string[] {
  if (text === undefined || cells.length === 1) return text === undefined ? [] : [text.text];
  return [cells.map((cell, at) => (at === text.at ? belowMark : cell)).join(','), text.text];
}

const carriageReturn = '⟦U+000D⟧';
const lineBreak = /(⟦U\+000D⟧)?(?:⟦U\+000A⟧|\n)/g;

/**
 * Shown data in which every line break is CRLF, without its carriage returns: one note replaces a mark at each line. Marks
 * are ours alone, so that none of them came with the data.
 */
function foldLineBreaks(texts: readonly string[]): { texts: readonly string[]; isCrlf: boolean } {
  if (!texts.some((text) => text.includes(carriageReturn))) return { texts, isCrlf: false };
  const breaks = texts.flatMap((text) => [...text.matchAll(lineBreak)]);
  const isCrlf = breaks.length > 0 && breaks.every(([, isPair]) => isPair !== undefined);
  const fold = (text: string) => text.replace(lineBreak, (found, isPair: string | undefined) => found.slice(isPair?.length ?? 0));
  return { texts: isCrlf ? texts.map(fold) : texts, isCrlf };
}
