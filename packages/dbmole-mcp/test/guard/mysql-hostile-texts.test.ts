import { Failure } from '@dbmole/core';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlBackend } from '../../src/backend/backend.ts';
import { hostileTexts } from '../../src/engines/mysql/guard/testing/hostile-texts.ts';
import { measureBlocking } from '../../src/engines/mysql/guard/testing/measure-blocking.ts';
import { guardDatabase } from './mysql-fixture.ts';
import { connectDirectly, openGuarded, readGuarded } from './mysql-guarded.ts';

/** Generous, as the machine that runs the tests is busy; on a quiet one no turn takes more than 20 ms. */
const maxBlockedMs = 250;

describe.each([
  ['mysql97', 'MySQL'],
  ['mariadb1011', 'MariaDB'],
] as const)('a hostile read on %s', (id, product) => {
  const engine = useEngine(id);
  const texts = hostileTexts[product].filter(({ server = {} }) => server.tables === undefined && server.routines === undefined);
  let backend: SqlBackend;
  let worst = { blockedMs: 0, name: '' };

  beforeAll(async () => {
    const direct = await connectDirectly(engine());
    await direct.query(`CREATE DATABASE ${guardDatabase}`);
    await direct.query(`USE ${guardDatabase}`);
    await direct.query('CREATE TABLE t (a INT)');
    const values = Array.from({ length: 40_000 }, (_, index) => index).join(',');
    await direct.query(`CREATE FUNCTION f() RETURNS INT READS SQL DATA RETURN 1 IN (${values})`);
    await direct.end();
    backend = await openGuarded(engine(), 'superuser');
  });
  afterAll(async () => {
    await backend.dispose();
    process.stderr.write(`${id}: blocked for ${worst.blockedMs.toFixed(0)} ms at most, by ${worst.name}\n`);
  });

  it.each([...texts, { name: 'a stored function with a long list', sql: 'SELECT f()' }])(
    'lets other calls run during $name',
    async ({ name, sql }) => {
      const { result, blockedMs } = await measureBlocking(() => readGuarded(backend, sql).catch((error: unknown) => error));
      if (blockedMs > worst.blockedMs) worst = { blockedMs, name };
      if (result instanceof Error) expect(result).toBeInstanceOf(Failure);
      expect(blockedMs).toBeLessThan(maxBlockedMs);
    },
  );
});
