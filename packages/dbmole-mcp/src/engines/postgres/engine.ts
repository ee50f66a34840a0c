import { Failure } from '@dbmole/core';
import type { CatalogRun, ServerIdentity, SqlEngine } from '../../engine.ts';
import { hintFor } from './errors/statement-hint.ts';
import { createGuard } from './guard/guard.ts';
import { grammar } from './session/grammar.ts';
import { openSession } from './session/open-session.ts';
import { formatListParam } from './values/list-param.ts';

export const engine: SqlEngine = { openSession, createGuard, identify, hintFor, formatListParam, grammar };

async function identify(run: CatalogRun): Promise<ServerIdentity> {
  const [row = []] = await run(
    "select pg_catalog.version(), pg_catalog.current_setting('server_version'), current_user, pg_catalog.current_database()",
  );
  const [title, version, user, database] = row;
  if (!title || !version || !user) throw new Failure('engine', 'the server did not say what it is');
  // Others that speak the protocol begin with their own name.
  return { product: title.split(' ')[0] ?? title, version, user, database: database ?? undefined };
}
