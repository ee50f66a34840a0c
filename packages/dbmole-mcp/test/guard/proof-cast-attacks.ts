import { act, type BodyAttack } from './proof-body-attacks.ts';

/** Casts whose target the statement writes in another way than the catalog, or does not write. */
const mood = `create type public.mood as enum ('sad'); create table public.m (m public.mood); insert into m values ('sad'); grant all on m to public;`;

const castTo = (
  type: string,
) => `${mood} create function public.sad() returns mood language sql immutable as $f$ select 'sad'::public.mood $f$;
  create function public.to_other(mood) returns ${type} language plpgsql as $f$ begin perform ${act}; return null; end $f$;
  create cast (mood as ${type}) with function to_other(mood);`;

const arrays: BodyAttack[] = [
  ['int[]', 'select m::int[] from m'],
  ['text[]', 'select cast(m as text array) from m'],
  ['varchar[]', 'select m::varchar(10)[] from m'],
  ['int[]', 'select m::int[][3] from m'],
  ['public.mood[]', 'select m::mood[] from m'],
  ['int[]', 'select (m)::pg_catalog._int4 from m'],
].map(([type = '', read = '']) => ({ name: `a cast to the array ${type}: ${read}`, setup: castTo(type), read }));

const json: BodyAttack[] = [
  ['int[]', "select json_value(jsonb '{}', '$.a' returning int[] default sad() on empty)"],
  ['jsonpath', "select json_value(jsonb '{}', m) from m"],
  ['jsonpath', "select json_query(jsonb '{}', m) from m"],
  ['jsonpath', "select json_exists(jsonb '{}', m) from m"],
].map(([type = '', read = '']) => ({ name: `a cast to ${type} in ${read}`, setup: castTo(type), read, only: { min: 17 } }));

export const castAttacks: readonly BodyAttack[] = [
  ...arrays,
  ...json,
  {
    name: 'a cast to an array in a body',
    setup: castTo('int[]'),
    body: 'declare x public.mood; begin return (select y.m::int[] from public.m y); end',
  },
  {
    name: 'a cast to a declared array',
    setup: castTo('int[]').replace('to_other(mood);', 'to_other(mood) as assignment;'),
    body: "declare x int[] := 'sad'::public.mood; begin return x; end",
  },
];
