/** How many rows, in which form, and of which database. */
export type PersonOption = 'format' | 'limit' | 'database';

/** Where the answer to a person's own question goes: rows, or a text where there are none. */
export interface Answer {
  columns(names: readonly string[]): void;
  /** Texts as the engine prints them. False: enough. */
  row(cells: readonly (string | null)[]): boolean;
  text(text: string): void;
}

export interface PersonQuestion {
  /** What stood behind the connection's name: a statement, or a request. */
  words: readonly string[];
  /** Rows at most; undefined is all of them. */
  limit: number | undefined;
  database: string | undefined;
  signal: AbortSignal;
  answer: Answer;
}

/** How a leaf answers a person at the command line. Only ever reads, like the tool of the same name. */
export interface PersonQuery<B> {
  /** Behind `query CONNECTION` in the help. */
  usage: string;
  /** For the help: how it answers. */
  about: string;
  /** One such question, for the help. */
  example: string;
  /** Those that it has a use for. */
  options: readonly PersonOption[];
  run(backend: B, question: PersonQuestion): Promise<void>;
}
