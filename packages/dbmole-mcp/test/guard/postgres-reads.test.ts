import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCase, isFor, readCases } from './case-file.ts';
import { guardServerIds, guardServers, paramsOf } from './postgres-cases.ts';
import { attackSettings, createFixture, type PostgresFixture, roles } from './postgres-fixture.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';

const reads = readCases('postgres-reads');

it('there are many reads, and all are allowed', () => {
  expect(reads.length).toBeGreaterThan(150);
  expect(reads.filter(({ verdict }) => verdict !== 'allow')).toEqual([]);
});

describe.each(guardServerIds)('reads on %s', (id) => {
  const engine = useEngine(id, { settings: attackSettings });
  let fixture: PostgresFixture;

  beforeAll(async () => {
    fixture = await createFixture(engine());
  });
  afterAll(() => fixture.dispose());

  describe.each(roles)('as %s', (role) => {
    let guarded: Guarded;

    beforeAll(async () => {
      guarded = await openGuarded(fixture.login(role));
    });
    afterAll(() => guarded.backend.dispose());

    const cases = reads
      .filter((read) => isFor(read, { version: guardServers[id] }))
      .filter(({ notes }) => notes.as === undefined || notes.as === role);
    it.each(cases.map((read) => [read.id, read.why, read] as const))('runs read %s: %s', async (_id, _why, read) => {
      const values = fixture.values();
      const { failure } = await guarded.read(fillCase(read.sql, values), paramsOf(read, values));
      expect(failure && `${failure.code} ${failure.message}`).toBeUndefined();
    });
  });
});
