import { type EngineId, useEngine } from '@dbmole/engines';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deniedBuiltinNames,
  deniedRelations,
  findFunctionDenial,
  findRelationDenial,
} from '../../src/engines/postgres/guard/denials.ts';
import { isReviewed, openServerFacts } from '../../src/engines/postgres/guard/server-facts.ts';
import type { CatalogQuestion } from '../../src/guard/read-statement.ts';

const functions: Record<string, Set<string>> = {};
const relations: Record<string, Set<string>> = {};

/** What the server has of its own, against the lists that the guard goes by. */
describe.each(['postgres14', 'postgres18'] satisfies EngineId[])('the built-in functions of %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let client: pg.Client;

  beforeAll(async () => {
    const { host, port, user, password } = engine();
    client = new pg.Client({ host, port, user, password, database: 'postgres' });
    await client.connect();
    functions[id] = new Set(await names("select proname from pg_proc where pronamespace = 'pg_catalog'::regnamespace"));
    relations[id] = new Set(await names("select relnamespace::regnamespace || '.' || relname from pg_class"));
  });
  afterAll(() => client.end());

  const run: CatalogQuestion = async (sql, params = []) => {
    const { rows } = await client.query<(string | null)[]>({ text: sql, values: [...params], rowMode: 'array' });
    return rows;
  };
  const names = async (sql: string) => (await run(sql)).map(([name]) => name ?? '');

  it('were all looked at where they can have effects', async () => {
    const found = await openServerFacts(run, 0);
    expect(found.major).toBe(Number(/\d+$/.exec(id)?.[0]));
    expect([...found.unreviewed]).toEqual([]);
  });

  it('are asked for when the server is newer than the lists, and not otherwise', async () => {
    const asked: unknown[] = [];
    const watching: CatalogQuestion = async (sql, params) => {
      const rows = await run(sql, params);
      asked.push(rows[0]?.[1]);
      return rows;
    };
    await openServerFacts(watching);
    await openServerFacts(watching, 13);
    expect(asked).toEqual([null, expect.stringContaining(' nextval ')]);
  });

  it('have no view that leads to a denied one and is not denied', async () => {
    const views = await run(
      "select viewname, definition from pg_views where schemaname in ('pg_catalog', 'information_schema') order by 1",
    );
    const leads = views.filter(([, definition]) =>
      [...(definition ?? '').matchAll(/\b([a-z_0-9]+)\(/g)].some(
        ([, name = '']) => findFunctionDenial('pg_catalog', name) !== undefined,
      ),
    );
    expect(leads.length).toBeGreaterThan(1);
    expect(leads.filter(([name]) => findRelationDenial({ schema: undefined, name: name ?? '' }) === undefined)).toEqual([]);
  });

  it('are known to have names that the lists have', () => {
    expect(functions[id]?.size).toBeGreaterThan(2_000);
    expect(isReviewed('nextval') && isReviewed('random')).toBe(true);
    expect(isReviewed('lower')).toBe(false);
  });
});

describe('the lists of the guard', () => {
  it('name functions and relations that one of the servers has, and those of an extension that lives in pg_catalog', () => {
    const have = (from: Record<string, Set<string>>) => Object.values(from).flatMap((set) => [...set]);
    const missing = deniedBuiltinNames.filter((name) => !have(functions).some((one) => one.startsWith(name)));
    // The last is a word of the grammar.
    expect(missing.toSorted()).toEqual(['pg_file_', 'pg_logdir_ls', 'xmltable']);
    expect(deniedRelations.filter((name) => !have(relations).includes(name))).toEqual([]);
  });
});
