import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCase, isFor, readCases } from './case-file.ts';
import { guardServerIds, guardServers, isMissing, paramsOf } from './postgres-cases.ts';
import { attackSettings, createFixture, type PostgresFixture, roles } from './postgres-fixture.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createOracle, differences, type Fingerprint, type Oracle } from './postgres-oracle.ts';

const attacks = readCases('postgres-attacks');
/** What the guard says before anything has reached the server. */
const verdicts = ['E_NOT_A_READ', 'E_MULTIPLE_STATEMENTS', 'E_SYNTAX', 'E_INPUT'];
/** Some have no end. */
const timeoutMs = 300;
/** Our own session sends it too. */
const ourOwn = ['rollback'];

it('there are many attacks, and most of them are refused', () => {
  expect(attacks.length).toBeGreaterThan(500);
  expect(attacks.filter(({ verdict }) => verdict === 'refuse').length).toBeGreaterThan(450);
});

describe.each(guardServerIds)('attacks on %s', (id) => {
  const engine = useEngine(id, { settings: { ...attackSettings, log_statement: 'all' } });
  let fixture: PostgresFixture;
  let oracle: Oracle;
  let before: Fingerprint;

  beforeAll(async () => {
    fixture = await createFixture(engine(), ['postgres-overload']);
    oracle = await createOracle(fixture);
    before = await oracle.look();
  });
  afterAll(async () => {
    await oracle.dispose();
    await fixture.dispose();
  });

  /** Compares the whole server with how it was when it was looked at last. */
  async function expectNoChange(): Promise<void> {
    const after = await oracle.look();
    const changed = differences(before, after);
    before = after;
    expect(changed).toEqual([]);
  }

  describe.each(roles)('as %s', (role) => {
    let guarded: Guarded;
    let state: string;

    beforeAll(async () => {
      guarded = await openGuarded(fixture.login(role), timeoutMs);
      state = await guarded.state();
    });
    afterAll(() => guarded.backend.dispose());

    async function expectNothingCarried(): Promise<void> {
      const found = await guarded.state();
      const carried = found === state ? 'nothing' : `${state} -> ${found}`;
      state = found;
      expect(carried).toBe('nothing');
    }

    const cases = attacks.filter((attack) => isFor(attack, { version: guardServers[id] }));
    it.for(cases.map((attack) => [attack.id, attack.why, attack] as const))('%s: %s', async ([, , attack], { skip }) => {
      if (isMissing(attack, fixture)) skip();
      const values = fixture.values();
      const sql = fillCase(attack.sql, values);
      const { failure } = await guarded.read(sql, paramsOf(attack, values));
      const reached = isLogged(oracle.readLog(), sql);
      const outcome = `${failure?.code ?? 'allowed'}: ${failure?.message}`;
      if (attack.verdict === 'refuse') expect.soft(outcome).toMatch(new RegExp(`^${attack.notes.code ?? 'E_NOT_A_READ'}: `));
      expect.soft(reached, outcome).toBe(!verdicts.includes(failure?.code ?? 'allowed'));
      // What never reached the server has changed nothing in it: the last test makes sure of all of them together.
      if (!reached) return;
      await expectNothingCarried();
      await expectNoChange();
    });

    it('nothing has changed in all', async () => {
      await expectNothingCarried();
      await expectNoChange();
    });
  });
});

/** Whether the server was sent this statement: it logs what it runs, and what it fails on, a longer one in several lines. */
function isLogged(log: string, sql: string): boolean {
  const [first = ''] = sql.split('\n');
  const sent = [`execute <unnamed>: ${first}`, `STATEMENT:  ${first}`];
  return !ourOwn.includes(sql) && log.split('\n').some((line) => sent.some((end) => line.endsWith(end)));
}
