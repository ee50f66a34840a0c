import { computeText, literals, quoteText, writeText } from './postgres-body-fuzz-texts.ts';
import type { SeededRandom } from './seeded-random.ts';

/** A part of a PL/pgSQL body. */
export interface Code {
  readonly declare?: string;
  readonly text: string;
}

/** The program that is being written. */
export interface ProgramWriter {
  readonly random: SeededRandom;
  /** The statement of the program. */
  readonly number: number;
  readonly setting: 'superuser' | 'reader' | 'planter';
  /** A name that no other program has. */
  name(prefix: string): string;
  /** A statement to run before the program. */
  add(sql: string): void;
  /** From now on the program does what its text does not tell, or not to everyone. */
  computes(): void;
  /** Goes up by one. */
  count(): number;
  /** An expression of type boolean with the effect in it. */
  act(depth: number): string;
  /** The effect itself; simple: without a subquery. */
  leaf(isSimple?: boolean): string;
  /** The name of a new function of these arguments that gives a boolean and has the effect. */
  newFunction(args: string, depth: number): string;
}

type Write = (writer: ProgramWriter, expression: string) => Code;

const withValue =
  (write: (x: string, expression: string) => string, type = 'boolean'): Write =>
  (writer, expression) => {
    const x = writer.name('x');
    return { declare: `${x} ${type};`, text: write(x, expression) };
  };

const withCursor =
  (declare: (c: string, e: string) => string, text: (c: string, x: string, e: string) => string): Write =>
  (writer, e) => {
    const [c, x] = [writer.name('c'), writer.name('x')];
    return { declare: `${declare(c, e)}; ${x} boolean;`, text: text(c, x, e) };
  };

const plain =
  (write: (expression: string) => string): Write =>
  (_, expression) => ({ text: write(expression) });

/** Places for an expression of type boolean, all of which the server computes. */
const statements: readonly [Write, ...Write[]] = [
  plain((e) => `perform ${e};`),
  plain((e) => `perform 1 where ${e};`),
  plain((e) => `perform ${e} from item where id = 1;`),
  plain((e) => `perform count(*) from generate_series(0, (${e})::int);`),
  plain((e) => `perform (array[1, 2])[(${e})::int];`),
  plain((e) => `if ${e} then null; end if;`),
  plain((e) => `if not ${e} then perform 1; else null; end if;`),
  plain((e) => `if false then null; elsif ${e} then null; else null; end if;`),
  plain((e) => `while ${e} loop exit; end loop;`),
  plain((e) => `loop exit when (${e}) is not null; end loop;`),
  plain((e) => `case ${e} when true then null; else null; end case;`),
  plain((e) => `case true when false then null; when ${e} then null; else null; end case;`),
  plain((e) => `case when ${e} then null; else null; end case;`),
  plain((e) => `for i in 0..(${e})::int loop null; end loop;`),
  plain((e) => `for i in reverse 1..0 by (${e})::int + 1 loop null; end loop;`),
  plain((e) => `raise debug '% %', 1, ${e};`),
  plain((e) => `assert (${e}) is not null, 'x';`),
  plain((e) => `begin assert false, (${e})::text; exception when assert_failure then null; end;`),
  plain((e) => `begin raise exception using message = (${e})::text; exception when others then null; end;`),
  plain((e) => `begin perform 1 / 0; exception when division_by_zero then perform ${e}; end;`),
  plain((e) => `begin raise 'x'; exception when others then if ${e} then null; end if; end;`),
  plain((e) => `begin perform ${e}; raise 'x'; exception when others then null; end;`),
  plain((e) => `execute 'select $1' using ${e};`),
  plain((e) => `raise debug using message = 'x', hint = 'y', column = (${e})::text;`),
  plain((e) => `begin raise sqlstate '22012' using table = (${e})::text; exception when others then null; end;`),
  plain((e) => `for i in 1..2 loop continue when ${e}; end loop;`),
  (writer, e) => {
    writer.computes();
    const create = `explain analyze create table never as select ${e}`;
    return { text: `begin execute ${quoteText(create)}; exception when others then null; end;` };
  },
  plain((e) => `execute 'select $1, $2' using 1, ${e};`),
  withValue((x, e) => `${x} := ${e};`),
  withValue((x, e) => `${x} = ${e};`),
  withValue((x, e) => `${x}[(${e})::int] := true;`, 'boolean[]'),
  withValue((x, e) => `${x} := array[${e}];`, 'boolean[]'),
  withValue((x, e) => `${x} := row(1, ${e});`, 'record'),
  withValue((x, e) => `${x}.a := (${e})::int;`, 'pair'),
  withValue((x, e) => `${x} := ((${e})::int, 2);`, 'pair'),
  withValue((x, e) => `${x}.name := (${e})::text;`, 'item%rowtype'),
  withValue((x, e) => `${x} := (${e})::text;`, 'item.name%type'),
  withValue((x, e) => `${x} := (${e})::text;`, 'text collate "C"'),
  withValue((x, e) => `select ${e} into ${x};`),
  withValue((x, e) => `select into strict ${x} ${e};`),
  withValue((x, e) => `select 1 as a, ${e} as b into ${x};`, 'record'),
  withValue((x, e) => `select (${e})::int, 1 into ${x}.a, ${x}.b;`, 'pair'),
  withValue((x, e) => `with w as (select ${e} as y) select y into ${x} from w;`),
  withValue((x, e) => `with w as materialized (select ${e} as y) select 1 from w into ${x};`, 'int'),
  withValue((x, e) => `${x} := (select y from (select ${e} as y) q);`),
  withValue((x, e) => `execute 'select $1' into ${x} using ${e};`),
  withValue((x, e) => `for ${x} in select ${e} as y loop null; end loop;`, 'record'),
  withValue((x, e) => `for ${x} in execute 'select $1' using ${e} loop null; end loop;`),
  withValue((x, e) => `open ${x} for execute 'select $1' using ${e};`, 'refcursor'),
  withValue((x, e) => `for ${x} in values (${e}) loop exit; end loop;`),
  withValue((x, e) => `for ${x} in explain analyze select ${e} loop null; end loop;`, 'text'),
  withValue((x, e) => `foreach ${x} in array array[true, ${e}] loop continue; end loop;`),
  withValue((x, e) => `foreach ${x} slice 1 in array array[[${e}]] loop null; end loop;`, 'boolean[]'),
  withCursor(
    (c, e) => `${c} cursor for select ${e}`,
    (c, x) => `open ${c}; fetch ${c} into ${x}; close ${c};`,
  ),
  withCursor(
    (c, e) => `${c} no scroll cursor is select ${e} from item`,
    (c, x) => `for r in ${c} loop ${x} := true; end loop;`,
  ),
  withCursor(
    (c) => `${c} cursor (y boolean) for select y`,
    (c, _, e) => `open ${c}(${e}); move ${c};`,
  ),
  withCursor(
    (c) => `${c} cursor (a int, y boolean) for select y`,
    (c, x, e) => `open ${c}(y := ${e}, a := 1); fetch next from ${c} into ${x};`,
  ),
  withCursor(
    (c) => `${c} cursor (y boolean) for select y`,
    (c, x, e) => `for r in ${c}(${e}) loop ${x} := true; end loop;`,
  ),
  withCursor(
    (c) => `${c} refcursor`,
    (c, x, e) => `open ${c} for select ${e}; fetch first from ${c} into ${x};`,
  ),
  withCursor(
    (c) => `${c} scroll cursor for select true`,
    (c, x, e) => `open ${c}; fetch absolute (${e})::int from ${c} into ${x};`,
  ),
  withCursor(
    (c) => `${c} refcursor`,
    (c, _, e) => `open ${c} scroll for select 1 from item; move forward (${e})::int from ${c};`,
  ),
  writeLabelled,
  writeShadowing,
  writeDefault((x, e) => `${x} boolean := ${e};`),
  writeDefault((x, e) => `${x} constant boolean not null default ${e};`),
  writeDefault((x, e) => `${x} record = row(${e});`),
  writeDefault((x, e) => `${x} pair := ((${e})::int, 1);`),
  writeDefault((x, e) => `${x} item%rowtype := (1, (${e})::text);`),
  (writer, e) => {
    const p = writer.name('p');
    writer.add(`create procedure ${p}(x boolean, inout y int default 1) language plpgsql as 'begin null; end'`);
    const y = writer.name('y');
    return { declare: `${y} int;`, text: `call ${p}(${e}, ${y});` };
  },
  (writer, e) => {
    const p = writer.name('p');
    writer.add(`create procedure ${p}() language plpgsql as ${quoteText(`begin perform ${e}; end`)}`);
    return { text: `call ${p}();` };
  },
];

function writeLabelled(writer: ProgramWriter, expression: string): Code {
  const [b, x] = [writer.name('b'), writer.name('x')];
  return { text: `<<${b}>> declare ${x} boolean; begin ${b}.${x} := ${expression}; end ${b};` };
}

function writeShadowing(writer: ProgramWriter, expression: string): Code {
  const [b, x] = [writer.name('b'), writer.name('x')];
  const inner = `declare ${x} boolean := ${expression}; begin ${b}.${x} := 1; end;`;
  return { text: `<<${b}>> declare ${x} int; begin ${inner} end;` };
}

function writeDefault(declare: (x: string, expression: string) => string): Write {
  return (writer, expression) => ({ text: `declare ${declare(writer.name('x'), expression)} begin null; end;` });
}

export function writeStatement(writer: ProgramWriter, expression: string): Code {
  return writer.random.pick(statements)(writer, expression);
}

type WriteDynamic = (writer: ProgramWriter, text: string, sql: string) => Code;

const throughVariable =
  (text: (s: string, value: string) => string, type = 'text'): WriteDynamic =>
  (writer, value) => {
    const s = writer.name('s');
    return { declare: `${s} ${type};`, text: text(s, value) };
  };

/** Ways to run the SQL that an expression gives. */
const runs: readonly [WriteDynamic, ...WriteDynamic[]] = [
  (_, text) => ({ text: `execute ${text};` }),
  (_, text) => ({ text: `execute ${text} using 1;` }),
  throughVariable((s, value) => `execute ${value} into ${s};`, 'boolean'),
  throughVariable((s, value) => `for ${s} in execute ${value} loop null; end loop;`, 'record'),
  throughVariable((s, value) => `for ${s} in execute ${value} using 1, 2 loop exit; end loop;`),
  throughVariable((s, value) => `open ${s} for execute ${value}; move ${s};`, 'refcursor'),
  throughVariable((s, value) => `open ${s} for execute ${value} using 1; fetch ${s} into ${s};`, 'refcursor'),
  (_, text) => ({ text: `perform query_to_xml(${text}, true, false, '');` }),
  (writer, text) => {
    writer.computes();
    return { text: `perform query_to_xml_and_xmlschema(nulls => true, query => ${text}, tableforest => true, targetns => '');` };
  },
];

/** What is done to a text before it is run. */
const detours: readonly [WriteDynamic, ...WriteDynamic[]] = [
  throughVariable((s, value) => `${s} := ${value}; execute ${s};`),
  throughVariable((s, value) => `select ${value} into ${s}; execute ${s};`),
  throughVariable((s, value) => `${s} := ${value}; perform query_to_xml(${s}, true, false, '');`),
  throughVariable((s, value) => `${s}[1] := ${value}; execute ${s}[1];`, 'text[]'),
  throughVariable((s, value) => `${s}.name := ${value}; execute ${s}.name;`, 'item'),
  throughVariable((s, value) => `for ${s} in select ${value} as q loop execute ${s}.q; end loop;`, 'record'),
  throughVariable((s, value) => `foreach ${s} in array array['select 1', ${value}] loop execute ${s}; end loop;`),
  throughVariable((s, value) => `execute 'select $1' into ${s} using ${value}; execute ${s};`),
  throughVariable((s, value) => `${s} := 'select 1'; ${s} := ${value}; execute ${s} || '';`),
  throughVariable(
    (s, value) => `open ${s} for execute 'select $1' using ${value}; fetch ${s} into ${s}; execute ${s}::text;`,
    'refcursor',
  ),
  (_, text) => ({ text: `begin raise exception '%', ${text}; exception when others then execute sqlerrm; end;` }),
  throughVariable(
    (s, value) =>
      `begin raise using message = 'x', hint = ${value}; exception when others then get stacked diagnostics ${s} = pg_exception_hint; execute ${s}; end;`,
  ),
  (writer, text) => {
    const [b, s] = [writer.name('b'), writer.name('s')];
    const inner = `declare ${s} text := ${text}; begin execute ${s}; end;`;
    return { text: `<<${b}>> declare ${s} text := 'select 1'; begin ${inner} end ${b};` };
  },
  (writer, text) => {
    const [b, s] = [writer.name('b'), writer.name('s')];
    const inner = `declare ${s} text := 'select 1'; begin execute ${b}.${s}; end;`;
    return { text: `<<${b}>> declare ${s} text := ${text}; begin ${inner} end ${b};` };
  },
  (writer, _, sql) => {
    const [c, s, x] = [writer.name('c'), writer.name('s'), writer.name('x')];
    const codes = [...sql].map((one) => one.charCodeAt(0)).join(', ');
    const loop = `foreach ${c} in array array[${codes}] loop ${s} := ${s} || chr(${c}); end loop;`;
    return { declare: `${c} int; ${s} text := ''; ${x} boolean;`, text: `${loop} execute ${s} into ${x};` };
  },
  (writer, _, sql) => {
    writer.add(`insert into script values (${writer.number}, ${quoteText(sql)})`);
    const where = `script where id = ${writer.number}`;
    const s = writer.name('s');
    return { declare: `${s} text;`, text: `select body into strict ${s} from ${where}; execute ${s};` };
  },
  (writer, _, sql) => {
    const t = writer.name('t');
    writer.add(`create function ${t}() returns text language sql immutable as ${quoteText(`select ${quoteText(sql)}::text`)}`);
    return { text: `execute ${t}();` };
  },
  (writer, _, sql) => {
    const t = writer.name('t');
    writer.add(`create function ${t}(x text) returns boolean language plpgsql as 'begin execute x; return true; end'`);
    return { text: `perform ${t}(${writeText(writer.random, sql)});` };
  },
  (writer, _, sql) => ({ text: `execute ${computeText(writer.random, `do ${quoteText(`begin perform (${sql}); end`)}`)};` }),
  (_, text) => ({ text: `set local standard_conforming_strings = off; execute ${text};` }),
  (_, text) => ({ text: `set local search_path = public, pg_catalog; execute ${text};` }),
];

/** Runs the SQL as a text. */
export function writeDynamic(writer: ProgramWriter, sql: string): Code {
  const { random } = writer;
  // One plain literal can be proved.
  if (random.oneIn(3)) return random.pick(runs)(writer, random.pick(literals)(random, sql), sql);
  writer.computes();
  if (random.oneIn(2)) return random.pick(runs)(writer, computeText(random, sql), sql);
  return random.pick(detours)(writer, writeText(random, sql), sql);
}
