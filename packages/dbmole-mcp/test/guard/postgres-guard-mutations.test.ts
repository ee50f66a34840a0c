import { Failure } from '@dbmole/core';
import { useEngine } from '@dbmole/engines';
import { Client, type ClientConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { createChecker } from '../../src/engines/postgres/guard/checker.ts';
import type { CatalogQuestion } from '../../src/guard/read-statement.ts';
import { createMutantFactory, type MutantFactory, type Mutation } from './postgres-guard-mutants.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

/** `shows`: the first thing that goes wrong with it. */
const mutations: Readonly<Record<string, Mutation & { readonly shows: string }>> = {
  'takes whatever is executed for known': {
    file: 'proof/bodies/read-body.ts',
    text: "  reader.unprovable ??= 'runs SQL that it puts together at run time';\n",
    becomes: '',
    shows: 'select f_joined() is accepted',
  },
  'does not collect the query of RETURN QUERY EXECUTE and OPEN': {
    file: 'proof/bodies/plpgsql.ts',
    text: "key === 'dynquery'",
    becomes: "key === 'nothing'",
    shows: 'select * from m_returns() is accepted',
  },
  'takes no notice of the types of variables': {
    file: 'proof/bodies/plpgsql.ts',
    text: 'types.push(readQuery(variable.default_val));',
    becomes: 'continue;',
    shows: 'select m_declared() is accepted',
  },
  'takes objects for explored without reading their bodies': {
    file: 'proof/explore.ts',
    text: 'if (body !== undefined) await this.#readOne(object, body, run);',
    becomes: '',
    shows: 'select f_sql() is accepted',
  },
  'ignores policies': {
    file: 'proof/explore.ts',
    text: "  return how !== 'child' ||",
    becomes: "  return (how !== 'child' && how !== 'policy') ||",
    shows: 'select * from secured is accepted',
  },
  'does not follow what leads to a refused object': {
    file: 'proof/explore.ts',
    text: 'for (const { from, how } of to.usedBy) markBy(from, [{ to, how }], queue);',
    becomes: 'to.usedBy;',
    shows: 'select f_deeper() is accepted',
  },
  'never finds out that the values of a type are enough': {
    file: 'proof/explore.ts',
    text: 'if (object.isRefused && (object.implicit || !implicit)) return;',
    becomes: 'if (object.isRefused) return;',
    shows: 'select id from m_held is accepted',
  },
  'lets functions of powerful owners call what cannot be checked': {
    file: 'proof/explore.ts',
    text: 'if (definers.length === 0) return;',
    becomes: 'if (definers.length >= 0) return;',
    shows: 'select m_definer() is accepted',
  },
  'ignores SQL in literals in SQL': {
    file: 'proof/bodies/read-body.ts',
    text: 'else readStatements(text, reader, depth + 1, none);',
    becomes: '',
    shows: 'select f_string() is accepted',
  },
  'takes no setting for decisive': {
    file: 'tree/settings.ts',
    text: 'return decisiveSettings.has(name) || ofLanguage.test(name);',
    becomes: 'return ofLanguage.test(name);',
    shows: 'select m_sets() is accepted',
  },
  'does not look for replaced functions of the server': {
    file: 'proof/catalog/roots-sql.ts',
    text: "'replaced', '' from replaced where",
    becomes: "'replaced', '' from replaced where false and",
    shows: 'select cbrt(8) is accepted',
  },
  'finds no name beyond ASCII': {
    file: 'tree/syntax.ts',
    text: 'return parser.scan(text).find((token) => !isLiteral(token) &&',
    becomes: 'return parser.scan(text).find((token) => isLiteral(token) &&',
    shows: 'select 1 as "é" is accepted',
  },
  'ignores the search paths of functions': {
    file: 'proof/types/match.ts',
    text: 'return isVisible || this.#matching.schemas?.has(schema) === true ||',
    becomes: 'return isVisible ||',
    shows: 'select m_path() is accepted',
  },
  'takes the condition of an index for planned only': {
    file: 'proof/catalog/dependents-sql.ts',
    text: 'indpred is not null${via}',
    becomes: 'false${via}',
    shows: 'select a from m_indexed where b > 0 is accepted',
  },
  'does not look for writes in standard SQL': {
    file: 'proof/catalog/dependents-sql.ts',
    text: '...(major >= 14 ? [writers] : []),',
    becomes: '',
    shows: 'select m_writes() is accepted',
  },
  'does not look for operators of the server in stored queries': {
    file: 'proof/catalog/graph.ts',
    text: 'if (of === catalogs.operator) return !isUserType(oid);',
    becomes: 'if (of === catalogs.operator) return false;',
    shows: 'select * from m_sorted is accepted',
  },
  'does not watch languages': {
    file: 'proof/catalog/premise.ts',
    text: "  ['pg_language', 'true'],\n",
    becomes: '',
    shows: 'a language changes',
  },
};

/** Beside those of the fixture. */
const objects = `
create function m_default() returns int language plpgsql as $$ declare x item := f_sql(); begin return x.id; end $$;
create function m_declared() returns int language plpgsql as $$ declare x locked; begin return 1; end $$;
create function m_returns() returns setof int language plpgsql as $$ begin return query execute 'select ' || 1; end $$;
create function m_sets() returns int language plpgsql as
  $$ begin set local standard_conforming_strings = off; return 1; end $$;
create schema m_schema;
create function m_schema.lower(text) returns text language sql as 'select public.f_sql()';
create function m_path() returns text language sql set search_path = m_schema, pg_catalog as $$ select lower('A'::text) $$;
create type m_both as (c locked);
create function m_text(m_both) returns text language sql as 'select f_deeper()';
create cast (m_both as text) with function m_text(m_both) as implicit;
create table m_held (id int, b m_both);
create function m_volatile(int) returns boolean language plpgsql immutable as $$ begin return f_sql() is not null; end $$;
create table m_indexed (a int, b int);
create index on m_indexed (a) where b > 0 or m_volatile(a);
alter function m_volatile volatile;
create function m_planned() returns boolean language plpgsql immutable as $$ begin return f_sql() is not null; end $$;
create table m_written (a int, b boolean default m_planned());
create function m_writes() returns int language sql begin atomic insert into m_written (a) values (1); select 1; end;
create function m_compare(box, box) returns int language plpgsql immutable as $$ begin perform f_sql(); return 0; end $$;
create operator class m_boxes for type box using btree as operator 1 <<, operator 3 ~=, operator 5 >>, function 1 m_compare(box, box);
create table m_box (b box);
create view m_sorted as select * from m_box order by b using <<;
create or replace function pg_catalog.cbrt(float8) returns float8 language internal immutable strict as 'dexp';`;

const unprovable = `
create function m_unknown() returns text language plpgsql as
  $$ declare x text; begin execute 'select ' || 1 into x; return x; end $$;
create function m_definer() returns text language plpgsql security definer set search_path = public as $$ begin return m_unknown(); end $$;`;

type Place = 'superuser' | 'owner' | 'latin';

/** Where, what, and whether it is refused. */
const reads: readonly (readonly [Place, string, boolean])[] = [
  ['superuser', 'select f_sql()', true],
  ['superuser', 'select f_deeper()', true],
  ['superuser', 'select f_joined()', true],
  ['superuser', 'select * from m_returns()', true],
  ['superuser', 'select m_default()', true],
  ['superuser', 'select m_declared()', true],
  ['superuser', 'select f_string()', true],
  ['superuser', 'select m_sets()', true],
  ['superuser', 'select m_path()', true],
  ['superuser', 'select id from m_held', true],
  ['superuser', 'select cbrt(8)', true],
  ['superuser', 'select * from secured', true],
  ['superuser', 'select a from m_indexed where b > 0', true],
  ['superuser', 'select m_writes()', true],
  ['superuser', 'select * from m_sorted', true],
  ['superuser', 'select * from v_item', false],
  ['superuser', "select * from f_search('o')", false],
  ['superuser', 'select n from t_checked', false],
  ['owner', 'select m_definer()', true],
  ['owner', 'select count(*) from pg_class', false],
  ['latin', 'select 1 as "é"', true],
  ['latin', "select 'é'", false],
];

describe('a guard with a defect', () => {
  const server = useEngine('postgres18', { shared: true });
  const clients: Client[] = [];
  let databases: readonly ProofDatabase[] = [];
  let factory: MutantFactory;
  let ask: Readonly<Record<Place, CatalogQuestion>>;
  let watchLanguages: (create: typeof createChecker) => Promise<boolean>;

  beforeAll(async () => {
    factory = await createMutantFactory();
    const proof = await createProofDatabase(server(), 'guard_mutants', 'proof');
    const plain = await createProofDatabase(server(), 'guard_mutants_plain');
    databases = [proof, plain];
    await proof.run(objects);
    await plain.run(unprovable);
    await plain.run(`drop database if exists guard_mutants_latin`);
    await plain.run(`create database guard_mutants_latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`);
    const open = async (login: ClientConfig) => {
      const client = new Client({ ...login, types: { getTypeParser: () => (text: string) => text } });
      clients.push(client);
      await client.connect();
      return askOf(client);
    };
    const fresh = await open(plain.superuser);
    ask = {
      superuser: remembering(await open(proof.superuser)),
      owner: remembering(await open(plain.owner)),
      latin: remembering(await open({ ...plain.superuser, database: 'guard_mutants_latin' })),
    };
    watchLanguages = async (create) => {
      await plain.run('create language m_language handler plpgsql_call_handler');
      const { premise } = await create().check('select 1', fresh);
      await plain.run('create or replace trusted language m_language handler plpgsql_call_handler');
      const [row] = await fresh(`select ${premise}`);
      await plain.run('drop language m_language');
      return row?.[0] === 'f';
    };
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await databases[1]?.run('drop database if exists guard_mutants_latin');
    for (const database of databases) await database.dispose();
    await factory.dispose();
  });

  /** What it decides otherwise than the guard should. */
  async function findDifference(create: typeof createChecker): Promise<string | undefined> {
    const checkers = { superuser: create(), owner: create(), latin: create() };
    for (const [place, sql, isRefused] of reads) {
      const wasRefused = await isRefusedBy(() => checkers[place].check(sql, ask[place]));
      if (wasRefused !== isRefused) return `${sql} ${wasRefused ? 'is refused' : 'is accepted'}`;
    }
    return (await watchLanguages(create)) ? undefined : 'a language changes';
  }

  it('differs from the guard as it is', async () => {
    expect(await findDifference(await factory.create(undefined))).toBeUndefined();
  });

  it.each(Object.entries(mutations))('that %s is found', async (_, mutation) => {
    expect(await findDifference(await factory.create(mutation))).toBe(mutation.shows);
  });
});

async function isRefusedBy(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'refused') return true;
    throw error;
  }
}

function askOf(client: Client): CatalogQuestion {
  return async (text, values = []) => {
    const { rows } = await client.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' });
    return rows;
  };
}

/** The catalogs stay as they are, and most mutants ask the same. */
function remembering(run: CatalogQuestion): CatalogQuestion {
  const answers = new Map<string, ReturnType<CatalogQuestion>>();
  return (sql, params = []) => {
    const key = JSON.stringify([sql, params]);
    const answer = answers.get(key) ?? run(sql, params);
    answers.set(key, answer);
    return answer;
  };
}
