import type { StatementNames } from './names.ts';

const most = 50;
const longest = 10_000;

/**
 * The names in the statements of a short while ago. They depend on the text alone; what they mean is asked anew each time. Who reads on
 * in a long result sends the same text again, and to parse it is most of what a small read costs us.
 */
export class RecentNames {
  readonly #names = new Map<string, StatementNames>();

  get(sql: string): StatementNames | undefined {
    return this.#names.get(sql);
  }

  add(sql: string, names: StatementNames): StatementNames {
    if (sql.length > longest) return names;
    if (this.#names.size >= most) this.#names.clear();
    this.#names.set(sql, names);
    return names;
  }
}
