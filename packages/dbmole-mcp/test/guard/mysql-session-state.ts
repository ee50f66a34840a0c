import type { ServerState } from './mysql-server-state.ts';

/** Not of the session's settings, or other in each call. */
const restless = new Set(
  ['timestamp', 'rand_seed1', 'rand_seed2', 'pseudo_thread_id', 'proxy_user', 'error_count', 'warning_count', 'last_gtid'].concat(
    ['in_transaction', 'gtid_executed', 'statement_id', 'gtid_purged'],
  ),
);

const values = [
  'DATABASE()',
  'LAST_INSERT_ID()',
  "COALESCE(IS_USED_LOCK('guard-lock'), 'free')",
  ...['guard_var', 'f_x', 't_seen', 'x', 'p'].map((name) => `COALESCE(@${name}, 'none')`),
];

/** Statements that fail as long as nothing was left behind: a temporary table, a handler, a prepared statement. */
const absent = ['SELECT 1 FROM tmp_f', 'HANDLER t READ NEXT', 'EXECUTE p USING @nothing'];

/** Runs a statement on the session that is looked at. */
type SessionRun = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** What the next call on the same session finds. */
export async function readSessionState(run: SessionRun): Promise<ServerState> {
  const variables = (await run('SHOW SESSION VARIABLES')).filter(([name]) => !restless.has(String(name)));
  const found: Record<string, string> = {
    variables: variables.map(([name, value]) => `${name}=${value}`).join('\n'),
    values: (await run(`SELECT ${values.join(', ')}`)).join('\n'),
  };
  for (const sql of absent) {
    found[sql] = await run(sql).then(
      () => 'works',
      () => 'fails',
    );
  }
  return found;
}
