const most = 50;
const longest = 10_000;

/** Statements of which the engine has said that they give rows. That depends on the text, and on the mode that it is read in. */
export class RecentTexts {
  readonly #texts = new Set<string>();

  has(sql: string, sqlMode: string): boolean {
    return this.#texts.has(keyOf(sql, sqlMode));
  }

  add(sql: string, sqlMode: string): void {
    if (sql.length > longest) return;
    if (this.#texts.size >= most) this.#texts.clear();
    this.#texts.add(keyOf(sql, sqlMode));
  }
}

/** No mode has a line break. */
function keyOf(sql: string, sqlMode: string): string {
  return `${sqlMode}\n${sql}`;
}
