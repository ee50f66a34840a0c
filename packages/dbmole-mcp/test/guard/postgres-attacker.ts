import { Client } from 'pg';
import { fillCase, type GuardCase } from './case-file.ts';
import { paramsOf } from './postgres-cases.ts';
import { sessionState } from './postgres-fingerprint.ts';
import type { PostgresFixture } from './postgres-fixture.ts';
import { createOracle, differences, type Fingerprint, type Oracle } from './postgres-oracle.ts';

/** A superuser's session of a plain driver, and an observer. */
export interface Attacker {
  attack(attack: GuardCase): Promise<AttackResult>;
  dispose(): Promise<void>;
}

export interface AttackResult {
  readonly changed: readonly string[];
  readonly error: unknown;
}

export async function createAttacker(fixture: PostgresFixture): Promise<Attacker> {
  const client = new Client({ ...fixture.login('superuser'), query_timeout: 5_000 });
  // It may kill itself.
  client.on('error', () => undefined);
  await client.connect();
  const oracle: Oracle = await createOracle(fixture);
  const look = async (): Promise<Fingerprint> => ({ ...(await oracle.look()), ...(await lookInside(client)) });
  let before = await look();
  return {
    async attack(attack) {
      const inside = attack.notes.control === 'inside';
      if (inside) {
        await client.query('begin');
        before = await look();
      }
      const error = await run(client, attack, fixture);
      const after = await look();
      await client.query('rollback');
      const changed = differences(before, after);
      before = after['session is in a transaction'] === 'false' ? after : await look();
      return { changed, error };
    },
    async dispose() {
      await client.end();
      await oracle.dispose();
    },
  };
}

async function run(client: Client, attack: GuardCase, fixture: PostgresFixture): Promise<unknown> {
  const values = fixture.values();
  const params = paramsOf(attack, values);
  const text = fillCase(attack.sql, values);
  try {
    // Without parameters the driver sends it as it is, whatever number of statements it has.
    await (params.length === 0 ? client.query(text) : client.query(text, [...params]));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What the session has to say of itself, without any cleaning. */
async function lookInside(client: Client): Promise<Fingerprint> {
  const ask = (sql: string) =>
    client.query({ text: sql, rowMode: 'array' }).then(
      ({ rows }) => String(rows[0]),
      () => 'aborted',
    );
  return {
    session: await ask(sessionState),
    // In a transaction, its time is earlier than that of the statement.
    'session is in a transaction': await ask('select now() <> statement_timestamp()'),
  };
}
