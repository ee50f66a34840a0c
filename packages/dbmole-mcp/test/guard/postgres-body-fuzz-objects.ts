import type { Code, ProgramWriter } from './postgres-body-fuzz-statements.ts';
import { quoteText, spellName, writeOddName } from './postgres-body-fuzz-texts.ts';
import type { SeededRandom } from './seeded-random.ts';

const signs = '~!@#%^&|';

export function writeView(writer: ProgramWriter, depth: number): string {
  const v = writer.name('v');
  writer.add(`create view ${v} as select ${writer.act(depth)} as x`);
  writer.add(`grant select on ${v} to public`);
  return `(select x from ${v})`;
}

export function writeOperator(writer: ProgramWriter, depth: number): string {
  const sign = [0, 1, 2, 3, 4].map((place) => signs[Math.floor(writer.number / 8 ** place) % 8]).join('');
  const symbol = `@${sign}${signs[writer.count() % 8]}&`;
  const isPrefix = writer.random.oneIn(3);
  const f = writer.newFunction(isPrefix ? 'a int' : 'a int, b int', depth);
  writer.add(`create operator ${symbol} (${isPrefix ? '' : 'leftarg = int, '}rightarg = int, function = ${f})`);
  return isPrefix ? `(${symbol} 1)` : `(1 ${writer.random.oneIn(3) ? `operator(public.${symbol})` : symbol} 2)`;
}

export function createType(writer: ProgramWriter): string {
  const type = writer.name('k');
  writer.add(`create type ${type} as (a int)`);
  return type;
}

export function writeCastCall(writer: ProgramWriter, depth: number): string {
  const type = createType(writer);
  const context = writer.random.pick(['', 'as assignment', 'as implicit']);
  writer.add(`create cast (${type} as boolean) with function ${writer.newFunction(type, depth)}(${type}) ${context}`);
  return context === '' ? `(row(1)::${type})::boolean` : `(case when row(1)::${type} then true else false end)`;
}

/** A type of rows that assignments turn into numbers. */
export function createAssignmentCast(writer: ProgramWriter, depth: number): string {
  const type = createType(writer);
  const f = writer.name('f');
  const act = `case when ${writer.act(depth)} then 1 else 0 end`;
  writer.add(`create function ${f}(${type}) returns int language plpgsql as ${quoteText(`begin return ${act}; end`)}`);
  writer.add(`create cast (${type} as int) with function ${f}(${type}) as ${writer.random.pick(['assignment', 'implicit'])}`);
  return type;
}

export function createDomain(writer: ProgramWriter, depth: number): string {
  const { random } = writer;
  const d = writePlace(writer, writeOddName(random, writer.name('d')), (name) => `create domain ${name} as int`);
  const check = random.oneIn(2) ? `${writer.newFunction('x int', depth)}(value)` : `value > -9 and ${writer.leaf(true)}`;
  writer.add(`create domain ${d} as int check ((${check}) is not null)`);
  if (!random.oneIn(4)) return d;
  const outer = writer.name('d');
  writer.add(`create domain ${outer} as ${d}`);
  return outer;
}

export function writeDomain(writer: ProgramWriter, depth: number): string {
  const d = createDomain(writer, depth);
  const f = writer.name('f');
  const ways = [
    () => `(1::${d} is not null)`,
    () => `(cast('1' as ${d}) > 0)`,
    () => `('{1}'::${d}[] is not null)`,
    () => {
      writer.add(`create function ${f}(x ${d}) returns boolean language plpgsql as 'begin return true; end'`);
      return `${f}(1)`;
    },
    () => {
      writer.add(`create function ${f}() returns ${d} language plpgsql as 'begin return 1; end'`);
      return `(${f}() > 0)`;
    },
    () => {
      writer.add(`create function ${f}(out x ${d}) language plpgsql as 'begin x := 1; end'`);
      return `(${f}() > 0)`;
    },
    () => {
      writer.add(`create function ${f}() returns setof ${d} language sql as 'select 1'`);
      return `((select count(x) from ${f}() x) > 0)`;
    },
    () => {
      writer.add(`create function ${f}() returns table (x ${d}) language plpgsql as 'begin x := 1; return next; end'`);
      return `((select count(x) from ${f}() x) > 0)`;
    },
  ] as const;
  return writer.random.pick<() => string>([ways[0], ...ways])();
}

/** Perhaps in a schema of its own, where what the name alone means is harmless. */
function writePlace(writer: ProgramWriter, name: string, createHarmless: (name: string) => string): string {
  if (!writer.random.oneIn(8)) return name;
  const s = writer.name('s');
  writer.add(`create schema ${s}; grant usage on schema ${s} to public; ${createHarmless(name)}`);
  return `${s}.${name}`;
}

/** A type of rows with a domain in it. */
export function createRow(writer: ProgramWriter, depth: number): string {
  const { random } = writer;
  const t = writePlace(writer, writeOddName(random, writer.name('t')), (name) => `create type ${name} as (c int)`);
  const d = spellName(random, createDomain(writer, depth));
  writer.add(random.oneIn(2) ? `create type ${t} as (c ${d})` : `create table ${t} (c ${d})`);
  return t;
}

export function writeRow(writer: ProgramWriter, depth: number): string {
  const type = spellName(writer.random, createRow(writer, depth));
  if (writer.random.oneIn(6)) return writePolymorphic(writer, type);
  return writer.random.pick([
    `(json_populate_record(null::${type}, '{"c": 1}') is not null)`,
    `((select count(q) from jsonb_populate_recordset(null::${type}, '[{"c": 1}]') q) > 0)`,
    `('(1)'::${type} is not null)`,
    `(row(1)::${type} is not null)`,
    `(row('1')::${type} is not null)`,
  ]);
}

/** What it does depends on what it is called with, so it is refused wherever some type is harmful. */
function writePolymorphic(writer: ProgramWriter, type: string): string {
  const p = writer.name('p');
  const body = 'declare y alias for $1; begin y := row(1); return y; end';
  writer.add(`create function ${p}(anyelement) returns anyelement language plpgsql as ${quoteText(body)}`);
  writer.computes();
  return `(${p}(null::${type}) is not null)`;
}

/** A write that a rule turns into something else, or adds something to. */
export function writeRule(writer: ProgramWriter, depth: number): Code {
  const { random } = writer;
  const [t, r] = [writer.name('t'), writer.name('r')];
  writer.add(random.oneIn(2) ? `create table ${t} (c int)` : `create view ${t} as select id as c from item`);
  const event = random.pick(['insert', 'update', 'delete'] as const);
  writer.add(
    `create rule ${r} as on ${event} to ${t} do ${random.pick(['also', 'instead'])} select ${writer.newFunction('', depth)}()`,
  );
  const writes = { insert: `insert into ${t} values (1)`, update: `update ${t} set c = 1`, delete: `delete from ${t}` };
  const write = random.oneIn(4) ? `execute ${quoteText(writes[event])}` : writes[event];
  return { text: `begin ${write}; exception when others then null; end;` };
}

/** A function that runs with the rights of the superuser, and finds another function than its author meant. */
export function writePlanted(writer: ProgramWriter, depth: number): Code {
  const { random } = writer;
  const [f, q, s] = [writer.name('f'), writer.name('q'), writeSchema(random, writer.name('s'))];
  writer.add(`create schema ${s}; grant usage on schema ${s} to public`);
  writer.add(`create function ${q}(text) returns boolean language sql as 'select true'`);
  writer.add(
    `create function ${s}.${q}(text) returns boolean language sql as 'select public.${writer.newFunction('', depth)}()'`,
  );
  const path = `search_path = ${s}, pg_catalog, public`;
  const own = writer.setting !== 'planter' && random.oneIn(2) ? `set ${path}` : '';
  // The server checks one in SQL when it is made, with the path that is in force then.
  const language =
    own !== '' && random.oneIn(2) ? ['sql', `select ${q}('x'::text)`] : ['plpgsql', `begin return ${q}('x'::text); end`];
  writer.add(
    `create function ${f}() returns boolean language ${language[0]} security definer ${own} as ${quoteText(language[1] ?? '')}`,
  );
  if (own !== '') return { text: `perform ${f}();` };
  writer.computes();
  return { text: `set local ${path}; perform public.${f}(); set local search_path = public;` };
}

export function writeAggregate(writer: ProgramWriter, depth: number): string {
  const [a, step] = [writer.name('a'), writer.newFunction('state boolean, x int', depth)];
  writer.add(`create aggregate ${a}(int) (sfunc = ${step}, stype = boolean)`);
  return `(select ${a}(id) ${writer.random.oneIn(3) ? 'over () ' : ''}from item limit 1)`;
}

export function writeField(writer: ProgramWriter, depth: number): string {
  const type = createType(writer);
  return `((row(1)::${type}).${writer.newFunction(type, depth)})`;
}

export function writeDefaultArgument(writer: ProgramWriter, depth: number): string {
  const g = writer.name('g');
  writer.add(
    `create function ${g}(x boolean default ${writer.newFunction('', depth)}()) returns boolean language sql as 'select x'`,
  );
  return `${g}()`;
}

function writeSchema(random: SeededRandom, name: string): string {
  return random.pick([name, `"${name}"`, `"${name.toUpperCase()}"`, `"${name},x"`, `"${name}""x"`, `"${name} x"`]);
}

type WriteTyped = (x: string, type: string) => Code;

/** Places where a number becomes a value of a domain, and nothing says so but the type of a variable. */
const coercions: readonly [WriteTyped, ...WriteTyped[]] = [
  (x, type) => ({ declare: `${x} ${type};`, text: `${x} := 1;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `select 1 into ${x};` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `execute 'select 1' into ${x};` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `for ${x} in select 1 loop null; end loop;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `foreach ${x} in array array[1, 2] loop exit; end loop;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `get diagnostics ${x} = row_count;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `perform 1; get current diagnostics ${x} := row_count;` }),
  (x, type) => ({ declare: `${x} refcursor; ${x}y ${type};`, text: `open ${x} for select 1; fetch ${x} into ${x}y;` }),
  (x, type) => ({ declare: `${x} ${type}[];`, text: `${x}[1] := 1;` }),
  (x, type) => ({ declare: `${x} ${type}[];`, text: `${x} := '{1}';` }),
  (x, type) => ({ declare: `${x} ${type.includes('.') ? '' : 'public.'}${type};`, text: `${x} = 1;` }),
  (x, type) => ({ text: `declare ${x} ${type} := 1; begin null; end;` }),
  (x, type) => ({ text: `declare ${x} ${type} not null default 1; begin null; end;` }),
  (x, type) => ({ text: `declare ${x} ${type}; ${x}y ${x}%type; begin ${x}y := 1; end;` }),
  (x, type) => ({ text: `declare ${x} cursor (y ${type}) for select y; begin open ${x}(1); end;` }),
  (x, type) => ({ text: `declare ${x} record; begin select null::${type} as y into ${x}; ${x}.y := 1; end;` }),
  (x, type) => ({ text: `declare ${x} record; begin ${x} := row(1::${type}); end;` }),
  (_, type) => ({ text: `perform 1::${type};` }),
  (_, type) => ({ text: `perform cast('1' as ${type});` }),
  (_, type) => ({ text: `perform '{1}'::${type}[];` }),
  (_, type) => ({ text: `perform * from jsonb_to_recordset('[{"y": 1}]') as z (y ${type});` }),
  (_, type) => ({ text: `perform y from json_to_record('{"y": 1}') as z (y ${type});` }),
  (_, type) => ({ text: `execute 'select 1::${type}';` }),
];

/** The same for a type of rows with such a value `c`. */
const rowCoercions: readonly [WriteTyped, ...WriteTyped[]] = [
  (x, type) => ({ declare: `${x} ${type};`, text: `${x}.c := 1;` }),
  (x, type) => ({ declare: `${x} ${type}%rowtype;`, text: `${x}.c := 1;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `${x} := row(1);` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `select 1 into ${x};` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `select 1 into ${x}.c;` }),
  (x, type) => ({ declare: `${x} ${type}.c%type;`, text: `${x} := 1;` }),
  (x, type) => ({ declare: `${x} ${type}[];`, text: `${x}[1] := row(1);` }),
  (x, type) => ({ declare: `${x} ${type}[];`, text: `${x}[1].c := 1;` }),
  (x, type) => ({ declare: `${x} record;`, text: `${x} := null::${type}; ${x}.c := 1;` }),
  (x, type) => ({ text: `declare ${x} ${type} := row(1); begin null; end;` }),
  (x, type) => ({ text: `declare ${x} cursor (y ${type}) for select y; begin open ${x}(row(1)); end;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `for ${x} in select 1 loop null; end loop;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `${x} := jsonb_populate_record(${x}, '{"c": 1}');` }),
  (_, type) => ({ text: `perform '(1)'::${type};` }),
];

export function writeRowCoercion(writer: ProgramWriter, type: string): Code {
  return writer.random.pick(rowCoercions)(writer.name('x'), spellName(writer.random, type));
}

export function writeCoercion(writer: ProgramWriter, type: string): Code {
  return writer.random.pick(coercions)(writer.name('x'), spellName(writer.random, type));
}

/** A type of rows with a cast to a number or boolean that only assignments apply. */
const casts: readonly [WriteTyped, ...WriteTyped[]] = [
  (x, type) => ({ declare: `${x} ${type}; ${x}y int;`, text: `${x} := row(1); ${x}y := ${x};` }),
  (x, type) => ({ declare: `${x} ${type}; ${x}y item.id%type;`, text: `${x} := row(1); ${x}y := ${x};` }),
  (x, type) => ({ declare: `${x} ${type}; ${x}y pair;`, text: `${x} := row(1); ${x}y.a := ${x};` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `${x} := row(1); for i in ${x}..2 loop null; end loop;` }),
  (x, type) => ({ declare: `${x} ${type};`, text: `${x} := row(1); perform (array[1, 2])[${x}];` }),
  (x, type) => ({ declare: `${x} ${type}; ${x}y record;`, text: `${x} := row(1); select 1 as a into ${x}y; ${x}y.a := ${x};` }),
  (x, type) => ({ declare: `${x} ${type}; ${x}y int;`, text: `${x}.a := 1; select ${x} as z into ${x}y;` }),
  (x, type) => ({ declare: `${x} ${type}; ${x}y int[];`, text: `${x} := row(1); ${x}y[1] := ${x};` }),
  (x, type) => ({
    declare: `${x} record;`,
    text: `select row(1)::${type} as z into ${x}; for i in 0..${x}.z loop null; end loop;`,
  }),
  (x, type) => ({ declare: `${x} ${type};`, text: `${x} := row(1); perform ${x}::int;` }),
  (x, type) => ({ text: `declare ${x} ${type} := row(1); ${x}y cursor (z int) for select z; begin open ${x}y(${x}); end;` }),
  (x, type) => ({
    declare: `${x} refcursor; ${x}y ${type};`,
    text: `${x}y := row(1); open ${x} scroll for select 1; fetch relative ${x}y from ${x} into ${x}y.a;`,
  }),
];

export function writeCast(writer: ProgramWriter, type: string): Code {
  return writer.random.pick(casts)(writer.name('x'), type);
}
