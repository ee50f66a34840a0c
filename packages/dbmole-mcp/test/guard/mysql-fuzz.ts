import { Failure } from '@dbmole/core';
import { type RunningEngine, startEngine } from '@dbmole/engines';
import type { Connection } from 'mysql2/promise';
import type { Steps } from '../../src/engines/mysql/guard/in-turns.ts';
import { atOnce } from '../../src/engines/mysql/guard/testing/at-once.ts';
import { checkStatement } from '../../src/engines/mysql/guard/text/statement.ts';
import { makeStatement } from './mysql-fuzz-statements.ts';
import { connectDirectly, guardEngines } from './mysql-guarded.ts';
import { createSeededRandom } from './seeded-random.ts';

/** The part of the guard that splits the text: throws unless it is a read, in this sql_mode. */
export type CheckStatement = (sql: string, sqlMode: string) => Steps<unknown>;

interface MysqlFuzzOptions {
  /** The same seed makes the same statements. */
  readonly seed: number;
  /** How many are made, over all servers and modes together. */
  readonly statements: number;
  /** Where they are tried. Without any, one of each kind is started, and stopped at the end. */
  readonly engines?: readonly RunningEngine[];
  readonly modes?: readonly string[];
  /** Another one than ours, to see whether the fuzzer finds what is wrong with it. */
  readonly check?: CheckStatement;
  /** Ends it early: what was found until then is the answer. */
  readonly signal?: AbortSignal;
}

interface MysqlFinding {
  /** The engine and its sql_mode. */
  readonly where: string;
  readonly sql: string;
}

interface MysqlFuzzReport {
  readonly made: number;
  /** Those that the guard took for reads, and the server was given. */
  readonly accepted: number;
  /** Of these, the ones that the server took for a query as well. */
  readonly ran: number;
  /** Taken for reads, and yet they wrote. */
  readonly found: readonly MysqlFinding[];
}

const everywhere = ['', 'ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'];

/** Then it is the turn of the next server and mode. */
const mostPerTurn = 2_000;
/** Turns of one seed before they are those of the next. */
const seedsApart = 1_000_003;

function fuzzModes(kind: RunningEngine['kind']): readonly string[] {
  return kind === 'mariadb' ? [...everywhere, 'MSSQL'] : everywhere;
}

/**
 * Makes queries with an `INTO @x` that is hidden from a reader that splits the text differently from the server. Those that the
 * guard takes for reads are run as they are: when `@x` has a value then, the guard was wrong.
 */
export async function fuzzMysql(options: MysqlFuzzOptions): Promise<MysqlFuzzReport> {
  const engines = options.engines ?? (await Promise.all(guardEngines.map((id) => startEngine(id))));
  try {
    return await fuzzAll(engines, options);
  } finally {
    if (options.engines === undefined) await Promise.all(engines.map((engine) => engine.stop()));
  }
}

/** In rounds over all places, so that each of them gets its share whenever it ends. */
async function fuzzAll(engines: readonly RunningEngine[], options: MysqlFuzzOptions): Promise<MysqlFuzzReport> {
  const places = engines.flatMap((engine) => (options.modes ?? fuzzModes(engine.kind)).map((mode) => ({ engine, mode })));
  const found: MysqlFinding[] = [];
  const total = { made: 0, accepted: 0, ran: 0, found };
  for (let turn = 0; total.made < options.statements && options.signal?.aborted !== true; turn += 1) {
    const place = places[turn % places.length];
    if (place === undefined) break;
    const statements = Math.min(mostPerTurn, Math.ceil(options.statements / places.length));
    const report = await fuzzOne(place, { ...options, statements, seed: options.seed * seedsApart + turn });
    total.made += report.made;
    total.accepted += report.accepted;
    total.ran += report.ran;
    total.found.push(...report.found);
  }
  return total;
}

interface Place {
  engine: RunningEngine;
  mode: string;
}

async function fuzzOne({ engine, mode }: Place, options: MysqlFuzzOptions): Promise<MysqlFuzzReport> {
  const direct = await connectDirectly(engine);
  try {
    await direct.query(`SET SESSION sql_mode = '${mode}'`);
    const sqlMode = await ask(direct, 'SELECT @@sql_mode');
    const random = createSeededRandom(options.seed).below;
    const counts = { made: 0, accepted: 0, ran: 0 };
    const found: MysqlFinding[] = [];
    while (counts.made < options.statements && options.signal?.aborted !== true) {
      const sql = makeStatement(random);
      counts.made += 1;
      if (!isTakenForRead(options.check ?? checkStatement, sql, sqlMode)) continue;
      counts.accepted += 1;
      const { ran, wrote } = await tryDirectly(direct, sql);
      if (ran) counts.ran += 1;
      if (wrote) found.push({ where: `${engine.id} in mode "${mode}"`, sql });
    }
    return { ...counts, found };
  } finally {
    await direct.end();
  }
}

export function isTakenForRead(check: CheckStatement, sql: string, sqlMode: string): boolean {
  try {
    atOnce(check(sql, sqlMode));
    return true;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'refused') return false;
    throw new Error(`the guard failed at ${JSON.stringify(sql)}`, { cause: error });
  }
}

async function tryDirectly(direct: Connection, sql: string): Promise<{ ran: boolean; wrote: boolean }> {
  const ran = await direct.query(sql).then(
    () => true,
    () => false,
  );
  if (!ran) return { ran, wrote: false };
  const wrote = (await ask(direct, 'SELECT @x IS NOT NULL')) === '1';
  if (wrote) await direct.query('SET @x = NULL');
  return { ran, wrote };
}

async function ask(direct: Connection, sql: string): Promise<string> {
  const [rows] = await direct.query({ sql, rowsAsArray: true });
  const first: unknown = Array.isArray(rows) ? rows[0] : undefined;
  return Array.isArray(first) ? String(first[0]) : '';
}
