import { type EngineAddress, type RunningEngine, startEngine } from '@dbmole/engines';
import { Client, type ClientConfig } from 'pg';
import { createChecker } from '../../src/engines/postgres/guard/checker.ts';
import type { CatalogQuestion } from '../../src/guard/read-statement.ts';
import { type BodyProgram, clearing, makeBodyProgram, type Setting, world } from './postgres-body-fuzz-programs.ts';
import { type CheckStatement, isTakenForRead } from './postgres-fuzz.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

interface BodyFuzzOptions {
  /** The same seed makes the same programs. */
  readonly seed: number;
  /** How many programs are made, over all servers together. */
  readonly statements: number;
  /** Where they run. Without any, one of each version is started, and stopped at the end. */
  readonly engines?: readonly RunningEngine[];
  /** Another guard than ours, for one batch. */
  readonly openCheck?: (run: CatalogQuestion) => CheckStatement;
  /** Ends it early: what was found until then is the answer. */
  readonly signal?: AbortSignal;
}

interface BodyFinding {
  readonly where: string;
  /** The whole program: what makes its objects, and what reads through them. */
  readonly sql: string;
}

export interface BodyFuzzReport {
  readonly made: number;
  /** What the server would not create, or ended with an error and without an effect. */
  readonly invalid: number;
  /** Those that the guard took for reads. */
  readonly accepted: number;
  /** Those that ran without an error. */
  readonly ran: number;
  /** Those with an effect that the guard refused. */
  readonly caught: number;
  /** Accepted by design: what an account without powers does with computed SQL. */
  readonly leftToPrivileges: number;
  /** Programs without any effect in them, all of whose SQL is known beforehand. */
  readonly provable: number;
  /** Those of them that were refused. */
  readonly falselyRefused: readonly BodyFinding[];
  /** Taken for reads, and yet they did what was hidden in them. */
  readonly found: readonly BodyFinding[];
}

const database = 'guard_body_fuzz';
const reader = { user: 'guard_body_fuzz_reader', password: 'reader-word' };
/** The guard reads the catalog once for so many. */
const batchSize = 400;
/** Of the batches, one after the other. */
const settings: readonly Setting[] = ['superuser', 'superuser', 'planter', 'superuser', 'reader'];
/** Created by one message, unless one of them cannot be. */
const groupSize = 10;
/** The number of the user that set up the server. */
const superuserOid = 10;

/**
 * Makes functions with a lock hidden in them, which outlives the transaction and which a read-only transaction does not stop. Each
 * program runs in such a transaction, past our own code, and the guard is asked what it thinks of it.
 */
export async function fuzzBodies(options: BodyFuzzOptions): Promise<BodyFuzzReport> {
  const engines = options.engines ?? (await Promise.all([startEngine('postgres14'), startEngine('postgres18')]));
  try {
    const statements = Math.ceil(options.statements / engines.length);
    const fuzzed = engines.map((engine, index) => fuzzOne(engine, { ...options, statements, seed: options.seed + index }));
    return (await Promise.all(fuzzed)).reduce(addUp);
  } finally {
    if (options.engines === undefined) await Promise.all(engines.map((engine) => engine.stop()));
  }
}

const nothing: BodyFuzzReport = {
  ...{ made: 0, invalid: 0, accepted: 0, ran: 0, caught: 0, leftToPrivileges: 0, provable: 0 },
  falselyRefused: [],
  found: [],
};

function addUp(a: BodyFuzzReport, b: BodyFuzzReport): BodyFuzzReport {
  return {
    made: a.made + b.made,
    invalid: a.invalid + b.invalid,
    accepted: a.accepted + b.accepted,
    ran: a.ran + b.ran,
    caught: a.caught + b.caught,
    leftToPrivileges: a.leftToPrivileges + b.leftToPrivileges,
    provable: a.provable + b.provable,
    falselyRefused: [...a.falselyRefused, ...b.falselyRefused],
    found: [...a.found, ...b.found],
  };
}

async function fuzzOne(engine: RunningEngine, options: BodyFuzzOptions): Promise<BodyFuzzReport> {
  const { admin, login } = await createBodyDatabase(engine);
  const sessions = { superuser: await openReader(login), reader: await openReader({ ...login, ...reader }) };
  try {
    const random = createSeededRandom(options.seed);
    let report = nothing;
    for (let batch = 0; report.made < options.statements && options.signal?.aborted !== true; batch++) {
      const setting = settings[batch % settings.length] ?? 'superuser';
      const session = setting === 'superuser' ? sessions.superuser : sessions.reader;
      const count = Math.min(batchSize, options.statements - report.made);
      const programs = makePrograms(random, { first: report.made + 1, count, setting });
      const tried = await tryBatch(programs, { admin, session, options });
      report = addUp(report, tried.map((one) => judge(one, { where: engine.id, setting })).reduce(addUp, nothing));
    }
    return report;
  } finally {
    await Promise.all([admin.end(), sessions.superuser.close(), sessions.reader.close()]);
  }
}

function makePrograms(random: SeededRandom, { first, count, setting }: { first: number; count: number; setting: Setting }) {
  return Array.from({ length: count }, (_, index) => makeBodyProgram(random, { number: first + index, setting }));
}

interface Tried {
  readonly program: BodyProgram;
  readonly ran: boolean;
  /** The roles that took the lock. */
  readonly actors: readonly number[];
  /** Undefined where it could not be created. */
  readonly isAccepted: boolean | undefined;
}

function judge({ program, ran, actors, isAccepted }: Tried, { where, setting }: { where: string; setting: Setting }) {
  const { setup, statement, isHarmless, isComputed } = program;
  const finding: BodyFinding = { where: `${where} as ${setting}`, sql: [...setup, statement].join(';\n') };
  const hasEffect = actors.length > 0;
  const isOwn = setting !== 'superuser' && isComputed && !actors.includes(superuserOid);
  // The rows of a refcursor can be of any type, and some types here do harm.
  const isProvable = isHarmless && !isComputed && ran && !/refcursor/i.test(finding.sql);
  const of = (is: boolean) => (is ? 1 : 0);
  return {
    made: 1,
    invalid: of(!ran && !hasEffect),
    accepted: of(isAccepted === true),
    ran: of(ran),
    caught: of(hasEffect && isAccepted === false),
    leftToPrivileges: of(hasEffect && isAccepted === true && isOwn),
    provable: of(isProvable),
    falselyRefused: isProvable && isAccepted === false ? [finding] : [],
    found: hasEffect && isAccepted === true && !isOwn ? [finding] : [],
  };
}

interface Places {
  readonly admin: Client;
  readonly session: Reader;
  readonly options: BodyFuzzOptions;
}

async function tryBatch(programs: readonly BodyProgram[], { admin, session, options }: Places): Promise<Tried[]> {
  await admin.query(clearing);
  await admin.query(world.join(';'));
  const created = new Set(await createPrograms(admin, programs));
  // Constants are checked when a view is made.
  await admin.query('select pg_advisory_unlock_all()');
  const ran = new Set<BodyProgram>();
  for (const program of created) if (await session.run(program.statement)) ran.add(program);
  const actors = await session.takeLocks();
  const check = options.openCheck?.(session.ask) ?? openOwnCheck(session.ask);
  const tried: Tried[] = [];
  for (const program of programs) {
    const isAccepted = created.has(program) ? await isTakenForRead(check, program.statement) : undefined;
    tried.push({ program, ran: ran.has(program), actors: actors.get(program.number) ?? [], isAccepted });
  }
  return tried;
}

/** The catalog does not change meanwhile, so no question is asked twice. */
function openOwnCheck(ask: CatalogQuestion): CheckStatement {
  const answers = new Map<string, ReturnType<CatalogQuestion>>();
  const run: CatalogQuestion = (sql, params = []) => {
    const key = JSON.stringify([sql, params]);
    const answer = answers.get(key) ?? ask(sql, params);
    answers.set(key, answer);
    return answer;
  };
  const checker = createChecker();
  return async (sql) => {
    await checker.check(sql, run);
  };
}

async function createPrograms(admin: Client, programs: readonly BodyProgram[]): Promise<readonly BodyProgram[]> {
  const created: BodyProgram[] = [];
  const create = (some: readonly BodyProgram[]) =>
    admin.query(some.flatMap(({ setup }) => setup).join(';\n')).then(
      () => created.push(...some),
      () => 0,
    );
  for (let from = 0; from < programs.length; from += groupSize) {
    const group = programs.slice(from, from + groupSize);
    if ((await create(group)) === 0) for (const program of group) await create([program]);
  }
  return created;
}

async function createBodyDatabase({ host, port, user, password }: EngineAddress) {
  const address = { host, port, user, password };
  const server = new Client({ ...address, database: 'postgres' });
  await server.connect();
  await server.query(`drop database if exists ${database} with (force)`);
  await server.query(`drop role if exists ${reader.user}`);
  await server.query(`create role ${reader.user} login password '${reader.password}'`);
  await server.query(`create database ${database}`);
  await server.end();
  const login = { ...address, database };
  const admin = new Client(login);
  await admin.connect();
  await admin.query("set client_min_messages = error; set statement_timeout = '60s'; set synchronous_commit = off");
  return { admin, login };
}

type Reader = Awaited<ReturnType<typeof openReader>>;

/** A session with nothing between it and the server. */
async function openReader(login: ClientConfig) {
  const client = new Client({ ...login, types: { getTypeParser: () => (text: string) => text } });
  await client.connect();
  await client.query("set client_min_messages = error; set statement_timeout = '60s'; set jit = off");
  const ask: CatalogQuestion = async (text, params = []) => {
    const { rows } = await client.query<(string | null)[]>({ text, values: [...params], rowMode: 'array' });
    return rows;
  };
  return {
    ask,
    /** Whether it ended without an error. */
    async run(statement: string): Promise<boolean> {
      return await client.query(`rollback; begin read only; ${statement}\n`).then(
        () => true,
        () => false,
      );
    },
    /** Frees them, and tells which roles took which. */
    async takeLocks(): Promise<ReadonlyMap<number, readonly number[]>> {
      await client.query('rollback');
      const rows = await ask(
        `select objid, array_agg(case objsubid when 2 then classid else ${superuserOid} end)::text from pg_locks
         where locktype = 'advisory' and pid = pg_backend_pid() group by 1`,
      );
      await client.query('select pg_advisory_unlock_all()');
      return new Map(
        rows.map(([key, roles]) => [Number(key), JSON.parse((roles ?? '{}').replace('{', '[').replace('}', ']')) as number[]]),
      );
    },
    close: () => client.end(),
  };
}
