import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlBackend } from '../../src/backend/backend.ts';
import { fillCase, type GuardCase, isFor, readCases } from './case-file.ts';
import { paramsOf } from './mysql-attack.ts';
import { guardEngines, never, openGuarded, type Role, readGuarded, serverOf, useGuardServer } from './mysql-guarded.ts';
import { useMode } from './mysql-mode.ts';
import { compareStates, type ServerState } from './mysql-server-state.ts';
import { useSite } from './mysql-site.ts';

const site = useSite();
const cases = readCases('mysql-reads');
const roles: readonly Role[] = ['superuser', 'owner'];

describe.each(guardEngines)('reads on %s', (id) => {
  const server = useGuardServer(id, site);
  const all = cases.filter((one) => isFor(one, serverOf(id)));
  const modes = [...new Set(all.map(readMode))];
  let start: ServerState;
  beforeAll(async () => {
    start = await server().readState();
  });

  it('has many read cases', () => {
    expect(all.length).toBeGreaterThanOrEqual(100);
  });

  describe.each(modes)('in mode "%s"', (mode) => {
    useMode(server, mode);
    describe.each(roles)('as %s', (role) => {
      let backend: SqlBackend;
      beforeAll(async () => {
        backend = await openGuarded(server().engine, role);
      });
      afterAll(() => backend.dispose());

      const own = all.filter((one) => readMode(one) === mode && isTriedBy(one, role));
      it.for(own)('$id: $why', async (one) => {
        const values = server().values(role);
        const { columns } = await readGuarded(backend, fillCase(one.sql, values), paramsOf(one, values));
        expect(columns.length, one.sql).toBeGreaterThan(0);
      });

      it.for(own.filter(isQuery))('$id can be explained', async ({ sql }) => {
        for (const form of explainForms(id)) await backend.check(`${form} ${sql}`, { signal: never });
      });
    });
  });

  it('leaves the server unchanged after all reads', async () => {
    expect(compareStates(start, await server().readState())).toEqual([]);
  });
});

/** How our own tool asks for the plan of a query. */
function explainForms(id: string): string[] {
  const analyze = id.startsWith('mariadb') ? 'ANALYZE FORMAT=JSON' : 'EXPLAIN ANALYZE';
  return ['EXPLAIN FORMAT=JSON', analyze, ...(id.startsWith('mariadb') ? [] : ['EXPLAIN FORMAT=TREE'])];
}

/** Matches those that begin with it: leading comments belong to the first test. */
function isQuery({ sql }: GuardCase): boolean {
  return /^(SELECT|WITH|\()/i.test(sql);
}

function readMode({ notes }: GuardCase): string {
  return notes.mode ?? '';
}

function isTriedBy({ notes }: GuardCase, role: Role): boolean {
  return (notes.as ?? roles.join(' ')).split(' ').includes(role);
}
