import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { direct } from '../engines/postgres-fixture.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';

/** Beyond ASCII, and JavaScript counts it as a blank, which the server does not. */
const noBreak = '\u00a0';
const wideBlank = '\u3000';
const act = "lo_export(4242, 'encodings_effect')";

interface EncodingCase {
  readonly name: string;
  /** Undefined: all of them. */
  readonly only?: readonly string[];
  readonly setup?: string;
  readonly read: string;
  readonly isAccepted?: boolean;
}

const evil = (name: string, kind = 'function') =>
  `create ${kind} ${name}() returns int language plpgsql as $f$ begin return ${act}; end $f$;`;
const caller = (body: string) => `create function f() returns int language sql as $f$ select ${body} $f$;`;
const inBody = (body: string) => `create function f() returns int language plpgsql as $f$ begin return ${body}; end $f$;`;
const view = (name: string) => `${evil('evil')} create view ${name} as select evil() as x;`;
const long = (letter: string, length = 40) => `"${letter.repeat(length)}"`;

const latin = ['LATIN1', 'LATIN5', 'SQL_ASCII'];
/** A name of 40 of their letters is not cut, but it is in UTF-8. */
const oneByte = ['LATIN1', 'LATIN5'];

const cases: readonly EncodingCase[] = [
  {
    name: 'a letter that another locale folds',
    only: ['LATIN5'],
    read: "select pg_create_physİcal_replicatİon_slot('encodings_slot')",
  },
  { name: 'a file that is read under such a name', only: ['LATIN5'], read: "select pg_read_fİle('PG_VERSION')" },
  { name: 'a relation under such a name', only: ['LATIN5'], read: 'select rolname, rolpassword from pg_authİd' },
  { name: 'a letter without a dot', only: ['LATIN5'], read: "select pg_read_fıle('PG_VERSION')" },
  { name: 'a function in capitals', only: latin, setup: evil('événement'), read: 'select ÉVÉNEMENT()' },
  { name: 'a function in capitals in a body', only: latin, setup: evil('événement') + inBody('ÉVÉNEMENT()'), read: 'select f()' },
  { name: 'a view in capitals', only: latin, setup: view('été'), read: 'select * from ÉTÉ' },
  { name: 'a view in capitals in a body', only: latin, setup: view('été') + caller('(select x from ÉTÉ)'), read: 'select f()' },
  { name: 'a quoted name', only: latin, setup: evil('"événement"'), read: 'select "événement"()' },
  { name: 'a name in escapes', only: latin, setup: evil('événement'), read: 'select U&"\\00e9v\\00e9nement"()' },
  { name: 'two characters that are one', only: ['EUC_JP'], setup: evil('"a¦"'), read: 'select "a￤"()' },
  { name: 'two characters that are one, the other way', only: ['EUC_JP'], setup: evil('"a￤"'), read: 'select "a¦"()' },
  {
    name: 'two characters that are one, in a body',
    only: ['EUC_JP'],
    setup: evil('"a￤"') + caller('"a¦"()'),
    read: 'select f()',
  },
  { name: 'a long name', only: oneByte, setup: evil(long('é')), read: `select ${long('é')}()` },
  { name: 'a long name in a body', only: oneByte, setup: evil(long('é')) + caller(`${long('é')}()`), read: 'select f()' },
  ...[
    `execute 'select ${long('é')}()'`,
    `execute U&'select ${long('\\00e9')}()'`,
    `perform query_to_xml('select ${long('é')}()', true, true, '')`,
  ].map(
    (statement): EncodingCase => ({
      name: `a long name in a literal: ${statement.slice(0, 20)}`,
      only: oneByte,
      setup: `${evil(long('é'))} create function f() returns int language plpgsql as $f$ begin ${statement}; return 1; end $f$;`,
      read: 'select f()',
    }),
  ),
  { name: 'a long name in PL/pgSQL', only: oneByte, setup: evil(long('é')) + inBody(`${long('é')}()`), read: 'select f()' },
  {
    name: 'a long name of a view in a body',
    only: oneByte,
    setup: view(long('é')) + caller(`(select x from ${long('é')})`),
    read: 'select f()',
  },
  {
    name: 'a long name in a literal',
    only: oneByte,
    setup: view(long('é')),
    read: `select table_to_xml('${long('é')}', true, false, '')`,
  },
  { name: 'blanks beyond ASCII in a name', only: oneByte, setup: evil(long(noBreak)), read: `select ${long(noBreak)}()` },
  {
    name: 'such blanks without quotes',
    only: oneByte,
    setup: evil(`e${noBreak.repeat(40)}`),
    read: `select e${noBreak.repeat(40)}()`,
  },
  { name: 'such blanks in a body', only: oneByte, setup: evil(long(noBreak)) + caller(`${long(noBreak)}()`), read: 'select f()' },
  {
    name: 'such blanks in PL/pgSQL',
    only: oneByte,
    setup: evil(long(noBreak)) + inBody(`${long(noBreak)}()`),
    read: 'select f()',
  },
  {
    name: 'such blanks in the name of a view',
    only: oneByte,
    setup: view(long(noBreak)),
    read: `select * from ${long(noBreak)}`,
  },
  {
    name: 'such blanks in a literal',
    only: oneByte,
    setup: view(long(noBreak)),
    read: `select table_to_xml('${long(noBreak)}', true, false, '')`,
  },
  { name: 'wide blanks in a name', only: ['EUC_JP'], setup: evil(long(wideBlank, 30)), read: `select ${long(wideBlank, 30)}()` },
  {
    name: 'wide blanks in a body',
    only: ['EUC_JP'],
    setup: evil(long(wideBlank, 30)) + caller(`${long(wideBlank, 30)}()`),
    read: 'select f()',
  },
  {
    name: 'a declared type beyond ASCII',
    only: latin,
    setup: `${evil('evil')} create domain "É" as int check (evil() = value);
      create function f() returns int language plpgsql as $f$ declare x "É" := 1; begin return x; end $f$;`,
    read: 'select f()',
  },
  { name: 'a name in ASCII', setup: evil('evil'), read: 'select EVIL()' },
  { name: 'a name of 63 letters', setup: evil('e'.repeat(63)) + caller(`${'e'.repeat(70)}()`), read: 'select f()' },
  { name: 'values beyond ASCII', only: [...latin, 'EUC_JP'], read: "select 'ab''¦', $$¦$$ as x /* ¦ */", isAccepted: true },
  { name: 'values beyond ASCII in a body', setup: caller("length('¦')"), read: 'select f()', isAccepted: true },
];

describe.each(['postgres14', 'postgres18'] as const)('reads of a database that is not UTF-8, on %s', (id) => {
  describe.each(['LATIN1', 'LATIN5', 'EUC_JP', 'SQL_ASCII'])('%s', (encoding) => {
    const server = useEngine(id, { shared: true });
    const database = `encodings_${encoding.toLowerCase()}`;
    let guarded: Guarded;
    const run = (sql: string) => direct({ ...server(), database }, sql);

    beforeAll(async () => {
      await direct(server(), `drop database if exists ${database} with (force)`);
      await direct(server(), `create database ${database} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`);
      await run('select lo_create(4242)');
      const { host, port, user, password } = server();
      guarded = await openGuarded({ host, port, user, password, database });
    });
    afterAll(async () => {
      await guarded.backend.dispose();
      await direct(server(), `drop database ${database} with (force)`);
    });

    const chosen = cases.filter(({ only }) => only === undefined || only.includes(encoding));
    it.each(chosen)('judges by the encoding: $name', async ({ setup = 'select', read, isAccepted = false }) => {
      await run(`set check_function_bodies = off; drop schema public cascade; create schema public; ${setup}`);
      const { failure } = await guarded.read(read);
      expect(await countEffects()).toBe(0);
      if (isAccepted) expect(failure).toBeUndefined();
      else expect(failure).toBeDefined();
    });

    /** Files and slots; they are gone afterwards. */
    async function countEffects(): Promise<number> {
      const slots = await run(
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'encodings_slot'",
      );
      const [file] = await run("select (pg_stat_file('encodings_effect', true)).size is not null as made");
      if (file?.made === true) await run("copy (select) to program 'cat > /dev/null; rm encodings_effect'");
      return slots.length + (file?.made === true ? 1 : 0);
    }
  });
});
