import type { CatalogRun } from '../engine.ts';
import type { ReadStatement } from '../guard/read-statement.ts';

/** A step of a plan that reads a table. */
export interface TableRead {
  /** In the words of the plan: `Seq Scan on orders`. */
  label: string;
  table: string;
  /** Undefined where the plan does not say. */
  schema: string | undefined;
  /** The name that its columns are qualified with. */
  alias: string | undefined;
  filter: string | undefined;
  /** It searches an index, so that it does not read the table from end to end. */
  isSearch: boolean;
  /** Rows that it reads in all of its runs, before its filter. */
  rows: number;
  bytes: number;
}

/** What a read would do, by its plan. */
export interface Forecast {
  /** The unit is that of the engine. */
  cost: number;
  reads: readonly TableRead[];
}

export interface ForecastQuestions {
  /** The most rows that the read is asked for; undefined: all of them. */
  maxRows: number | undefined;
  /** Only these figures matter, so others need not be found out. */
  wants: { rows: boolean; bytes: boolean };
  /** The plan of a text that the engine made of the accepted statement and `prefix`. */
  explain(prefix: string, sql: string): Promise<string>;
  /** Questions of our own, in the same session. */
  own: CatalogRun;
  version(): Promise<string>;
}

/** How an engine estimates a read before it runs. */
export interface Forecaster {
  /**
   * The statement whose plan shows what this one reads: itself, or the one that it measures. Undefined where it reads no table.
   * Throws where no plan can show it.
   */
  findPlanned(statement: ReadStatement): Promise<string | undefined>;
  forecast(questions: ForecastQuestions, sql: string): Promise<Forecast>;
}

/** How often and how far a step runs. */
export interface Extent {
  runs: number;
  /** The part of its rows that is asked for, 0 to 1. */
  fraction: number;
}
