import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { denialOfFunction } from './denials.ts';
import { parserMajor } from './parser.ts';
import { reviewedBuiltins } from './reviewed-builtins.ts';

/** What the guard has to know of a server that may be newer than the guard. */
export interface ServerFacts {
  /** NaN for one that does not say it as PostgreSQL does. */
  readonly major: number;
  /** Built-in functions that may have effects and that nobody has looked at. */
  readonly unreviewed: ReadonlySet<string>;
  /** Whether the server folds and cuts names beyond ASCII as the parser does. */
  readonly isUtf8: boolean;
}

/** Of a server that we know, the version alone: the condition without columns is decided before anything is read. */
const question = `
select pg_catalog.current_setting('server_version_num'), (
  select pg_catalog.string_agg(distinct p.proname, ' ')
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
    and 'internal'::pg_catalog.regtype <> all (p.proargtypes)
    and p.prorettype <> 'trigger'::pg_catalog.regtype
    and (p.provolatile = 'v' or not pg_catalog.has_function_privilege('public', p.oid, 'execute'))
    and pg_catalog.current_setting('server_version_num') >= $1::text
), pg_catalog.current_setting('server_encoding')`;

/** `known` is the newest version whose functions were looked at. */
export async function openServerFacts(run: CatalogQuestion, known: number = parserMajor): Promise<ServerFacts> {
  const [row] = await run(question, [String((known + 1) * 10_000)]);
  const [version, names, encoding] = row ?? [];
  const unreviewed = (names ?? '').split(' ').filter((name) => name !== '' && !isReviewed(name));
  return {
    major: Math.floor(Number(version ?? Number.NaN) / 10_000),
    unreviewed: new Set(unreviewed),
    isUtf8: encoding === 'UTF8',
  };
}

export function isReviewed(name: string): boolean {
  return reviewedBuiltins.has(name) || denialOfFunction('pg_catalog', name) !== undefined;
}
