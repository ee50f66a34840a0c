import { createHash, randomBytes } from 'node:crypto';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@dbmole/core';
import { type Cache, cached, createDataFolder, type WorkFolder } from './cache.ts';
import { type KeptPlan, readLogEnd, runKept } from './keeper.ts';
import { engineVersion } from './machine.ts';
import { insertRows } from './sample-rows.ts';
import { createTables, finishTables } from './sample-tables.ts';

export const shop = { database: 'shop', owner: 'shop_owner', reader: 'shop_reader' } as const;

/** A data folder with the sample shop in it, from which every server gets a copy. */
export interface Template {
  data: string;
  /** The file that says who may log in. */
  access: string;
  /** Of both roles. Made for this cache: the engine listens where every user of the machine can reach it. */
  password: string;
}

export interface TemplateOptions {
  cache: Cache;
  programs: string;
  signal: AbortSignal;
}

export async function openTemplate(options: TemplateOptions): Promise<Template> {
  const text = [shopSql(), accessRules, rolesSql('')].join();
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const folder = await cached(options.cache, `shop-${engineVersion}-${hash}`, (work) => fillTemplate(work, options));
  return {
    data: join(folder, 'data'),
    access: join(folder, accessFile),
    password: await readFile(join(folder, 'password'), 'utf8'),
  };
}

async function fillTemplate(work: WorkFolder, options: TemplateOptions): Promise<void> {
  const data = await createDataFolder(work, options.cache);
  await run('initdb', ['-D', data, ...initOptions], { ...options, work });
  const password = randomBytes(18).toString('hex');
  await runSql('template1', rolesSql(password), { ...options, work });
  await runSql(shop.database, shopSql(), { ...options, work });
  await writeFile(join(work.content, accessFile), accessRules);
  await chmod(join(work.content, accessFile), 0o644);
  await writeFile(join(work.content, 'password'), password, { mode: 0o600 });
}

/** No locale of the system: the same order of texts everywhere. Small files, because they are copied at every start. */
const initOptions = [
  ...['-U', 'postgres', '--auth=reject', '-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ...['--wal-segsize=1', '--no-sync', '--no-instructions'],
];

const accessFile = 'access.conf';
/** Nobody logs in as the superuser, who could run programs; the two roles can do nothing outside their database. */
const accessRules = [shop.reader, shop.owner]
  .map((role) => `host ${shop.database} ${role} 127.0.0.1/32 scram-sha-256\n`)
  .join('');

const rolesSql = (password: string) => `create role ${shop.owner} login password '${password}';

create role ${shop.reader} login password '${password}';

alter database postgres rename to ${shop.database};

alter database ${shop.database} owner to ${shop.owner};

update pg_database set datistemplate = false where datname = 'template0';

drop database template0;`;

const shopSql = () => `set session authorization ${shop.owner};

${createTables}

${insertRows}

${finishTables}

grant select on all tables in schema public to ${shop.reader};

alter default privileges in schema public grant select on tables to ${shop.reader};

vacuum (freeze, analyze) customers, products, orders, order_items;`;

interface Step extends TemplateOptions {
  work: WorkFolder;
}

/** In single-user mode, which needs no login and no port. It goes on after errors, so we look for them in what it prints. */
async function runSql(database: string, sql: string, step: Step): Promise<void> {
  const { work } = step;
  const input = join(work.path, 'input.sql');
  await writeFile(input, `${sql}\n\n`, { mode: 0o600 });
  const args = ['--single', '-j', '-D', join(work.content, 'data'), '-c', 'fsync=off', '-c', 'log_checkpoints=off', database];
  await run('postgres', args, step, input);
  await rm(input);
  const printed = await readLogEnd(work.log);
  if (/\b(ERROR|FATAL|PANIC):/.test(printed)) throw broken('postgres', printed);
}

async function run(program: string, args: readonly string[], step: Step, input?: string): Promise<void> {
  const kept = { ...engineProgram(program, step), args, ...(input !== undefined && { input }) };
  const printed = await runKept(kept, step.signal);
  if (printed !== undefined) throw broken(program, printed);
}

/** How each program of the engine is run. It is stopped at once: nobody needs its data again. */
export function engineProgram(
  program: string,
  { work, programs, cache }: Pick<Step, 'work' | 'programs' | 'cache'>,
): Omit<KeptPlan, 'args'> {
  return {
    command: join(programs, 'bin', program),
    cwd: work.content,
    env: engineEnvironment(),
    user: cache.user,
    log: work.log,
    stopSignal: 'SIGQUIT',
    removes: work.path,
  };
}

/** Nothing of ours: the engine knows variables that change what it does. */
function engineEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, TZ: 'UTC', LC_ALL: 'C', ...(SystemRoot !== undefined && { SystemRoot }) };
}

export function broken(program: string, printed: string): Failure {
  return new Failure('engine', `the sample database cannot be started: ${program} failed: ${printed.slice(-600)}`, {
    code: 'E_DEMO_ENGINE',
    hint: 'Call again; if it stays so, a person deletes the folder "dbmole" in the cache, and everything is made anew.',
  });
}
