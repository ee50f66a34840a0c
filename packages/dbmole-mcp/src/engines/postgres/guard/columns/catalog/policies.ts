import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { openParser } from '../../thread/parser.ts';
import { collectNames } from '../../tree/collect.ts';
import type { StatementNames } from '../../tree/names.ts';

/** What the policies of tables name, by the OID of the table; null for one that cannot be read. */
export type Policies = ReadonlyMap<string, readonly (StatementNames | null)[]>;

/** Whether a table enforces them can change at any time, so it does not matter here. */
const policiesSql = `
  select p.polrelid, x.text from pg_catalog.pg_policy p cross join lateral (values
    (pg_catalog.pg_get_expr(p.polqual, p.polrelid)), (pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid))) x (text)
  where x.text is not null`;

export async function openPolicies(ask: CatalogQuestion): Promise<Policies> {
  const rows = await ask(policiesSql);
  const policies = new Map<string, (StatementNames | null)[]>();
  for (const [table, text] of rows) {
    const key = table ?? '';
    policies.set(key, [...(policies.get(key) ?? []), await readPolicy(`select ${text}`)]);
  }
  return policies;
}

async function readPolicy(text: string): Promise<StatementNames | null> {
  const parser = await openParser();
  try {
    const [statement] = parser.parse(text);
    return collectNames(statement?.stmt, text, { parameters: new Set() });
  } catch {
    return null;
  }
}
