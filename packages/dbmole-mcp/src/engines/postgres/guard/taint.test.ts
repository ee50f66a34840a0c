import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import type { StatementNames } from './names.ts';
import { SharedLoad } from './shared-load.ts';
import { checkTaint, openTaint } from './taint.ts';

const described = JSON.stringify({ schema: 'public', name: 'ft', kind: 'foreign table', open: true });
const foreignTable = ['1259', '20000', '0', '0', 'file', '', described];

const tableNamed = (schema: string, name: string) => {
  const table = JSON.stringify({ schema, name, kind: 'foreign table', open: true });
  return ['1259', '20001', '0', '0', 'file', '', table];
};

interface Server {
  seeds?: readonly (readonly string[])[];
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
    return sql.includes('with denied') ? seeds : [];
  };
}

const names = (relation: string): StatementNames => ({
  functions: [],
  relations: [{ schema: undefined, name: relation, at: 14 }],
  operators: [],
  types: [],
  fields: [],
  dynamic: [],
  untyped: undefined,
  gathers: false,
  combines: false,
  positionOf: ({ at }) => at + 1,
});

describe('openTaint', () => {
  it('knows what it was told, and what that depends on', async () => {
    const { check, premise } = await openTaint(server({ seeds: [foreignTable] }));
    expect(() => check(names('ft'))).toThrow('foreign table ft reads a file or runs a program of the server');
    expect(() => check(names('other'))).not.toThrow();
    expect(premise).toContain("pg_inherits where inhrelid operator(pg_catalog.=) any ('{20000}'::pg_catalog.oid[])");
  });

  it.each([
    ['é'.repeat(63), 'é'.repeat(31)],
    [`x${'é'.repeat(62)}`, `x${'é'.repeat(31)}`],
    ['😀'.repeat(20), '😀'.repeat(15)],
    [`${'é'.repeat(31)}\uFFFD`, 'é'.repeat(31)],
    ['x'.repeat(63), 'x'.repeat(63)],
  ])('compares names as the parser cuts them: %s', async (name, parsed) => {
    const { check } = await openTaint(server({ seeds: [tableNamed('public', name)] }));
    expect(() => check(names(parsed))).toThrow('foreign table');
    const inSchema = await openTaint(server({ seeds: [tableNamed(name, 'ft')] }));
    const use = { ...names('ft'), relations: [{ schema: parsed, name: 'ft', at: 14 }] };
    expect(() => inSchema.check(use)).toThrow('foreign table');
  });

  it('asks little of a server that has nothing', async () => {
    const asked: string[] = [];
    const { premise } = await openTaint(server({}, asked));
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(premise).not.toContain('pg_inherits');
  });

  it('looks again when the catalog changed while it looked, but not for ever', async () => {
    const asked: string[] = [];
    await openTaint(server({ seeds: [foreignTable], held: ['f', 'f'] }, asked));
    expect(asked.filter((sql) => sql.includes('with denied'))).toHaveLength(3);
    const changing = server({ seeds: [foreignTable], held: Array.from({ length: 20 }, () => 'f') });
    await expect(openTaint(changing)).rejects.toMatchObject({ code: 'E_CONFLICT' });
  });

  it.each([
    [new Failure('unknown', 'relation "pg_policy" does not exist', { engineCode: '42P01' }), 'E_GUARD_UNAVAILABLE'],
    [new Failure('engine', 'unimplemented', { engineCode: '0A000' }), 'E_GUARD_UNAVAILABLE'],
    [new Failure('limit', 'the catalog has more than 20000 rows for this'), 'E_GUARD_UNAVAILABLE'],
    [new Failure('timeout', 'the time is over', { engineCode: '57014' }), 'E_TIMEOUT'],
    [new Failure('connection', 'the connection was lost'), 'E_CONNECTION'],
  ])('when it hears "%s", says %s', async (failure, code) => {
    const said = await openTaint(server({ failure })).catch((error: unknown) => error);
    expect(said).toMatchObject({ code, message: expect.stringContaining(failure.message) });
  });
});

describe('checkTaint', () => {
  it('refuses only on what still holds', async () => {
    const changing: Server = { seeds: [foreignTable], held: ['t', 't', 'f', 't'] };
    const run = server(changing);
    const loads = new SharedLoad(openTaint);
    await expect(checkTaint(names('ft'), run, loads)).rejects.toThrow('foreign table ft');
    changing.seeds = [];
    const changed = server({ seeds: [], held: ['f'] });
    expect(await checkTaint(names('ft'), changed, loads)).toContain('pg_proc');
  });
});
