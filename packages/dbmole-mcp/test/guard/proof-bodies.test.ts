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

  const isFor = ({ only }: BodyAttack) => (only?.min ?? 0) <= major && major <= (only?.max ?? 99);
  const chosen = bodyAttacks.filter(isFor);

  const others = [
    ...objectAttacks,
    ...inferenceAttacks,
    ...unrecordedAttacks,
    ...castAttacks,
    ...storedAttacks,
    ...serverAttacks,
  ];
  const attacked = [...chosen, ...others.filter(isFor)];

  it.each(attacked)('change nothing through a read of a superuser, and would without the guard: $name', async (attack) => {
    const read = attack.read ?? 'select f()';
    await plant(attack);
    try {
      if (attack.change !== undefined) {
        await guarded.superuser.read(read);
        await database.run(attack.change);
      }
      await takeEffect();
      await guarded.superuser.read(read);
      expect(await takeEffect()).toBe(false);
      await database.run(`begin read only; ${read}; rollback`).catch(() => undefined);
      expect(await takeEffect()).toBe(true);
    } finally {
      await database.run(attack.undo ?? 'select');
    }
  });

  it.each(chosen)('change nothing with the rights of an owner who is a superuser: $name', async (attack) => {
    await plant(attack);
    await planter.run(makeDefiners);
    await guarded.owner.read(attack.read ?? 'select f()');
    expect(await takeEffect()).toBe(false);
  });

  async function plant({ setup = '', prepare = 'select', body }: BodyAttack): Promise<void> {
    await planter.run(`drop owned by ${owner} cascade; drop schema public cascade; create schema public;
      grant create on database proof_bodies to ${owner}; grant all on schema public to public;
      create table cfg (x text); insert into cfg values ($c$${command}$c$); grant all on cfg to public`);
    const main = body === undefined ? '' : `create function public.f() returns text language plpgsql as $main$ ${body} $main$;`;
    await planter.run(`set role ${owner}; set check_function_bodies = off; ${setup} reset search_path; ${main}`);
    await planter.run(`do $d$ declare s name; begin for s in select nspname from pg_namespace where nspowner = '${owner}'::regrole
      loop execute format('grant usage on schema %I to public', s); end loop; end $d$; ${prepare}`);
  }

  async function takeEffect(): Promise<boolean> {
    const [row] = await planter.run("select (pg_stat_file('bodies_effect', true)).size is not null as made");
    if (row?.made === true) await planter.run("copy (select) to program 'cat > /dev/null; rm bodies_effect'");
    return row?.made === true;
  }
});
