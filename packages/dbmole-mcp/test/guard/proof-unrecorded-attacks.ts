import { act, type BodyAttack } from './proof-body-attacks.ts';

/** What the server runs without a name in the statement, and without a dependency in its catalog. */
const checked = `create function public.check_it(text) returns boolean language plpgsql as
    $f$ begin if $1 = 'go' then perform ${act}; end if; return true; end $f$;
  create domain public.dom as text check (public.check_it(value)); create table public.t (d dom); insert into t values ('x'); grant all on t to public;`;
const mood = `create type public.mood as enum ('sad', 'glad'); create table public.m (m public.mood);
  insert into public.m select 'sad' from generate_series(1, 50); insert into m values ('glad'); grant all on public.m to public; analyze m;`;
const toText = `${mood} create function public.to_text(mood) returns text language plpgsql immutable strict as
    $f$ begin perform ${act}; return 'x'; end $f$; create cast (mood as text) with function to_text(mood);`;
const toJson = `${mood} create function public.to_json(mood) returns json language plpgsql as $f$ begin perform ${act}; return '1'; end $f$;
  create cast (mood as json) with function to_json(mood);`;
const ordered = `create type public.comp as (a int);
  create function public.lt(comp, comp) returns boolean language plpgsql immutable as $f$ begin return $1.a < $2.a; end $f$;
  create function public.cmp(comp, comp) returns int language plpgsql immutable as $f$ begin perform ${act}; return $1.a - $2.a; end $f$;
  create function public.eq(comp, comp) returns boolean language plpgsql immutable as $f$ begin return $1.a = $2.a; end $f$;
  create operator public.<<< (leftarg = comp, rightarg = comp, function = lt); create operator public.=== (leftarg = comp, rightarg = comp, function = eq);
  create operator class public.comp_ops default for type comp using btree as operator 1 <<<, operator 3 ===, function 1 cmp(comp, comp);
  create table public.c (c comp, d comp); insert into c select row(i % 2)::comp, row(i % 3)::comp from generate_series(1, 18) i; analyze c;`;
const view = (query: string) => `create view public.v as ${query}; grant all on v to public;`;

const states: BodyAttack[] = [
  {
    name: 'the state of an aggregate that a function fills',
    setup: `${checked} create aggregate public.ag(jsonb) (sfunc = jsonb_populate_record, stype = t, finalfunc = to_jsonb);`,
    read: `select ag('{"d": "go"}') from t`,
  },
  {
    name: 'the state of an aggregate over a window',
    setup: `${checked} create aggregate public.ag(jsonb) (sfunc = jsonb_concat, stype = jsonb, msfunc = jsonb_populate_record,
      minvfunc = jsonb_populate_record, mstype = t, mfinalfunc = to_jsonb);`,
    read: `select ag('{"d": "go"}') over (rows between current row and current row) from t`,
  },
];

const casts: BodyAttack[] = ['quote_literal(m)', 'quote_nullable(m)', "m || 'x'", "'x'::text || m"].flatMap(
  (call): BodyAttack[] => [
    {
      name: `a cast to text in a view: ${call}`,
      setup: `${toText} ${view(`select ${call} as x from m`)}`,
      read: 'select * from v',
    },
    {
      name: `a cast to text in a default: ${call}`,
      setup: `${toText} create function public.g(x text default ${call.replace('m', "'sad'::mood")}) returns text language sql as 'select $1';`,
      read: 'select g()',
    },
    {
      name: `a cast to text in standard SQL: ${call}`,
      setup: `${toText} create function public.g() returns text language sql begin atomic select ${call} from m; end;`,
      read: 'select g()',
      only: { min: 14 },
    },
  ],
);

const castsElsewhere: BodyAttack[] = [
  {
    name: 'a cast to text in the CHECK of a domain',
    setup: `${toText} create domain public.checked as mood check (value || 'x' = 'xx'); ${view('select m::checked as x from m')}`,
    read: 'select * from v',
  },
  {
    name: 'a cast to text of a domain',
    setup: `${toText} create domain public.moods as mood; create table public.d (d moods); insert into d values ('sad'); ${view("select d || 'x' as x from d")}`,
    read: 'select * from v',
  },
  {
    name: 'a cast to text in a CHECK of a part, made after the first read',
    setup: `${toText} create table public.p (a int); grant all on p to public; grant create on schema public to public;`,
    change: "create table part (check ('sad'::mood || 'x' = 'x' and a > 5)) inherits (p)",
    read: 'select * from p where a = 1',
  },
  ...[
    ['textanycat as the step', "ag(anynonarray) (sfunc = textanycat, stype = text, initcond = '')"],
    ['quote_literal at the end', 'ag(mood) (sfunc = enum_larger, stype = mood, finalfunc = quote_literal)'],
  ].map(
    ([name = '', aggregate = '']): BodyAttack => ({
      name: `a cast to text in an aggregate: ${name}`,
      setup: `${toText} create aggregate public.${aggregate};`,
      read: 'select ag(m) from m',
    }),
  ),
  {
    name: 'a cast to text in the function of another cast',
    setup: `${toText} create cast (mood as varchar) with function quote_literal(anyelement);`,
    read: 'select m::varchar from m',
  },
];

const filled: BodyAttack[] = [
  ...[
    `select (jsonb_populate_record(t, '{"d": "go"}')).d from t`,
    `select x is null as x from t, json_populate_recordset(t, '[{"d": "go"}]') x`,
  ].map(
    (query): BodyAttack => ({
      name: `a row that is filled in a view: ${query}`,
      setup: `${checked} ${view(query)}`,
      read: 'select * from v',
    }),
  ),
  ...["t #= hstore('d', 'go')", "populate_record(t, hstore('d', 'go'))"].map(
    (call): BodyAttack => ({
      name: `a row that is filled in a view: ${call}`,
      prepare: `create extension hstore; ${checked} ${view(`select (${call}) is null as x from t`)}`,
      read: 'select * from v',
    }),
  ),
  {
    name: 'an operator that fills a row from an hstore',
    prepare: `create extension hstore; ${checked} create operator public.~~~~ (leftarg = anyelement, rightarg = hstore, function = populate_record)`,
    read: "select t ~~~~ hstore('d', 'go') from t",
  },
  ...["t ~~~~ hstore('d', 'go')", "fill_it(t, hstore('d', 'go'))"].map(
    (call): BodyAttack => ({
      name: `a row that is filled in a view by a function that was renamed: ${call}`,
      prepare: `create extension hstore; ${checked} alter function populate_record(anyelement, hstore) rename to fill_it;
        create operator public.~~~~ (leftarg = anyelement, rightarg = hstore, function = fill_it); ${view(`select (${call}) is null as x from t`)}`,
      read: 'select * from v',
    }),
  ),
  ...[
    `json_value(jsonb '{"a": "go"}', '$.a' returning dom)`,
    `json_query(jsonb '{"d": "go"}', '$' returning t)`,
    `json_query(jsonb '["go"]', '$' returning dom[])`,
  ].flatMap((call): BodyAttack[] => [
    {
      name: `JSON that becomes another type in a view: ${call}`,
      setup: `${checked} ${view(`select ${call} is null as x`)}`,
      read: 'select * from v',
      only: { min: 17 },
    },
    {
      name: `JSON that becomes another type in standard SQL: ${call}`,
      setup: `${checked} create function public.g() returns boolean language sql return ${call} is null;`,
      read: 'select g()',
      only: { min: 17 },
    },
  ]),
];

const ofMood = "from pg_stats where tablename = 'm'";

const statistics: BodyAttack[] = [
  ...[
    'array_to_json(most_common_vals)',
    'row_to_json(s)',
    'to_jsonb(s)',
    '(s).to_json',
    'json_agg(most_common_vals) over ()',
  ].flatMap((call): BodyAttack[] => {
    const query = `select ${call} as x ${ofMood.replace('where', 's where')}`;
    return [
      { name: `statistics as JSON: ${call}`, setup: toJson, read: query },
      { name: `statistics as JSON in a view: ${call}`, setup: `${toJson} ${view(query)}`, read: 'select * from v' },
    ];
  }),
  ...[
    ['', `select json_array(most_common_vals) as x ${ofMood}`, 'select 1'],
    [' in a view', 'select * from v', `select json_array(most_common_vals) as x ${ofMood}`],
  ].map(
    ([place = '', read = '', query = '']): BodyAttack => ({
      name: `statistics in a constructor of JSON${place}`,
      setup: `${toJson} ${view(query)}`,
      read,
      only: { min: 16 },
    }),
  ),
  {
    name: 'statistics by an operator',
    setup: `${toJson} create operator public.~~~~ (rightarg = anyarray, function = array_to_json);`,
    read: `select ~~~~ most_common_vals ${ofMood}`,
  },
  {
    name: 'statistics in a body, row by row',
    setup: toJson,
    body: "declare r record; begin for r in table pg_stats loop if r.tablename = 'm' then return row_to_json(r); end if; end loop; return 1; end",
  },
  ...[
    ['setof pg_stats', `select * ${ofMood}`],
    ['record', `select most_common_vals ${ofMood}`],
    ['pg_stats[]', `select array_agg(s) ${ofMood.replace('where', 's where')}`],
    ['public.wrapped', `select s ${ofMood.replace('where', 's where')}`],
  ].flatMap(([type = '', query = '']): BodyAttack[] => {
    const setup = `${toJson} create domain public.wrapped as pg_stats; create function public.g() returns ${type} language sql as $f$ ${query} $f$;`;
    return [
      { name: `statistics from a function that returns ${type}`, setup, read: 'select to_json(g())' },
      {
        name: `statistics from a function that returns ${type}, in a view`,
        setup: `${setup} ${view('select to_json(g()) as x')}`,
        read: 'select * from v',
      },
    ];
  }),
  {
    name: 'a default of a column that was added, as JSON',
    prepare: `${toJson} create table public.added (x int); insert into added values (1); alter table added add y mood default 'sad'`,
    read: "select json_agg(attmissingval) from pg_attribute where attrelid = 'added'::regclass",
  },
  {
    name: 'statistics that a function in standard SQL compares',
    prepare: `${ordered} create function public.g() returns int language sql
      begin atomic select max(most_common_vals) from pg_stats where tablename = 'c'; select 1; end`,
    read: 'select g()',
    only: { min: 14 },
  },
];

const ordering = (type: string, name: string) =>
  `create function public.${name}(${type}, ${type}) returns int language plpgsql immutable as`;

const boxes = (method: string) => `${ordering('box', 'cmp')} $f$ begin perform ${act}; return 1; end $f$;
  create operator class public.boxes for type box using ${method} as operator 1 <<, operator 3 ~=, operator 5 >>, function 1 cmp(box, box);
  create table public.b (b box); insert into b values ('(1,1),(2,2)'), ('(1,1),(3,3)')`;

const classes: BodyAttack[] = [
  {
    name: 'a class for operators of the server that only its indexes of another kind know',
    prepare: boxes('btree'),
    read: 'select * from b order by b using <<',
  },
  {
    name: 'a class of an access method that is B-tree by another name',
    prepare: `create access method mine type index handler bthandler; ${boxes('mine')}`,
    read: 'select * from b order by b using <<',
    undo: 'drop access method mine cascade',
    only: { min: 18 },
  },
  {
    name: 'a hash class for a type of the server that has none, in a long list',
    prepare: `create function public.hash(money) returns int language plpgsql immutable as $f$ begin perform ${act}; return 1; end $f$;
      create operator class public.monies for type money using hash as operator 1 =, function 1 hash(money);
      create table public.b (b money); insert into b values (1), (2)`,
    read: `select * from b where b in (${Array.from({ length: 12 }, (_, i) => `'${i}'`).join(', ')})`,
  },
  {
    name: 'a class for operators of the server that it sorts nothing by',
    prepare: `${ordering('box', 'cmp')} $f$ begin perform ${act}; return 1; end $f$;
      create operator class public.boxes for type box using btree as operator 1 <, operator 3 =, operator 5 >, function 1 cmp(box, box);
      create table public.b (b box); insert into b values ('(1,1),(2,2)'), ('(1,1),(3,3)')`,
    read: 'select * from b order by b using <',
  },
  {
    name: 'a join through an index of a family with a function for another type',
    prepare: `${ordering('bigint', 'cmp')} $f$ begin perform ${act}; return 0; end $f$;
      create function public.lt(bigint, bigint) returns boolean language sql immutable as 'select $1 < $2';
      create operator public.<# (leftarg = bigint, rightarg = bigint, function = lt);
      create operator class public.ints for type int using btree as operator 1 <, operator 3 =, operator 5 >, function 1 btint4cmp(int, int);
      alter operator family public.ints using btree add operator 1 <# (bigint, bigint), operator 3 = (int, bigint),
        operator 3 = (bigint, int), operator 3 = (bigint, bigint), function 1 (int, bigint) btint48cmp(int, bigint),
        function 1 (bigint, int) btint84cmp(bigint, int), function 1 (bigint, bigint) cmp(bigint, bigint);
      create table public.a (a int); insert into a select i from generate_series(1, 20000) i; create index on a (a ints); analyze a;
      create table public.b (b bigint); insert into b select i % 20000 from generate_series(1, 20000) i; analyze b;
      alter database proof_bodies set enable_hashjoin = off; alter database proof_bodies set enable_nestloop = off;
      alter database proof_bodies set enable_seqscan = off`,
    read: 'select count(*) from a join b on a = b',
    undo: 'alter database proof_bodies reset all',
  },
  {
    name: 'a type that a family has no class for',
    prepare: `create type public.a as enum ('x'); create type public.b as enum ('x');
      ${['a,a', 'b,b', 'a,b']
        .map(
          (
            types,
            i,
          ) => `create function public.eq${i}(${types}) returns boolean language sql immutable as 'select $1::text = $2::text';
            create function public.lt${i}(${types}) returns boolean language sql immutable as 'select $1::text < $2::text';
            create function public.cmp${i}(${types}) returns int language plpgsql immutable as
              $f$ begin ${i === 1 ? `perform ${act};` : ''} return 0; end $f$;
            create operator public.=${'='.repeat(i + 1)} (leftarg = ${types.slice(0, 1)}, rightarg = ${types.slice(2)}, function = eq${i}, merges);
            create operator public.<${'<'.repeat(i + 1)} (leftarg = ${types.slice(0, 1)}, rightarg = ${types.slice(2)}, function = lt${i});`,
        )
        .join(' ')}
      create operator class public.ab for type a using btree as operator 1 <<, operator 3 ==, function 1 cmp0(a, a);
      alter operator family public.ab using btree add operator 1 <<< (b, b), operator 3 === (b, b), function 1 (b, b) cmp1(b, b),
        operator 3 ==== (a, b), function 1 (a, b) cmp2(a, b);
      create table public.t1 (a a); create table public.t2 (b b); insert into t1 select 'x' from generate_series(1, 3000);
      insert into t2 select 'x' from generate_series(1, 3000); analyze t1; analyze t2`,
    read: 'select count(*) from t1 join t2 on a ==== b',
  },
];

const ownPath = `create schema x; create function x.eq(oid, oid) returns boolean language plpgsql as $f$ begin perform ${act}; return true; end $f$;
  create operator x.= (leftarg = oid, rightarg = oid, function = x.eq); create view public.v as select 1 as a;`;
const partitioned = `create function public.eq(int, int) returns boolean language plpgsql immutable as $f$ begin perform ${act}; return $1 = $2; end $f$;
  create operator public.=== (leftarg = int, rightarg = int, function = eq);
  create operator class public.ints for type int using btree as operator 1 <, operator 2 <=, operator 3 ===, operator 4 >=, operator 5 >,
    function 1 btint4cmp(int, int);
  create table public.p (a int, b int) partition by range (a ints, b ints); create table part partition of p for values from (1, 1) to (1, 5)`;

/** Functions of the server that run what a name or a number leads them to. */
const led: BodyAttack[] = [
  ...[
    ['SQL', "sql set search_path = x, pg_catalog as 'select pg_get_viewdef(o)'"],
    ['PL/pgSQL', 'plpgsql set search_path = x, pg_catalog as $f$ begin return pg_get_viewdef(o); end $f$'],
  ].map(
    ([language = '', rest = '']): BodyAttack => ({
      name: `an operator in the path of a function in ${language} that asks for a view`,
      setup: `${ownPath} create function public.g(o oid) returns text language ${rest};`,
      read: "select g('v'::regclass)",
    }),
  ),
  {
    name: 'an operator in the path of a function that joins texts, where the server qualifies it not yet',
    prepare: `create or replace function pg_catalog.textanycat(text, anynonarray) returns text language sql stable strict parallel safe
      as 'select $1 || $2::pg_catalog.text'`,
    setup: `create schema x; create function x.cat(text, text) returns text language plpgsql as $f$ begin perform ${act}; return ''; end $f$;
      create operator x.|| (leftarg = text, rightarg = text, function = x.cat); create view public.v as select 'a'::text || a as c
      from generate_series(1, 2) a; create function public.g() returns setof text language sql set search_path = x, pg_catalog
      as 'select c from public.v';`,
    read: 'select g()',
    undo: `create or replace function pg_catalog.textanycat(text, anynonarray) returns text language sql stable strict parallel safe
      as 'select $1 operator(pg_catalog.||) $2::pg_catalog.text'`,
  },
  {
    name: 'the key of a partition',
    prepare: partitioned,
    read: "select pg_get_partition_constraintdef(oid) from pg_class where relname = 'part'",
  },
  {
    name: 'the key of a partition, in a view',
    prepare: `${partitioned}; create view public.v as select pg_get_partition_constraintdef(oid) from pg_class where relname = 'part'`,
    read: 'select * from v',
  },
  {
    name: 'the input of a domain of the server',
    prepare: `alter domain information_schema.cardinal_number add constraint mine check (${act} = 1) not valid`,
    read: "select pg_input_is_valid('5', 'information_schema.cardinal_number')",
    undo: 'alter domain information_schema.cardinal_number drop constraint mine',
    only: { min: 16 },
  },
  {
    name: 'the binary output of a type of the server',
    prepare: `create function public.send(int) returns bytea language plpgsql as $f$ begin perform ${act}; return ''; end $f$;
      alter type pg_catalog.int4 set (send = public.send)`,
    read: 'select record_send(row(5))',
    undo: 'alter type pg_catalog.int4 set (send = int4send)',
  },
];

/** A vertical tab is part of a name before version 17. */
const tabs: BodyAttack[] = [
  ['public."\vt"', "'\vt'"],
  ['public."t\v"', "'t\v'"],
  ['"public\v".t', "'public\v.t'"],
].map(
  ([name = '', text = '']): BodyAttack => ({
    name: `a vertical tab in the name of a table: ${JSON.stringify(text)}`,
    setup: `create schema "public\v"; create table public.t (a int); grant all on t to public; create function public.e() returns int
      language plpgsql as $f$ begin return ${act}; end $f$; create view ${name} as select public.e(); grant all on ${name} to public;`,
    read: `select table_to_xml(${text}, true, true, '')`,
    only: { max: 16 },
  }),
);

export const unrecordedAttacks: readonly BodyAttack[] = [
  ...states,
  ...casts,
  ...castsElsewhere,
  ...filled,
  ...statistics,
  ...classes,
  ...led,
  ...tabs,
];
