/** What a plan says of a step that reads a table. */
export interface TableStep {
  label: string;
  table: string;
  filter: string | undefined;
  /** Rows that one run reads; undefined where the plan does not say, or counts on an early end that need not come. */
  rows: number | undefined;
  /** How often the rows of one run are read. */
  times: number;
}

export interface PlanSteps {
  cost: number;
  steps: readonly TableStep[];
}
