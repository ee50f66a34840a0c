import type { CatalogRun } from '../../../engine.ts';

/** The account of this session as a GRANT names it. */
export async function readAccount(run: CatalogRun): Promise<string> {
  const [row = []] = await run('select pg_catalog.quote_ident(current_user)');
  return row[0] ?? '';
}
