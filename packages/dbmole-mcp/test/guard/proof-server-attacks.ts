import { act, type BodyAttack } from './proof-body-attacks.ts';

/** What a superuser adds to objects of the server itself, on which it records no dependencies. */
const result = (name: string, of: string, value = 'null') =>
  `create function public.${name} returns ${of} language plpgsql immutable as $f$ begin perform ${act}; return ${value}; end $f$;`;

/** Casts between types of the server are used where nothing has a name. */
const nameless: BodyAttack[] = [
  ['numeric', 'bool', 'select 1 where 1.5'],
  ['numeric', 'bool', 'values (1.5 and true)'],
  ['bool', 'int8', 'select 1 limit true'],
].map(
  ([from = '', to = '', read = '']): BodyAttack => ({
    name: `a cast without a name: ${read}`,
    prepare: `${result(`cast_it(${from})`, to)} create cast (${from} as ${to}) with function cast_it(${from}) as assignment`,
    read,
    undo: `drop cast if exists (${from} as ${to})`,
  }),
);

const boxes = "create table public.b (b box); insert into b values ('(1,1),(2,2)'), ('(1,1),(3,3)')";
const floats = 'create table public.b (b float8); insert into b values (1), (2)';
const many = Array.from({ length: 12 }, (_, i) => `'${i}'`).join(', ');

interface Extended {
  readonly family: string;
  readonly type: string;
  readonly function: string;
  readonly parts: string;
  readonly dropped: string;
  readonly table: string;
  readonly read: string;
}

const extended = ({ family, type, function: made, parts, dropped, table, read }: Extended): BodyAttack => ({
  name: `the family ${family} with a function for ${type}`,
  prepare: `${made} alter operator family ${family} add ${parts}; ${table}`,
  read,
  undo: `alter operator family ${family} drop ${dropped}`,
});

const inside = (type: string, operators: readonly string[]) => ({
  type,
  function: result(`cmp(${type}, ${type})`, 'int', '1'),
  parts: `${operators.map((name, i) => `operator ${2 * i + 1} ${name} (${type}, ${type})`).join(', ')}, function 1 cmp(${type}, ${type})`,
  dropped: `operator 1 (${type}, ${type}), operator 3 (${type}, ${type}), operator 5 (${type}, ${type}), function 1 (${type}, ${type})`,
});

const families: BodyAttack[] = [
  extended({
    ...inside('box', ['<<', '~=', '>>']),
    family: 'integer_ops using btree',
    table: boxes,
    read: 'select * from b order by b using <<',
  }),
  extended({
    ...inside('float8', ['<', '=', '>']),
    family: 'array_ops using btree',
    table: floats,
    read: 'select * from b order by b',
  }),
  extended({
    family: 'integer_ops using hash',
    type: 'money',
    function: result('hash(money)', 'int', '1'),
    parts: 'operator 1 = (money, money), function 1 hash(money)',
    dropped: 'operator 1 (money, money), function 1 (money, money)',
    table: 'create table public.b (b money); insert into b values (1), (2)',
    read: `select * from b where b in (${many})`,
  }),
  extended({
    family: 'text_pattern_ops using btree',
    type: 'text, int',
    function: result('in_range(text, text, int, bool, bool)', 'bool', 'true'),
    parts: 'function 3 (text, int) public.in_range(text, text, int, bool, bool)',
    dropped: 'function 3 (text, int)',
    table: "create table public.b (b text); insert into b values ('1'), ('2')",
    read: 'select count(*) over (order by b using ~<~ range between 1 preceding and current row) from b',
  }),
  extended({
    family: 'array_ops using gin',
    type: 'anyarray, anyarray',
    function: result('cmp(int, int)', 'int', 'pg_catalog.btint4cmp($1, $2)'),
    parts: 'function 1 (anyarray, anyarray) public.cmp(int, int)',
    dropped: 'function 1 (anyarray, anyarray); drop table public.b cascade',
    table: `create table public.b (b int[]); insert into b values ('{4}'), ('{5}'); create index on b using gin (b);
      create function public.g() returns bigint language sql set enable_seqscan = off as 'select count(*) from b where b @> array[5]'`,
    read: 'select g()',
  }),
];

/** An untyped constant becomes the preferred type of a category. */
const preferred: BodyAttack = {
  name: 'a constant that becomes a preferred type',
  prepare: `create type public.own; create function public.own_in(cstring) returns own language internal immutable strict as 'textin';
    create function public.own_out(own) returns cstring language internal immutable strict as 'textout';
    create type public.own (input = own_in, output = own_out, like = text, category = 'U', preferred = true);
    ${result('macaddr8_set7bit(own)', 'int', '1')}`,
  read: "select macaddr8_set7bit('08:00:2b:01:02:03')",
};

const ordered = `${result('cmp(box, box)', 'int', '1')} ${boxes};
  create operator class public.boxes for type box using btree as operator 1 <<, operator 3 ~=, operator 5 >>, function 1 cmp(box, box);`;

/** Stored queries name operators of the server by their numbers. */
const stored: BodyAttack[] = [
  ['ORDER BY in a view', `${ordered} create view public.v as select * from b order by b using <<`, 'select * from v'],
  [
    'ORDER BY of an aggregate in a view',
    `${ordered} create view public.v as select array_agg(b order by b using <<) as x from b`,
    'select * from v',
  ],
  [
    'ORDER BY of a window in standard SQL',
    `${ordered} create function public.g() returns bigint language sql begin atomic select rank() over (order by b using >>) from b; end`,
    'select g()',
  ],
  [
    'a long list in a view',
    `${result('hash(money)', 'int', '1')} create operator class public.monies for type money using hash as operator 1 =, function 1 hash(money);
      create table public.b (b money); insert into b values (1), (2); create view public.v as select * from b where b in (${many})`,
    'select * from v',
  ],
].map(([name = '', prepare = '', read = '']): BodyAttack => ({ name: `an operator of the server: ${name}`, prepare, read }));

const rows = '(values (1), (2)) x (a)';
const sum = `${result('step(bigint, int)', 'bigint', '1')}`;
const replacedSum = 'create or replace aggregate pg_catalog.sum(int4) (sfunc = public.step, stype = bigint)';

const aggregates: BodyAttack[] = [
  ...[
    [`create view public.v as select sum(a) as x from ${rows}`, 'select * from v'],
    [`create view public.v as select sum(a) over () as x from ${rows}`, 'select * from v'],
    [`create function public.g() returns bigint language sql begin atomic select sum(a) from ${rows}; end`, 'select g()'],
  ].map(
    ([query = '', read = '']): BodyAttack => ({
      name: `an aggregate that was replaced: ${query.slice(0, 56)}`,
      prepare: `${sum} ${query}; ${replacedSum}`,
      read,
      undo: `create or replace aggregate pg_catalog.sum(int4) (sfunc = int4_sum, stype = bigint, msfunc = int4_avg_accum,
        minvfunc = int4_avg_accum_inv, mstype = _int8, minitcond = '{0,0}', mfinalfunc = int2int4_sum)`,
    }),
  ),
  ...[`select json_arrayagg(a) from ${rows}`, `select json_array(select a from ${rows})`].map(
    (read): BodyAttack => ({
      name: `an aggregate behind a word of the grammar: ${read}`,
      prepare: `${result('step(int, anyelement)', 'int', '1')} create function public.finish(int) returns json language sql as $f$ select json '1' $f$;
        create or replace aggregate pg_catalog.json_agg_strict(anyelement) (sfunc = public.step, stype = int, finalfunc = public.finish)`,
      read,
      undo: `create or replace aggregate pg_catalog.json_agg_strict(anyelement)
        (sfunc = json_agg_strict_transfn, stype = internal, finalfunc = json_agg_finalfn)`,
      only: { min: 16 },
    }),
  ),
];

const sent = `create type public.own; create function public.own_in(cstring) returns own language internal immutable strict as 'int4in';
  create function public.own_out(own) returns cstring language internal immutable strict as 'int4out';
  create type public.own (input = own_in, output = own_out, like = int4); ${result('send(own)', 'bytea')} alter type own set (send = send);
  create function public.cmp(own, own) returns int language internal immutable strict as 'btint4cmp';
  ${['lt', 'eq']
    .map((name) => `create function public.${name}(own, own) returns bool language internal immutable strict as 'int4${name}';`)
    .join(' ')}
  create operator public.< (leftarg = own, rightarg = own, function = lt); create operator public.= (leftarg = own, rightarg = own, function = eq);
  create operator class public.owns default for type own using btree as operator 1 <, operator 3 =, function 1 cmp(own, own);
  create table public.t (o own); insert into t select '5' from generate_series(1, 9); insert into t values ('6'); analyze t;`;

const sentStatistics: BodyAttack[] = [
  ['select array_send(most_common_vals)', 14],
  ['select record_send(s)', 14],
  ['select (most_common_vals).anyarray_send', 14],
  ['explain (analyze, serialize binary) select most_common_vals', 17],
].map(
  ([read, min]): BodyAttack => ({
    name: `statistics as bytes: ${read}`,
    prepare: sent,
    read: `${read} from pg_stats s where tablename = 't'`,
    only: { min: Number(min) },
  }),
);

export const serverAttacks: readonly BodyAttack[] = [
  preferred,
  ...nameless,
  ...families,
  ...stored,
  ...aggregates,
  ...sentStatistics,
];
