import { Recent } from '../../recent.ts';

/** Statements of which the engine has said that they give rows. That depends on the text, and on the mode that it is read in. */
export class RecentTexts {
  readonly #texts = new Recent<true>();

  has(sql: string, sqlMode: string): boolean {
    return this.#texts.get(keyOf(sql, sqlMode)) === true;
  }

  add(sql: string, sqlMode: string): void {
    this.#texts.add(keyOf(sql, sqlMode), true);
  }
}

/** No mode has a line break. */
function keyOf(sql: string, sqlMode: string): string {
  return `${sqlMode}\n${sql}`;
}
