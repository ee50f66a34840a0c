import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { direct } from '../engines/postgres-fixture.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { type BodyAttack, bodyAttacks, command } from './proof-body-attacks.ts';
import { castAttacks } from './proof-cast-attacks.ts';
import { createProofDatabase, openPlanter, type Planter, type ProofDatabase } from './proof-database.ts';
import { inferenceAttacks } from './proof-inference-attacks.ts';
import { objectAttacks } from './proof-object-attacks.ts';
import { serverAttacks } from './proof-server-attacks.ts';
import { storedAttacks } from './proof-stored-attacks.ts';
import { unrecordedAttacks } from './proof-unrecorded-attacks.ts';

const engines = { postgres14: 14, postgres18: 18 } as const;
const owner = 'bodies_planter';

/** All functions become those of the superuser, with whose rights they run. */
const makeDefiners = `do $d$ declare f regprocedure; begin
  for f in select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where p.oid >= 16384 and l.lanname in ('sql', 'plpgsql') and p.prokind = 'f'
  loop execute format('alter function %s owner to current_user', f); execute format('alter function %s security definer', f); end loop;
end $d$`;

describe.each(Object.entries(engines))('bodies that hide what they do, on %s', (id, major) => {
  const server = useEngine(id as keyof typeof engines, { shared: true });
  let database: ProofDatabase;
  let planter: Planter;
  let guarded: Record<'superuser' | 'owner', Guarded>;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_bodies');
    await direct(server(), `drop role if exists ${owner}`);
    await direct(server(), `create role ${owner}`);
    await database.run(`grant create on database proof_bodies to ${owner}; select lo_create(4242)`);
    planter = await openPlanter(database.superuser);
    guarded = { superuser: await openGuarded(database.superuser), owner: await openGuarded(database.owner) };
  });
  afterAll(async () => {
    await guarded.superuser.backend.dispose();
    await guarded.owner.backend.dispose();
    await planter.close();
    await database.dispose();
    await direct(server(), `drop role ${owner}`);
  });

  const attacked = groupAttacks(
    [
      ...bodyAttacks,
      ...objectAttacks,
      ...inferenceAttacks,
      ...unrecordedAttacks,
      ...castAttacks,
      ...storedAttacks,
      ...serverAttacks,
    ].filter(({ only }) => (only?.min ?? 0) <= major && major <= (only?.max ?? 99)),
  );

  it.each(attacked)('change nothing through a read, and would without the guard: $name', async ({ attacks, planted }) => {
    await plant(planted, attacks);
    try {
      await takeEffect();
      for (const [i, attack] of attacks.entries()) await attackSuperuser(attack, readOf(attack, i));
      if (attacks.some((attack) => bodyAttacks.includes(attack))) await attackOwner(attacks);
    } finally {
      await planter.run(planted.undo ?? 'select');
    }
  });

  async function attackSuperuser({ name, change, undo }: BodyAttack, read: string): Promise<void> {
    if (change !== undefined) {
      await guarded.superuser.read(read);
      await planter.run(change);
      await takeEffect();
    }
    await guarded.superuser.read(read);
    expect(await takeEffect(), `by a superuser: ${name}`).toBe(false);
    // What has to be undone may be a setting of new sessions.
    const session = undo === undefined ? planter : database;
    await session.run(`begin read only; ${read}; rollback`).catch(() => undefined);
    expect(await takeEffect(), `without the guard: ${name}`).toBe(true);
  }

  async function attackOwner(attacks: readonly BodyAttack[]): Promise<void> {
    await planter.run(makeDefiners);
    for (const [i, attack] of attacks.entries()) {
      await guarded.owner.read(readOf(attack, i));
      expect(await takeEffect(), `with the rights of an owner who is a superuser: ${attack.name}`).toBe(false);
    }
  }

  async function plant({ setup = '', prepare = 'select' }: BodyAttack, attacks: readonly BodyAttack[]): Promise<void> {
    await planter.run(`drop owned by ${owner} cascade; drop schema public cascade; create schema public;
      grant create on database proof_bodies to ${owner}; grant all on schema public to public;
      create table cfg (x text); insert into cfg values ($c$${command}$c$); grant all on cfg to public`);
    const functions = attacks.flatMap(({ body }, i) => (body === undefined ? [] : writeFunction(body, placeOf(i))));
    await planter.run(`set role ${owner}; set check_function_bodies = off; ${setup} reset search_path; ${functions.join(' ')}`);
    await planter.run(`do $d$ declare s name; begin for s in select nspname from pg_namespace where nspowner = '${owner}'::regrole
      loop execute format('grant usage on schema %I to public', s); end loop; end $d$; ${prepare}`);
  }

  async function takeEffect(): Promise<boolean> {
    const [row] = await planter.ask("select (pg_stat_file('bodies_effect', true)).size is not null as made");
    if (row?.made === true) await planter.ask("copy (select) to program 'cat > /dev/null; rm bodies_effect'");
    return row?.made === true;
  }
});

/** The schema of its function, which a body may call by the name `f`. */
function placeOf(index: number): string {
  return index === 0 ? 'public' : `planted_${index}`;
}

function readOf({ read }: BodyAttack, index: number): string {
  return read ?? `select ${placeOf(index)}.f()`;
}

function writeFunction(body: string, place: string): string {
  const schema = place === 'public' ? '' : `create schema ${place};`;
  return `${schema} create function ${place}.f() returns text language plpgsql as $main$ ${body} $main$;`;
}

interface AttackGroup {
  readonly name: string;
  readonly attacks: readonly BodyAttack[];
  /** What is planted for all of them. */
  readonly planted: BodyAttack;
}

/** The guard reads the catalog once for all attacks through the same objects. */
function groupAttacks(all: readonly BodyAttack[]): readonly AttackGroup[] {
  const groups = new Map<string, BodyAttack[]>();
  for (const [i, attack] of all.entries()) {
    const { setup, prepare, change, undo, body } = attack;
    const isAlone = (change ?? undo) !== undefined;
    const key = JSON.stringify(isAlone ? [i] : [setup ?? '', prepare ?? '', body !== undefined]);
    groups.set(key, [...(groups.get(key) ?? []), attack]);
  }
  return [...groups.values()].flatMap((attacks) => {
    const [planted, ...others] = attacks;
    if (planted === undefined) return [];
    return { attacks, planted, name: others.length === 0 ? planted.name : `${planted.name}, and ${others.length} more` };
  });
}
