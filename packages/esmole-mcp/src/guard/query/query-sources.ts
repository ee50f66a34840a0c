/** What a query says about the indices that it reads. */
export interface QuerySources {
  /** One list for each place that names some; in a list, a name may exclude what a pattern before it includes. */
  readonly lists: readonly (readonly string[])[];
  /** A command that does more than read, if there is one. */
  readonly acting?: string | undefined;
}
