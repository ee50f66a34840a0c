import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuardCase, isFor, readCases } from './case-file.ts';
import { type Attacker, type AttackResult, createAttacker } from './postgres-attacker.ts';
import { guardServerIds, guardServers, isMissing } from './postgres-cases.ts';
import { attackSettings, createFixture, type PostgresFixture } from './postgres-fixture.ts';

const attacks = readCases('postgres-attacks').filter(({ notes }) => notes.control !== 'none');

/** Whatever comes behind it would wait for it. */
const inTheWay = /^(prepared transactions|locks of others|session is in a transaction)/;

it('most attacks have an effect where nothing guards the server', () => {
  expect(attacks.length).toBeGreaterThan(400);
});

/**
 * The same attacks, straight to the server by the plain driver: each of them shows in what the oracle sees, so that an attack which
 * shows nothing behind the guard has done nothing.
 */
describe.each(guardServerIds)('the same attacks without a guard on %s', (id) => {
  const engine = useEngine(id, { settings: attackSettings });
  let fixture: PostgresFixture;
  let attacker: Attacker | undefined;

  beforeAll(async () => {
    fixture = await createFixture(engine(), ['postgres-overload']);
  });
  afterAll(async () => {
    await attacker?.dispose();
    await fixture.dispose();
  });

  /** Undefined: the attack destroyed what the oracle reads, as when tables are gone. */
  async function attackOnce(attack: GuardCase): Promise<AttackResult | undefined> {
    attacker ??= await createAttacker(fixture);
    const result = await attacker.attack(attack).catch(() => undefined);
    if (result === undefined || result.changed.some((change) => inTheWay.test(change))) await startAnew();
    return result;
  }

  async function startAnew(): Promise<void> {
    await attacker?.dispose().catch(() => undefined);
    attacker = undefined;
    await fixture.restore();
  }

  // Each of them on one of the servers, as it takes its time.
  const cases = attacks
    .filter((_, index) => index % guardServerIds.length === guardServerIds.indexOf(id))
    .filter((attack) => isFor(attack, { version: guardServers[id] }));
  it.for(cases.map((attack) => [attack.id, attack.why, attack] as const))('%s: %s', async ([, , attack], { skip }) => {
    if (isMissing(attack, fixture)) skip();
    let result = await attackOnce(attack);
    if (result !== undefined && !isEffect(attack, result)) {
      // One of those before may have taken away what it needs.
      await startAnew();
      result = await attackOnce(attack);
    }
    expect(result === undefined || isEffect(attack, result), String(result?.error)).toBe(true);
  });
});

function isEffect({ notes }: GuardCase, { changed, error }: AttackResult): boolean {
  return notes.control === 'success' ? error === undefined : changed.length > 0;
}
