/** A statement that was run on this page. */
export interface PastQuery {
  id: number;
  at: number;
  connection: string;
  sql: string;
  outcome: string;
}

const maxEntries = 100;

/** What was written and run since the page was opened; it is nowhere else, and gone when the page is closed. */
class QuerySession {
  connection = '';
  text = '';
  #entries: readonly PastQuery[] = [];
  #last = 0;

  /** The newest first. */
  get entries(): readonly PastQuery[] {
    return this.#entries;
  }

  add(entry: Omit<PastQuery, 'id'>): void {
    this.#last += 1;
    this.#entries = [{ ...entry, id: this.#last }, ...this.#entries].slice(0, maxEntries);
  }
}

/** Survives that another panel is shown. */
export const session = new QuerySession();
