import { createDomain, createType } from './postgres-body-fuzz-objects.ts';
import type { ProgramWriter } from './postgres-body-fuzz-statements.ts';
import { quoteText, writeText } from './postgres-body-fuzz-texts.ts';

/** Expressions of type boolean with an effect that comes from comparing, sorting or reading, where nothing calls a function. */
export function writeHidden(writer: ProgramWriter, depth: number): string {
  return writer.random.pick([
    writeComparison,
    writeSorting,
    writePolicy,
    writeIndex,
    writeTextView,
    writeBeginning,
    writeColumns,
  ])(writer, depth);
}

function writeComparison(writer: ProgramWriter, depth: number): string {
  const k = createType(writer);
  const f = writer.newFunction(`${k}, ${k}`, depth);
  const [sign, expression] = writer.random.pick<readonly [string, string]>([
    ['=', `row(1)::${k} = row(2)::${k}`],
    ['=', `row(1)::${k} in (row(2)::${k}, row(3)::${k})`],
    ['=', `row(1)::${k} is distinct from row(2)::${k}`],
    ['=', `nullif(row(1)::${k}, row(2)::${k}) is null`],
    ['=', `case row(1)::${k} when row(2)::${k} then true else false end`],
    ['=', `row(1)::${k} = any (array[row(2)::${k}])`],
    ['=', `row(1)::${k} in (select row(2)::${k})`],
    ['=', `(select count(*) >= 0 from (select row(1)::${k} as z) p join (select row(2)::${k} as z) q using (z))`],
    ['<=', `row(1)::${k} between row(2)::${k} and row(3)::${k}`],
    ['~~', `row(1)::${k} like row(2)::${k}`],
  ]);
  writer.add(`create operator ${sign} (leftarg = ${k}, rightarg = ${k}, function = ${f})`);
  if (sign === '<=') writer.add(`create operator >= (leftarg = ${k}, rightarg = ${k}, function = ${f})`);
  return `((${expression}) is not null)`;
}

/** A class of operators says how values of a type are sorted. */
function writeSorting(writer: ProgramWriter, depth: number): string {
  const k = createType(writer);
  const f = writer.name('f');
  const body = `begin if ${writer.act(depth)} then return 0; end if; return 0; end`;
  writer.add(`create function ${f}(${k}, ${k}) returns int language plpgsql immutable as ${quoteText(body)}`);
  writer.add(`create function ${f}l(${k}, ${k}) returns boolean language sql immutable as 'select false'`);
  for (const sign of ['<', '=']) writer.add(`create operator ${sign} (leftarg = ${k}, rightarg = ${k}, function = ${f}l)`);
  const operators = 'operator 1 <, operator 3 =';
  writer.add(`create operator class ${k}o default for type ${k} using btree as ${operators}, function 1 ${f}(${k}, ${k})`);
  const values = `(values (row(1)::${k}), (row(2)::${k})) v (z)`;
  return writer.random.pick([
    `((select count(z) from (select z from ${values} order by z) q) > 0)`,
    `((select count(distinct z) from ${values}) > 0)`,
    `((select array_agg(z order by z) from ${values}) is not null)`,
    `((select count(*) from (select z, rank() over (order by z) from ${values} offset 0) q) > 0)`,
  ]);
}

/** Not for superusers. */
function writePolicy(writer: ProgramWriter, depth: number): string {
  const t = writer.name('t');
  writer.add(`create table ${t} (c int); insert into ${t} values (1); grant select on ${t} to public`);
  writer.add(`create policy ${t}p on ${t} using (${writer.newFunction('int', depth)}(c))`);
  writer.add(`alter table ${t} enable row level security`);
  return `((select count(*) from ${t}) >= 0)`;
}

/** The planner computes what is constant in the index. */
function writeIndex(writer: ProgramWriter, depth: number): string {
  const [t, f] = [writer.name('t'), writer.name('f')];
  const body = `begin if ${writer.act(depth)} then return 0; end if; return 0; end`;
  writer.add(`create function ${f}(int) returns int language plpgsql immutable as ${quoteText(body)}`);
  writer.add(`create table ${t} (c int); grant select on ${t} to public`);
  writer.add(
    writer.random.pick([
      `create index on ${t} ((c + ${f}(1)))`,
      `create index on ${t} (c) where ${f}(1) = 0`,
      `alter table ${t} add check (c > ${f}(1))`,
      `create statistics on (c + ${f}(1)), c from ${t}`,
    ]),
  );
  return `((select count(*) from ${t} where c = 1) >= 0)`;
}

function writeTextView(writer: ProgramWriter, depth: number): string {
  const v = writer.name('v');
  // Whether it is one literal is not known here.
  writer.computes();
  const text = writeText(writer.random, `select ${writer.act(depth)}`);
  writer.add(`create view ${v} as select query_to_xml(${text}, true, false, '') as x; grant select on ${v} to public`);
  return `((select x from ${v}) is not null)`;
}

/** The text that an aggregate begins with becomes a value. */
function writeBeginning(writer: ProgramWriter, depth: number): string {
  const [a, d, f] = [writer.name('a'), createDomain(writer, depth), writer.name('f')];
  writer.add(`create function ${f}(${d}, int) returns ${d} language sql as 'select $1'`);
  writer.add(`create aggregate ${a}(int) (sfunc = ${f}, stype = ${d}, initcond = '1')`);
  return `((select ${a}(id) from item) is not null)`;
}

/** Types of columns that the statement itself says. */
function writeColumns(writer: ProgramWriter, depth: number): string {
  const d = createDomain(writer, depth);
  const xml = '<r><y>1</y></r>';
  return writer.random.pick([
    `((select y from xmltable('/r' passing ('${xml}'::xml) columns y ${d} path 'y')) is not null)`,
    `((select y from json_to_record('{"y": 1}') as z (y ${d})) is not null)`,
    `((select y from jsonb_to_recordset('[{"y": 1}]') as z (y ${d})) is not null)`,
    `((select y from rows from (json_to_record('{"y": 1}') as (y ${d})) z) is not null)`,
  ]);
}
