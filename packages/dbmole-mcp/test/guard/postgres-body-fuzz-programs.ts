import {
  createAssignmentCast,
  createDomain,
  createRow,
  writeAggregate,
  writeCast,
  writeCastCall,
  writeCoercion,
  writeDefaultArgument,
  writeDomain,
  writeField,
  writeOperator,
  writePlanted,
  writeRow,
  writeRowCoercion,
  writeRule,
  writeView,
} from './postgres-body-fuzz-objects.ts';
import { type Code, type ProgramWriter, writeDynamic, writeStatement } from './postgres-body-fuzz-statements.ts';
import { writeHidden } from './postgres-body-fuzz-tables.ts';
import { disguise, quoteText, writeText } from './postgres-body-fuzz-texts.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Functions and other objects, and a statement that reads through them. */
export interface BodyProgram {
  /** No other program has it; also the key of the lock that it takes. */
  readonly number: number;
  readonly setup: readonly string[];
  readonly statement: string;
  /** Nothing in it takes a lock. */
  readonly isHarmless: boolean;
  /** Some of its SQL is only known when it runs. */
  readonly isComputed: boolean;
}

interface BodyProgramOptions {
  readonly number: number;
  readonly setting: Setting;
}

/**
 * Who reads. A reader may do no harm by himself, but functions of the superuser do. A planter has functions that run with the rights
 * of the superuser, all of them harmless, and puts something in their way.
 */
export type Setting = 'superuser' | 'reader' | 'planter';

/** Ends a batch. A transaction can lock so many objects only. */
export const clearing = `do $$ declare s name; begin
  for s in select nspname from pg_namespace where oid >= 16384 or nspname = 'public' loop
    execute format('drop schema %I cascade', s); commit; end loop; end $$`;

/** What every batch begins with. */
export const world = [
  'create schema public',
  'grant usage on schema public to public',
  'create table item (id int, name text)',
  "insert into item values (1, 'one'), (2, 'two')",
  'create table script (id int, body text)',
  'create type pair as (a int, b int)',
  'grant select on all tables in schema public to public',
];

/** The same for the same chances. */
export function makeBodyProgram(random: SeededRandom, options: BodyProgramOptions): BodyProgram {
  return new Program(random, options).write();
}

const locks = ['pg_try_advisory_lock', 'pg_advisory_lock', 'pg_try_advisory_lock_shared', 'pg_advisory_lock_shared'] as const;
const spellings = [
  (name: string) => name,
  (name: string) => name,
  (name: string) => `pg_catalog.${name}`,
  (name: string) => `"${name}"`,
  (name: string) => `U&"${name.replaceAll('_', '\\005f')}"`,
  (name: string) => `"pg_catalog" . ${name}`,
] as const;
const simple = [
  'pg_backend_pid() > 0',
  'random() >= 0',
  "length('pg_try_advisory_lock(1)') > 0",
  "'select pg_advisory_lock(5)' <> ''",
  'now() is not null',
  "coalesce(current_setting('fuzz.none', true), '') = ''",
] as const;
const harmless = ['exists (select 1 from item)', '(select count(*) from item i where i.name = upper(name)) = 0'] as const;
type Kind = 'boolean' | 'setof boolean' | 'void' | 'int' | 'record';

class Program implements ProgramWriter {
  readonly random: SeededRandom;
  readonly number: number;
  readonly setting: Setting;
  readonly #isHarmless: boolean;
  readonly #setup: string[] = [];
  #isComputed = false;
  #names = 0;

  constructor(random: SeededRandom, { number, setting }: BodyProgramOptions) {
    this.random = random;
    this.number = number;
    this.setting = setting;
    this.#isHarmless = random.oneIn(4);
  }

  write(): BodyProgram {
    const { random } = this;
    const expression = this.#call(1 + random.below(3));
    const statement = random.pick([
      `select ${expression}`,
      `select id from item where ${expression}`,
      `select * from (select ${expression} as x) q`,
      `values (${expression})`,
      `select 1 from item group by 1 having ${expression}`,
      `with w as (select ${expression} as x) select x from w`,
    ]);
    const { number } = this;
    const setup = this.#setup;
    return { number, setup, statement: disguise(random, statement), isHarmless: this.#isHarmless, isComputed: this.#isComputed };
  }

  name(prefix: string): string {
    return `${prefix}${this.number}_${this.count()}`;
  }

  add(sql: string): void {
    this.#setup.push(sql);
  }

  count(): number {
    return this.#names++;
  }

  computes(): void {
    this.#isComputed = true;
  }

  act(depth: number): string {
    return depth <= 0 || this.random.oneIn(3) ? this.leaf() : this.#call(depth - 1);
  }

  /** Simple: without a subquery. */
  leaf(isSimple = false): string {
    const { random } = this;
    if (this.#isHarmless) return `(${random.pick(isSimple ? simple : [...simple, ...harmless])})`;
    const name = random.pick(locks);
    const key = random.pick([`${this.number}`, `'${this.number}'`, isSimple ? `${this.number}` : `(select ${this.number})`]);
    // The lock shows who took it.
    const args = this.setting !== 'superuser' ? `current_user::regrole::oid::int, ${key}` : key;
    const call = `${random.pick(spellings)(name)}(${args})`;
    return name.startsWith('pg_try') ? call : `(${call}::text = '')`;
  }

  /** An expression that reaches it through an object of the database. */
  #call(depth: number): string {
    const objects = [
      ...Array.from({ length: 14 }, () => () => this.#function(depth)),
      () => writeView(this, depth),
      () => writeOperator(this, depth),
      () => writeCastCall(this, depth),
      () => writeDomain(this, depth),
      () => writeAggregate(this, depth),
      () => writeField(this, depth),
      () => writeDefaultArgument(this, depth),
      () => writeRow(this, depth),
      () => writeHidden(this, depth),
      () => writeHidden(this, depth),
    ] as const;
    return this.random.pick<() => string>([() => this.#function(depth), ...objects])();
  }

  #function(depth: number): string {
    const { random } = this;
    const f = this.name('f');
    if (random.oneIn(4)) return this.#sqlFunction(f, depth);
    const kind = random.pick<Kind>(['boolean', 'boolean', 'setof boolean', 'void', 'int', 'record']);
    const parameters = random.pick([
      '',
      'x text default null',
      'a int default 1, b int default 2',
      'variadic x int[] default null',
    ]);
    const all =
      kind === 'record' ? ['out o1 int', 'out o2 int', parameters].filter((part) => part !== '').join(', ') : parameters;
    const returns = kind === 'record' ? '' : `returns ${kind}`;
    const body = this.#body(depth, kind);
    this.add(`create function ${f}(${all}) ${returns} language plpgsql ${this.#options()} as ${this.#quoteBody(body)}`);
    if (kind === 'setof boolean') return `((select count(*) from ${f}()) >= 0)`;
    if (kind === 'record') return `((select o1 from ${f}()) is not null)`;
    if (kind === 'void') return `(${f}()::text is not null)`;
    return kind === 'int' ? `(${f}() >= 0)` : `${f}()`;
  }

  #options(): string {
    const { random } = this;
    const options = [
      random.oneIn(6) ? random.pick(['stable', 'immutable', 'strict', 'cost 1', 'parallel safe', 'leakproof']) : '',
      this.setting !== 'planter' && random.oneIn(this.setting === 'reader' ? 2 : 12) ? 'security definer' : '',
      random.oneIn(14)
        ? random.pick(['set search_path = public', "set work_mem = '1MB'", 'set search_path = pg_catalog, public'])
        : '',
    ];
    return options.join(' ');
  }

  #quoteBody(text: string): string {
    return this.random.oneIn(2) ? quoteText(text) : `$body$${text}$body$`;
  }

  #body(depth: number, kind: Kind): string {
    const { random } = this;
    let code = this.#wrap(this.#core(depth));
    while (random.oneIn(3)) code = this.#wrap(code);
    const before = this.#noise();
    const after = this.#noise();
    const declare = [before.declare, code.declare, after.declare].filter((part) => part !== undefined).join(' ');
    const option = random.oneIn(12) ? `\n#variable_conflict ${random.pick(['use_variable', 'use_column', 'error'])}\n` : '';
    const label = random.oneIn(8) ? `<<${this.name('b')}>> ` : '';
    const end = {
      boolean: 'return true;',
      int: 'return 1;',
      void: '',
      record: 'o1 := 1;',
      'setof boolean': 'return next true; return;',
    };
    const block = `${label}declare r record; ${declare} begin ${before.text} ${code.text} ${after.text} ${end[kind]} end`;
    return option + disguise(random, block);
  }

  #core(depth: number): Code {
    const { random } = this;
    const way = random.below(12);
    if (this.setting === 'planter' && depth < 2) return writePlanted(this, depth);
    if (way < 6) return writeStatement(this, this.act(depth));
    if (way < 8) return writeDynamic(this, `select ${disguise(random, this.act(depth))}`);
    if (way === 8) return writeCoercion(this, createDomain(this, depth));
    if (way === 9) return writeRowCoercion(this, createRow(this, depth));
    if (way === 10) return random.oneIn(2) ? writeRule(this, depth) : writePlanted(this, depth);
    return writeCast(this, createAssignmentCast(this, depth));
  }

  #wrap(code: Code): Code {
    const { random } = this;
    const { declare, text } = code;
    const inner = declare === undefined ? `begin ${text} end;` : `declare ${declare} begin ${text} end;`;
    const b = this.name('b');
    return random.pick<Code>([
      code,
      code,
      { text: inner },
      { text: `<<${b}>> ${inner.slice(0, -1)} ${b};` },
      { text: `<<${b}>> loop ${inner} exit ${b} when true; end loop ${b};` },
      { text: `if 1 = 1 then ${inner} end if;` },
      { text: `case 1 when 2, 1 then ${inner} else null; end case;` },
      { text: `for i in 1..2 loop continue when i = 1; ${inner} end loop;` },
      { text: `begin ${inner} exception when division_by_zero or sqlstate '22012' then null; end;` },
      { text: `begin raise 'x'; exception when others then ${inner} end;` },
      { text: `while true loop ${inner} exit; end loop;` },
      { text: `foreach ${b} in array array[1] loop ${inner} end loop;`, declare: `${b} int;` },
    ]);
  }

  #noise(): Code {
    const n = this.name('n');
    return this.random.pick<Code>([
      { text: '' },
      { text: '' },
      { text: 'null;' },
      { declare: `${n} int := 1;`, text: `${n} := ${n} + 1;` },
      { declare: `${n} text;`, text: `${n} := 'pg_try_advisory_lock(1)';` },
      { declare: `${n} item;`, text: `select * into ${n} from item where id = 1; ${n}.name := ${n}.name || '!';` },
      { declare: `${n} int[];`, text: `${n}[1] := 5; ${n} := ${n} || 6;` },
      { declare: `"${n} begin" text := 'x;y';`, text: `"${n} begin" := 'end;';` },
      { text: 'perform 1 from item; if not found then raise no_data_found; end if;' },
      { text: `begin insert into item values (3, 'x'); exception when others then null; end;` },
      { declare: `${n} cursor for select * from item;`, text: `for z in ${n} loop continue when z.id > 1; end loop;` },
      { text: "/* execute format($x$ */ -- '\n" },
      { text: `execute 'select count(*) from item';` },
      { declare: `${n} alias for r;`, text: `for ${n} in select id from item loop null; end loop;` },
    ]);
  }

  #sqlFunction(f: string, depth: number): string {
    const { random } = this;
    const act = this.act(depth);
    const [text, sql] = [`select ${act}`, disguise(random, `select ${act}`)];
    const bodies = [
      `as ${this.#quoteBody(sql)}`,
      `as ${this.#quoteBody(`select 1; ${sql}`)}`,
      `as ${this.#quoteBody(`with w as materialized (${sql} as x) select x from w`)}`,
      `as ${this.#quoteBody(`select coalesce(x, ${act}) from (select null::boolean as x) q`)}`,
      `as ${this.#quoteBody(`select (query_to_xml(${writeText(random, text)}, true, false, '')) is not null`)}`,
      `begin atomic ${text}; end`,
      `begin atomic select 1; select x from (${text} as x) q; end`,
      `return ${act}`,
    ] as const;
    // Whether it is one literal is not known here.
    const which = random.below(bodies.length);
    if (which === 4) this.computes();
    const set = random.oneIn(3) ? 'setof ' : '';
    this.add(
      `create function ${f}(${f}x int default 1) returns ${set}boolean language sql ${this.#options()} ${bodies[which] ?? bodies[0]}`,
    );
    return set === '' ? `${f}()` : `((select count(x) from ${f}() x) >= 0)`;
  }

  /** A function of the given arguments, for what is built upon functions. */
  newFunction(args: string, depth: number): string {
    const f = this.name('f');
    const definer = this.setting === 'reader' && this.random.oneIn(2) ? 'security definer' : '';
    const isSql = this.random.oneIn(3);
    const body = isSql ? `select ${this.act(depth)}` : this.#body(depth, 'boolean');
    this.add(
      `create function ${f}(${args}) returns boolean language ${isSql ? 'sql' : 'plpgsql'} ${definer} as ${this.#quoteBody(body)}`,
    );
    return f;
  }
}
