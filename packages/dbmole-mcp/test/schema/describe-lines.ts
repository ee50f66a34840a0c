import type { DescribeRequest, SqlCatalog } from '../../src/catalog/catalog.ts';
import { formatDescription } from '../../src/catalog/schema-text.ts';
import type { CatalogRun } from '../../src/engine.ts';

/** What `describe_table` says, without its first line. */
export async function describeText(
  catalog: SqlCatalog,
  run: CatalogRun,
  names: readonly string[],
  options: Partial<DescribeRequest> = {},
): Promise<string> {
  const description = await catalog.describeTables(run, { names, ...options });
  return [...description.missing.map((name) => `missing: ${name}`), ...formatDescription(description)].join('\n');
}
