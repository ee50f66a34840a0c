import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { createChecker, withGuardErrors } from '../../checker.ts';
import { openParser } from '../../thread/parser.ts';
import type { StatementNames } from '../../tree/names.ts';
import type { Found } from './catalog-object.ts';
import { openProof } from './load.ts';

const description = { schema: 'public', name: 'ft', kind: 'foreign table', isVisible: true };
const foreignTable = { class: '1259', oid: '20000', viaClass: '0', via: '0', how: 'file', detail: '', description };

interface Server {
  seeds?: readonly Found[];
  /** What it says of a premise, one time after the other; then yes. */
  held?: string[];
  /** What any question but the first fails with. */
  failure?: Failure;
}

/** Answers as a server would that has nothing but the seeds. */
function server({ seeds = [], held = [], failure }: Server, asked: string[] = []): CatalogQuestion {
  return async (sql) => {
    asked.push(sql);
    if (failure !== undefined && asked.length > 1) throw failure;
    if (sql.includes('pg_is_in_recovery')) return [['0 ', '{public}', '10:10:{public}']];
    if (sql.includes('server_version_num')) return [['180004']];
    if (sql.startsWith('select (pg_catalog.concat(pg_catalog.array_remove')) return [[held.shift() ?? 't']];
    return sql.includes('with denied') ? [[JSON.stringify(seeds)]] : [];
  };
}

const names = (relation: string): StatementNames => ({
  text: '',
  functions: [],
  relations: [{ schema: undefined, name: relation, at: 14 }],
  targets: [],
  castsByPath: false,
  operators: [],
  types: [],
  fields: [],
  dynamic: [],
  untyped: undefined,
  columns: new Set(),
  combines: false,
  kinds: new Set(),
  records: new Set(),
  positionOf: ({ at }) => at + 1,
});

const open = async (run: CatalogQuestion) => await openProof(withGuardErrors(run), await openParser());

describe('openProof', () => {
  it('refuses what the server reported', async () => {
    const run = server({ seeds: [foreignTable] });
    const { check, premise } = await open(run);
    await expect(check.check(names('ft'), run)).rejects.toThrow('foreign table ft reads a file or runs a program of the server');
    await check.check(names('other'), run);
    expect(premise).toContain("pg_inherits where inhrelid operator(pg_catalog.=) any ('{20000}'::pg_catalog.oid[])");
  });

  it('asks little of a server without objects of its own', async () => {
    const asked: string[] = [];
    const { premise } = await open(server({}, asked));
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(premise).not.toContain('pg_inherits');
  });

  it('looks for what leads to functions that are new in the server', async () => {
    const lists: (readonly string[])[] = [];
    await open(async (sql, params = []) => {
      if (sql.includes('with denied')) lists.push(params);
      return sql.includes('string_agg(distinct p.proname') ? [['190000', 'pg_explode random', 'UTF8']] : server({})(sql, params);
    });
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.map(([names = '']) => names.includes('"pg_explode"') && !names.includes('"random"'))).not.toContain(false);
  });

  it('reads the catalog again when it changed meanwhile, a few times', async () => {
    const asked: string[] = [];
    let moments = 0;
    const busy =
      (changing: boolean): CatalogQuestion =>
      async (sql, params) => {
        const answer = await server({ seeds: [foreignTable] })(sql, params);
        asked.push(sql);
        if (!sql.includes('pg_is_in_recovery')) return answer;
        moments++;
        return [[changing ? `${moments} ` : '0 ', '{public}', `${moments}:${moments}:`]];
      };
    await open(busy(false));
    expect(asked.filter((sql) => sql.includes('with denied'))).toHaveLength(2);
    await expect(open(busy(true))).rejects.toMatchObject({ code: 'E_PREMISE' });
  });

  it.each([
    [new Failure('unknown', 'relation "pg_policy" does not exist', { engineCode: '42P01' }), 'E_GUARD_UNAVAILABLE'],
    [new Failure('engine', 'unimplemented', { engineCode: '0A000' }), 'E_GUARD_UNAVAILABLE'],
    [new Failure('limit', 'the catalog has more than 20000 rows for this'), 'E_GUARD_UNAVAILABLE'],
    [new Failure('timeout', 'the time is over', { engineCode: '57014' }), 'E_TIMEOUT'],
    [new Failure('connection', 'the connection was lost'), 'E_CONNECTION'],
  ])('turns the answer "%s" into %s', async (failure, code) => {
    const found = await open(server({ failure })).catch((error: unknown) => error);
    expect(found).toMatchObject({ code, message: expect.stringContaining(failure.message) });
  });
});

describe('createChecker', () => {
  it('refuses only on a catalog that is still the same', async () => {
    const run = server({ seeds: [foreignTable], held: ['t', 't'] });
    const checker = createChecker();
    await expect(checker.check('table ft', run)).rejects.toThrow('foreign table ft');
    const changed = server({ seeds: [], held: ['f'] });
    expect((await checker.check('table ft', changed)).premise).toContain('pg_proc');
  });
});
