import type { CallRecord } from '../tools/call-record.ts';

/** How many rows, in which form, and of which database. */
type CliOption = 'format' | 'vertical' | 'limit' | 'database' | 'file' | 'reveal' | 'param';

/** A row as one JSON object. */
export type RowWriter = (cells: readonly (string | null)[]) => string;

/** Where the answer to a person's own question goes: rows, or a text where there are none. */
export interface Answer {
  columns(names: readonly string[], toJson: RowWriter): void;
  /** Texts as the engine prints them. False: enough. */
  row(cells: readonly (string | null)[]): boolean;
  text(text: string): void;
}

export interface CliQuestion {
  /** The words after the connection's name: a statement, or a request. */
  words: readonly string[];
  /** Rows at most; undefined is all of them. */
  limit: number | undefined;
  database: string | undefined;
  /** Values for the parameters of the query: `NAME=VALUE`, or values in their order. */
  params: readonly string[];
  /** Protected columns are to be shown as they are, which a person has confirmed. */
  reveals: boolean;
  signal: AbortSignal;
  answer: Answer;
  /** A remark on the answer, which is shown beside it. */
  note(text: string): void;
  /** Gets the statements of the question, where calls are recorded. */
  record?: CallRecord | undefined;
}

/** How a server answers a person at the command line. Only ever reads, like the tool of the same name. */
export interface CliQuery<B> {
  /** The words after `query CONNECTION` in the help. */
  usage: string;
  /** A line of the help: how it answers. */
  about: string;
  /** One such question, for the help. */
  example: string;
  /** Those that it has a use for. */
  options: readonly CliOption[];
  run(backend: B, question: CliQuestion): Promise<void>;
}

/** How a server writes its whole schema as lines, for searches and comparisons. */
export interface CliSchema<B> {
  about: string;
  example: string;
  /** In an order that does not change, without figures that change by themselves. */
  list(backend: B, where: { database: string | undefined; schema: string | undefined; signal: AbortSignal }): Promise<string[]>;
}

/** A command that calls a tool; its first word is the connection. */
export interface ToolCommand {
  name: string;
  tool: string;
  takes: string;
  words: readonly [least: number, most: number];
  about: string;
  example: string;
  options: readonly ('database' | 'schema' | 'limit' | 'analyze' | 'parts' | 'kind' | 'without')[];
  /** What follows the connection. */
  argumentsOf(words: readonly string[]): Readonly<Record<string, unknown>>;
  /** The answer is CSV. */
  isTable: boolean;
}
