import { Failure } from '@dbmole/core';
import { type EngineAddress, type RunningEngine, startEngine } from '@dbmole/engines';
import { Client, type QueryConfig } from 'pg';
import { createBackend } from '../../src/backend/backend.ts';
import { parseServerConnection } from '../server-connection.ts';
import { makeStatement } from './postgres-fuzz-statements.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Throws unless it is a read. */
export type CheckStatement = (sql: string) => Promise<unknown>;

interface PostgresFuzzOptions {
  /** The same seed makes the same statements. */
  readonly seed: number;
  /** How many are made, over all servers together. */
  readonly statements: number;
  /** Where they are tried. Without any, one of each version is started, and stopped at the end. */
  readonly engines?: readonly RunningEngine[];
  /** Off: strings end elsewhere than the guard thinks, to see whether the fuzzer finds that. */
  readonly standardStrings?: 'on' | 'off';
  /** Another guard than ours. */
  readonly check?: CheckStatement;
  /** Ends it early: what was found until then is the answer. */
  readonly signal?: AbortSignal;
}

interface PostgresFinding {
  readonly where: string;
  readonly sql: string;
}

interface PostgresFuzzReport {
  readonly made: number;
  /** Those that the guard took for reads, and the server was given. */
  readonly accepted: number;
  /** Of these, the ones that the server ran without an error. */
  readonly ran: number;
  /** Taken for reads, and yet they did what was hidden in them. */
  readonly found: readonly PostgresFinding[];
}

const database = 'guard_fuzz';
/** So many run before we look whether one of them was it. */
const batchSize = 100;
const never = new AbortController().signal;

/**
 * Makes queries with a call that is hidden from a reader that parses the text differently from the server. Those that the guard
 * takes for reads are run as they are, without a read-only transaction: what the call does cannot be rolled back.
 */
export async function fuzzPostgres(options: PostgresFuzzOptions): Promise<PostgresFuzzReport> {
  const engines = options.engines ?? (await Promise.all([startEngine('postgres14'), startEngine('postgres18')]));
  try {
    const statements = Math.ceil(options.statements / engines.length);
    const fuzzed = engines.map((engine, index) => fuzzOne(engine, { ...options, statements, seed: options.seed + index }));
    return addUp(await Promise.all(fuzzed));
  } finally {
    if (options.engines === undefined) await Promise.all(engines.map((engine) => engine.stop()));
  }
}

function addUp(reports: readonly PostgresFuzzReport[]): PostgresFuzzReport {
  const sum = (count: (report: PostgresFuzzReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const found = reports.flatMap((report) => report.found);
  return { made: sum(({ made }) => made), accepted: sum(({ accepted }) => accepted), ran: sum(({ ran }) => ran), found };
}

async function fuzzOne(engine: RunningEngine, options: PostgresFuzzOptions): Promise<PostgresFuzzReport> {
  const address = await createFuzzDatabase(engine);
  const guard = options.check === undefined ? await openCheck(address) : undefined;
  const check = options.check ?? guard?.check ?? (async () => undefined);
  const server = await openCanary(address, options.standardStrings ?? 'on');
  try {
    const random = createSeededRandom(options.seed);
    const counts = { made: 0, accepted: 0, ran: 0 };
    const found: PostgresFinding[] = [];
    while (counts.made < options.statements && options.signal?.aborted !== true) {
      const accepted: string[] = [];
      while (accepted.length < batchSize && counts.made < options.statements) {
        const sql = makeStatement(random);
        counts.made += 1;
        if (await isTakenForRead(check, sql)) accepted.push(sql);
      }
      counts.accepted += accepted.length;
      const { ran, woke } = await server.run(accepted);
      counts.ran += ran;
      found.push(...woke.map((sql) => ({ where: engine.id, sql })));
    }
    return { ...counts, found };
  } finally {
    await server.close();
    await guard?.close();
  }
}

export async function isTakenForRead(check: CheckStatement, sql: string): Promise<boolean> {
  try {
    await check(sql);
    return true;
  } catch (error) {
    const said = error instanceof Failure && (error.kind === 'refused' || error.kind === 'input' || error.code === 'E_SYNTAX');
    if (said) return false;
    throw new Error(`the guard failed at ${JSON.stringify(sql)}`, { cause: error });
  }
}

async function createFuzzDatabase(engine: RunningEngine): Promise<EngineAddress> {
  const { host, port, user, password } = engine;
  const admin = new Client({ host, port, user, password, database: 'postgres' });
  await admin.connect();
  await admin.query(`drop database if exists ${database} with (force)`);
  await admin.query(`create database ${database}`);
  await admin.end();
  return { ...engine, database };
}

/** Our guard, as a call meets it. */
async function openCheck({ host, port, user, password }: EngineAddress) {
  const config = parseServerConnection({ name: 'fuzz', type: 'postgres', host, port, user, password, database, tls: 'disable' });
  const backend = await createBackend({ config, connectHost: host, connectPort: port, serverName: host }, never);
  return { check: (sql: string) => backend.check(sql, { signal: never }), close: () => backend.dispose() };
}

/** A session with nothing between it and the server, and two things in it that only the hidden calls change. */
async function openCanary({ host, port, user, password }: EngineAddress, standardStrings: 'on' | 'off') {
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  await client.query(
    `set standard_conforming_strings = ${standardStrings}; set statement_timeout = '5s'; create sequence fuzz_canary`,
  );
  const asleep = async () => {
    const { rows } = await client.query(
      "select not is_called and coalesce(current_setting('fuzz.canary', true), '') = '' as yes from fuzz_canary",
    );
    return rows[0]?.yes === true;
  };
  const sleep = () => client.query("select setval('fuzz_canary', 1, false), set_config('fuzz.canary', '', false)");
  const runOne = async (text: string) => {
    // One statement only, as in our own sessions.
    const config: QueryConfig & { queryMode: 'extended' } = { text, queryMode: 'extended' };
    return await client.query(config).then(
      () => 1,
      () => 0,
    );
  };
  return {
    async run(statements: readonly string[]): Promise<{ ran: number; woke: readonly string[] }> {
      let ran = 0;
      for (const sql of statements) ran += await runOne(sql);
      const woke: string[] = [];
      if (await asleep()) return { ran, woke };
      // Finds the statement that had the effect.
      for (const sql of statements) {
        await sleep();
        await runOne(sql);
        if (!(await asleep())) woke.push(sql);
      }
      await sleep();
      return { ran, woke };
    },
    close: () => client.end(),
  };
}
