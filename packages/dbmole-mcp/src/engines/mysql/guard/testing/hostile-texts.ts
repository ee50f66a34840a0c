import type { Server } from './fake-server.ts';

/** A text that tries to keep the guard busy, and the expected result. */
export interface HostileText {
  readonly name: string;
  readonly sql: string;
  readonly server?: Server;
  /** The code of the refusal; undefined where the statement is accepted. */
  readonly code?: 'E_TOO_COMPLEX';
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index).join(',');
const names = (count: number, prefix = 't') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const body = (text: string) => `CREATE FUNCTION f() RETURNS int BEGIN ${text} END`;
const routine = (text: string): Server => ({ routines: { 'db.f': { text: body(text) } } });
const view = (text: string): Server => ({ tables: { 'db.v': { view: text } } });
const tooComplex = 'E_TOO_COMPLEX';

const everywhere: readonly HostileText[] = [
  { name: '100,000 values', sql: `SELECT * FROM t WHERE a IN (${numbers(100_000)})`, server: { tables: { 'db.t': {} } } },
  { name: 'commas', sql: `SELECT ${','.repeat(990_000)}`, code: tooComplex },
  { name: 'opening brackets', sql: `${'('.repeat(240_000)}SELECT 1` },
  { name: 'tables', sql: `SELECT 1 FROM ${'a,'.repeat(490_000)}a`, code: tooComplex },
  { name: 'calls of stored functions', sql: `SELECT ${'f(),'.repeat(49_000)}1`, code: tooComplex },
  { name: 'calls of harmless functions', sql: `SELECT ${'abs(1),'.repeat(49_000)}1` },
  { name: 'nested WITH', sql: `${'WITH a AS (SELECT 1) ('.repeat(20_000)}SELECT 1` },
  { name: 'comments', sql: `SELECT 1 ${'--\n'.repeat(330_000)}` },
  { name: 'hints', sql: `SELECT ${'/*+ `a` */'.repeat(99_000)} 1` },
  { name: 'a name of a megabyte', sql: `SELECT ${'𐀀'.repeat(490_000)}(1)`, code: tooComplex },
  {
    name: 'tables of which each is a view',
    sql: `SELECT 1 FROM ${names(900).join(',')}`,
    server: listTables(names(900), 'select 1'),
  },
  { name: 'tables in other letters', sql: `SELECT 1 FROM ${names(900, 'T').join(',')}`, server: listTables(names(900)) },
  {
    name: 'functions of which each is there',
    sql: `SELECT ${names(900, 'g').map((name) => `${name}()`)}`,
    server: listRoutines(),
  },
  {
    name: 'a view over many tables',
    sql: 'SELECT 1 FROM v',
    server: view(`select 1 from ${'a,'.repeat(120_000)}a`),
    code: tooComplex,
  },
  { name: 'a view with a long list', sql: 'SELECT 1 FROM v', server: view(`select 1 in (${numbers(100_000)})`) },
  { name: 'SET in a function', sql: 'SELECT f()', server: routine('SET '.repeat(240_000)) },
  { name: 'SET and brackets in a function', sql: 'SELECT f()', server: routine('SET a ('.repeat(60_000)), code: tooComplex },
  { name: 'IN and brackets in a function', sql: 'SELECT f()', server: routine('IN a ('.repeat(60_000)), code: tooComplex },
  { name: 'a long list in a function', sql: 'SELECT f()', server: routine(`RETURN 1 IN (${numbers(100_000)});`) },
];

const ofMaria: readonly HostileText[] = [
  {
    name: 'CYCLE',
    sql: `WITH ${names(12_000).map((name) => `${name} AS (SELECT 1) CYCLE a RESTRICT`)} SELECT 1`,
  },
  {
    name: 'computed columns',
    sql: `SELECT 1 FROM ${names(200)}`,
    server: {
      tables: Object.fromEntries(
        names(200).map((name) => [`db.${name}`, { computed: names(90, 'upper(a').map((one) => `${one})`) }]),
      ),
    },
  },
  {
    name: 'defaults',
    sql: 'SELECT DEFAULT(a) FROM t',
    server: { tables: { 'db.t': { defaults: [`concat(${'1,'.repeat(400_000)}1)`] } } },
    code: tooComplex,
  },
  {
    name: 'computed columns of tables in other letters',
    sql: `SELECT 1 FROM ${names(900, 'T').join(',')}`,
    server: {
      tables: Object.fromEntries(
        names(900).map((name) => [`db.${name}`, { computed: names(20, 'upper(a').map((one) => `${one})`) }]),
      ),
    },
  },
];

export const hostileTexts: Readonly<Record<'MySQL' | 'MariaDB', readonly HostileText[]>> = {
  MySQL: everywhere,
  MariaDB: [...everywhere, ...ofMaria].map((one) => ({ ...one, server: { ...one.server, version: '10.11.18-MariaDB' } })),
};

function listTables(list: readonly string[], definition?: string): Server {
  const table = definition === undefined ? {} : { view: definition };
  return { tables: Object.fromEntries(list.map((name) => [`db.${name}`, table])) };
}

function listRoutines(): Server {
  const text = 'CREATE FUNCTION g() RETURNS int RETURN 1';
  return { routines: Object.fromEntries(names(900, 'g').map((name) => [`db.${name}`, { text }])) };
}
