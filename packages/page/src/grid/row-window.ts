import type { Row } from './parse-table.ts';

/** Rows that were read together. */
export interface RowPage {
  rows: readonly Row[];
  /** Where to read on; undefined after the last row. */
  next: number | undefined;
}

interface RowWindowOptions {
  /** Reads up to `limit` rows from `offset` on; the answer decides how many. */
  read(offset: number, limit: number): Promise<RowPage>;
  /** Something is there that was not, or is not known any more. */
  onChange(): void;
  /** Pages in memory. */
  maxPages?: number;
}

/** The height of an element has a limit in browsers, a little above this many rows. */
const maxRows = 1_000_000;
/** A page ends where its answer is full, which is earlier for most tables. */
export const pageSize = 500;
const defaultMaxPages = 40;
/** Rows below the visible ones that are read before they are asked for. */
const ahead = 100;

interface KnownPage {
  start: number;
  size: number;
}

/**
 * The rows of one result as far as it was scrolled. Only some pages are in memory: the ones that are farthest from what is visible are
 * dropped, and read again when they are wanted.
 */
export class RowWindow {
  readonly #options: RowWindowOptions;
  readonly #known: KnownPage[] = [];
  readonly #rows = new Map<number, readonly Row[]>();
  #next: number | undefined;
  #wanted: readonly [from: number, to: number] = [0, 0];
  #isReading = false;
  #isClosed = false;
  #problem = '';

  constructor(first: RowPage, options: RowWindowOptions) {
    this.#options = options;
    this.#append(0, first);
  }

  /** The number of rows that are known to exist. */
  get count(): number {
    const last = this.#known.at(-1);
    return last === undefined ? 0 : last.start + last.size;
  }

  /** Whether the last known row is the last one. */
  get isComplete(): boolean {
    return this.#next === undefined;
  }

  /** The result goes on after the rows that the page can show. */
  get isFull(): boolean {
    return this.#next !== undefined && this.count >= maxRows;
  }

  /** Why reading stopped; empty if it did not. */
  get problem(): string {
    return this.#problem;
  }

  get pagesInMemory(): number {
    return this.#rows.size;
  }

  /** Undefined while the row is not in memory. */
  row(index: number): Row | undefined {
    const page = this.#findPage(index);
    return page === undefined ? undefined : this.#rows.get(page.start)?.[index - page.start];
  }

  /** Says which rows are visible. What is missing is read, one page after the other. */
  want(from: number, to: number): void {
    this.#wanted = [from, to];
    if (this.#problem === '') void this.#readWanted();
  }

  /** Continues after a problem. */
  retry(): void {
    this.#problem = '';
    this.#options.onChange();
    void this.#readWanted();
  }

  /** What is still being read is dropped. */
  close(): void {
    this.#isClosed = true;
  }

  /** All rows of a range, of which pages that are not in memory are read and not kept. */
  async collect(from: number, to: number): Promise<Row[]> {
    const found: Row[] = [];
    for (const { start, size } of this.#known) {
      if (start > to || start + size <= from) continue;
      const rows = this.#rows.get(start) ?? (await this.#options.read(start, size)).rows;
      found.push(...rows.slice(Math.max(0, from - start), to + 1 - start));
    }
    return found;
  }

  async #readWanted(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let page = this.#findMissing(); page !== undefined && !this.#isClosed; page = this.#findMissing()) {
        const read = await this.#options.read(page.start, page.size);
        if (this.#isClosed) return;
        if (page.start === this.#next) this.#append(page.start, read);
        else this.#rows.set(page.start, read.rows.slice(0, page.size));
        this.#drop();
        this.#options.onChange();
      }
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      if (!this.#isClosed) this.#options.onChange();
    } finally {
      this.#isReading = false;
    }
  }

  /** A page that is visible and not in memory, or the one after the last, if that is near. */
  #findMissing(): KnownPage | undefined {
    const [from, to] = this.#wanted;
    const isMissing = ({ start, size }: KnownPage) => start <= to && start + size > from && !this.#rows.has(start);
    const visible = this.#known.find(isMissing);
    if (visible !== undefined) return visible;
    const isNear = to + ahead >= this.count && this.count < maxRows;
    return this.#next !== undefined && isNear ? { start: this.#next, size: pageSize } : undefined;
  }

  #append(start: number, { rows, next }: RowPage): void {
    if (rows.length > 0) {
      this.#known.push({ start, size: rows.length });
      this.#rows.set(start, rows);
    }
    // An answer without rows would be read forever.
    this.#next = rows.length === 0 ? undefined : next;
  }

  #drop(): void {
    const { maxPages = defaultMaxPages } = this.#options;
    const [from, to] = this.#wanted;
    const middle = (from + to) / 2;
    while (this.#rows.size > maxPages) {
      const starts = [...this.#rows.keys()];
      const farthest = starts.reduce((one, other) => (Math.abs(other - middle) > Math.abs(one - middle) ? other : one));
      this.#rows.delete(farthest);
    }
  }

  /** By halving: there can be thousands of pages. */
  #findPage(index: number): KnownPage | undefined {
    let [low, high] = [0, this.#known.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#known[middle]?.start ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const page = this.#known[low - 1];
    return page !== undefined && index < page.start + page.size ? page : undefined;
  }
}
