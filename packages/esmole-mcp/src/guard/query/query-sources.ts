/** The indices that a query reads. */
export interface QuerySources {
  /** One list for each place that names indices; in a list, a name may exclude what a pattern before it includes. */
  readonly lists: readonly (readonly string[])[];
  /** A command that does more than read, if there is one. */
  readonly acting?: string | undefined;
  /** A command or function that asks a model, if there is one. */
  readonly model?: string | undefined;
}

/**
 * Removes the data source and the schema that the plugin of OpenSearch drops from a name of several parts: `default..secret` is the
 * index `.secret`. It compares the schema as a part of the text `information_schema`.
 */
export function removeSchema(name: string): string {
  const parts = name.split('.');
  if (parts.length > 1 && parts[0]?.toLowerCase() === '@opensearch') parts.shift();
  const schema = parts[0]?.toLowerCase() ?? '';
  if (parts.length > 1 && schema !== '' && (schema === 'default' || 'information_schema'.includes(schema))) parts.shift();
  return parts.join('.');
}
