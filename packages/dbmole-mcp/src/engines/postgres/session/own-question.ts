import type { Param } from '../../../engine.ts';
import { bindPortal, command, runPortal } from '../wire/messages.ts';

/** Ours, so that the commands behind it, which use the unnamed one, leave it alone. */
const portal = 'question';

/**
 * Only the server's own; otherwise a user's operator could be used by our question: `oid >= 5` is any `>=` over oid and int
 * before it is the server's. `pg_temp` is last, as otherwise it would be first. Quoting is how we write names. Compiling such a question
 * takes the server seconds, and running it milliseconds.
 */
const pin = command(
  "select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('quote_all_identifiers', 'off', true), pg_catalog.set_config('jit', 'off', true)",
);

/** Back to the path of the role and the database, which is that of the caller's statements. */
const unpin = command('set local search_path to default');

/** The same with the server's own in front, where that is not so by itself. */
const ownFirst = command(
  "select pg_catalog.set_config('search_path', pg_catalog.regexp_replace(pg_catalog.current_setting('search_path'), '^(?=.*[^[:space:]])', 'pg_catalog, '), true)",
);

/** The server answers these with SQL of its own, in which it qualifies no operator. They are all exact, so its own come first. */
const asksItself = /\bpg_get_(?:viewdef|ruledef)\b/;

/**
 * A question over the catalog, for a transaction. What its names mean is decided where only the server's own can be meant; then,
 * with the portal open, the path becomes the caller's: what is visible, how a type is printed, and what a view looks like are to
 * be as the caller would write it.
 */
export function formatQuestion(sql: string, params: readonly Param[], maxRows: number): Buffer {
  const back = asksItself.test(sql) ? [unpin, ownFirst] : [unpin];
  return Buffer.concat([pin, bindPortal(portal, sql, params), ...back, runPortal(portal, maxRows)]);
}
