import { createHash, randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '@dbmole/core';
import {
  cachedFolder,
  createDataFolder,
  type LaunchPlan,
  postgres18,
  postgresProgram,
  readLogEnd,
  runSupervised,
  startFailed,
  type WorkFolder,
} from '@dbmole/local-engine';
import { daysUntil } from './sample-days.ts';
import { insertRows } from './sample-rows.ts';
import { createTables, finishTables } from './sample-tables.ts';

export const shop = { database: 'shop', owner: 'shop_owner', reader: 'shop_reader' } as const;

/** A data folder with the sample shop in it, from which every server gets a copy. */
export interface Template {
  data: string;
  /** The file that says who may log in. */
  access: string;
  /** The password of both roles. It is generated for this cache, because every user of the machine can reach the engine. */
  password: string;
}

interface TemplateOptions {
  cache: string;
  programs: string;
  signal: AbortSignal;
}

export async function openTemplate(options: TemplateOptions): Promise<Template> {
  const month = new Date().toISOString().slice(0, 7);
  const text = [shopSql(0), accessRules, rolesSql(''), month].join();
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const folder = await cachedFolder(options.cache, `shop-${postgres18.version}-${hash}`, (work) => fillTemplate(work, options));
  await removeOld(dirname(folder), basename(folder));
  return {
    data: join(folder, 'data'),
    access: join(folder, accessFile),
    password: await readFile(join(folder, 'password'), 'utf8'),
  };
}

const oldMs = 40 * 86_400_000;

/** Each month has another one. Those of long ago are not copied any more by a server that is still starting. */
async function removeOld(place: string, current: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith('shop-') && name !== current);
  for (const name of names) {
    const path = join(place, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > oldMs) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function fillTemplate(work: WorkFolder, options: TemplateOptions): Promise<void> {
  const data = await createDataFolder(join(work.content, 'data'));
  await run('initdb', ['-D', data, ...initOptions], { ...options, work });
  const password = randomBytes(18).toString('hex');
  await runSql('template1', rolesSql(password), { ...options, work });
  await runSql(shop.database, shopSql(daysUntil(new Date())), { ...options, work });
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
/** No one logs in as the superuser, who could run programs; the two roles can do nothing outside their database. */
const accessRules = [shop.reader, shop.owner]
  .map((role) => `host ${shop.database} ${role} 127.0.0.1/32 scram-sha-256\n`)
  .join('');

const rolesSql = (password: string) => `create role ${shop.owner} login password '${password}';

create role ${shop.reader} login password '${password}';

alter database postgres rename to ${shop.database};

alter database ${shop.database} owner to ${shop.owner};

update pg_database set datistemplate = false where datname = 'template0';

drop database template0;`;

/** What was inserted has to be counted before ANALYZE, or it would count as changes since then. */
const shopSql = (days: number) => `set session authorization ${shop.owner};

${createTables}

${insertRows(days)}

${finishTables}

grant select on all tables in schema public to ${shop.reader};

alter default privileges in schema public grant select on tables to ${shop.reader};

select pg_stat_force_next_flush();

vacuum (freeze, analyze) customers, products, orders, order_items;`;

interface Step extends TemplateOptions {
  work: WorkFolder;
}

/**
 * The engine runs in single-user mode, which needs no login and no port. It continues after errors, so we look for them in its
 * output.
 */
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
  const plan = { ...enginePlan(program, step), args, ...(input !== undefined && { input }) };
  const printed = await runSupervised(plan, { signal: step.signal });
  if (printed !== undefined) throw broken(program, printed);
}

/** How each program of the engine is run. It is stopped at once: its data is not needed again. */
export function enginePlan(program: string, { work, programs }: Pick<Step, 'work' | 'programs'>): Omit<LaunchPlan, 'args'> {
  return {
    ...postgresProgram(programs, program),
    cwd: work.content,
    log: work.log,
    directory: work.path,
    stopSignal: 'SIGQUIT',
    stopWithin: 3_000,
  };
}

function broken(program: string, printed: string): Failure {
  return new Failure('engine', `${program} failed: ${printed.slice(-600)}`, { code: startFailed });
}
