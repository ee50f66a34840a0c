import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createTempFolder, HttpProcess, readText, ServerProcess, type TempFolder } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { runDirect } from './direct.ts';
import { formatSlowRead } from './slow-read.ts';

const engine = useEngine('postgres18', { shared: true });
const run = promisify(execFile);

let folder: TempFolder;
let servers: { stop(): Promise<unknown> }[];
beforeEach(() => {
  folder = createTempFolder();
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  folder[Symbol.dispose]();
});

/** One user: all programs of a test have the same state folder. */
function environment(connection: string): Record<string, string> {
  const { host, port, user, password, scheme } = engine();
  const connections = [{ name: connection, type: scheme, host, port, user, password }];
  return { XDG_CONFIG_HOME: folder.at('config'), DBMOLE_CONNECTIONS: JSON.stringify(connections) };
}

function makeRoot(name: string): string {
  mkdirSync(folder.at(name), { recursive: true });
  return realpathSync(folder.at(name));
}

/** `serve` in the folder of a project, whose only connection has the name of the folder. */
function startServe(name: string, args: readonly string[] = []): HttpProcess {
  const server = new HttpProcess({ file: bin, cwd: makeRoot(name), env: environment(name), args, projectPort: true });
  servers.push(server);
  return server;
}

async function openStdio(args: readonly string[] = []): Promise<ServerProcess> {
  const server = new ServerProcess({ file: bin, args: ['--projects', ...args], env: environment('local') });
  servers.push(server);
  await server.initialize();
  return server;
}

async function runProgram(words: readonly string[], cwd = folder.path): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, ...environment('local') };
  const { code, stdout, stderr } = await run(process.execPath, [bin, ...words], { cwd, env }).then(
    (done) => ({ ...done, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code, out: stdout, err: stderr };
}

/** What the HTTP server answers to the same call without anything between. */
async function callDirectly({ url, token }: HttpProcess, name: string, args: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const text = await response.text();
  return JSON.parse(text.replace(/^[^{]*/, '')).result;
}

async function countRunning(mark: string): Promise<number> {
  const sql = `select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%${mark}%'`;
  const [row] = await runDirect(engine(), [sql]);
  return Number(row?.[0]);
}

describe('a stdio server with --projects', () => {
  it('adds the argument to every tool', async () => {
    const { result } = await (await openStdio()).request('tools/list');
    const tools = result?.tools as { inputSchema: { properties: Record<string, unknown> } }[];
    expect(tools.length).toBeGreaterThan(5);
    for (const { inputSchema } of tools) expect(Object.keys(inputSchema.properties).at(-1)).toBe('project');
  });

  it('returns what the server of the project answers, byte for byte', async () => {
    const shop = await startServe('shop').listening();
    await startServe('blog').listening();
    const stdio = await openStdio();
    const sql = 'select \'é\u2028 "quoted" \\\\ </a>\' as text, 12345678901234567890::numeric as n, null as x';
    for (const [name, args] of [
      ['query', { sql }],
      ['query', { sql: 'select * from nothing' }],
      ['list_connections', {}],
      ['query', {}],
    ] as const) {
      const { result } = await stdio.callTool(name, { ...args, project: folder.at('shop') });
      expect(JSON.stringify(result)).toBe(JSON.stringify(await callDirectly(shop, name, args)));
    }
    expect(readText(await stdio.callTool('list_connections', { project: folder.at('blog') }))).toContain('blog');
    expect(readText(await stdio.callTool('list_connections'))).toContain('local');
  });

  it('stops the statement in the other project when its client cancels the call', async () => {
    await startServe('shop').listening();
    const stdio = await openStdio();
    const project = folder.at('shop');
    const sql = formatSlowRead('postgres', 'by project');
    const { cancel } = stdio.start('tools/call', { name: 'query', arguments: { sql, timeout_ms: 40_000, project } });
    await expect.poll(() => countRunning('by project'), { timeout: 10_000 }).toBe(1);
    cancel();
    await expect.poll(() => countRunning('by project'), { timeout: 5_000 }).toBe(0);
    expect(readText(await stdio.callTool('query', { sql: 'select 6 * 7', project }))).toContain('42');
  });

  it('stops the statement in the other project when it is killed itself', async () => {
    await startServe('shop').listening();
    const stdio = await openStdio();
    const args = { sql: formatSlowRead('postgres', 'front gone'), timeout_ms: 40_000, project: folder.at('shop') };
    stdio.start('tools/call', { name: 'query', arguments: args }).answer.catch(() => undefined);
    await expect.poll(() => countRunning('front gone'), { timeout: 10_000 }).toBe(1);
    stdio.child.kill('SIGKILL');
    await expect.poll(() => countRunning('front gone'), { timeout: 5_000 }).toBe(0);
  });

  it('says that the server of the project did not answer when that is killed, and then that none runs', async () => {
    const shop = await startServe('shop').listening();
    const stdio = await openStdio();
    const project = folder.at('shop');
    const call = stdio.callTool('query', { sql: formatSlowRead('postgres', 'server gone'), timeout_ms: 40_000, project });
    await expect.poll(() => countRunning('server gone'), { timeout: 10_000 }).toBe(1);
    shop.child.kill('SIGKILL');
    expect(readText(await call)).toContain(`E_NO_ANSWER: the server of project ${project} did not answer.`);
    expect(readText(await stdio.callTool('query', { sql: 'select 1', project }))).toBe(
      `E_NO_SERVER: no server is running for project ${project}.\nNext: Ask the user to run \`dbmole-mcp serve\` in ${project}.`,
    );
  });

  it.each(['legacy', 'auto'] as const)('passes answers, progress and cancelling to a client of either era (%s)', async (mode) => {
    await startServe('shop').listening();
    const project = folder.at('shop');
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, ...environment('local') };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, '--projects'], env }));
    servers.push({ stop: () => client.close() });
    const seen: number[] = [];
    const call = { name: 'query', arguments: { sql: 'select pg_sleep(6)', project } };
    const reply = await client.callTool(call, { onprogress: ({ progress }) => seen.push(progress) });
    expect([reply.isError ?? false, seen.length > 0]).toEqual([false, true]);
    const mark = `by project ${mode}`;
    const controller = new AbortController();
    const slow = { name: 'query', arguments: { sql: formatSlowRead('postgres', mark), timeout_ms: 40_000, project } };
    const cancelled = client.callTool(slow, { signal: controller.signal }).catch((error: Error) => error);
    await expect.poll(() => countRunning(mark), { timeout: 10_000 }).toBe(1);
    controller.abort();
    expect(await cancelled).toBeInstanceOf(Error);
    await expect.poll(() => countRunning(mark), { timeout: 5_000 }).toBe(0);
  });

  it('lets no client of a read-only server write through another project', async () => {
    const { user } = engine();
    await startServe('shop').listening();
    const project = folder.at('shop');
    const [free, locked] = [await openStdio(), await openStdio(['--readonly'])];
    expect(readText(await free.callTool('list_connections', { project }))).toContain(user);
    const isReadonly = async (server: ServerProcess) =>
      /\btrue\b/.test(readText(await server.callTool('list_connections', { project })));
    expect([await isReadonly(free), await isReadonly(locked)]).toEqual([false, true]);
    const { error } = await locked.callTool('execute', { sql: 'create table t (x int)', project });
    expect(error?.message).toContain('no tool is called "execute"');
  });
});

describe('serve for a project', () => {
  it('takes the port of the last time, and refuses a second server for one project', async () => {
    const first = await startServe('shop').listening();
    const second = startServe('shop');
    expect((await second.exited).code).toBe(1);
    expect(second.stderr).toContain(`a server is running for project ${makeRoot('shop')}: ${first.url}`);
    expect((await first.stop()).code).toBe(0);
    expect((await startServe('shop').listening()).url).toBe(first.url);
  });

  it('takes over from the running server and from its port', async () => {
    const first = await startServe('shop').listening();
    const second = await startServe('shop', ['--takeover']).listening();
    expect([second.url, (await first.exited).code]).toEqual([first.url, 0]);
  });

  it('does not start where a file of a folder above disables it', async () => {
    writeFileSync(folder.at('.dbmole.json'), '{ "version": 1, "serve": { "enabled": false } }');
    const { code, err } = await runProgram(['serve', '--port', '0'], makeRoot('shop'));
    expect([code, err]).toEqual([1, expect.stringContaining(`by ${realpathSync(folder.at('.dbmole.json'))}`)]);
  });

  it.each(['65536', '-1', 'x'])('refuses port %s before anything is bound', async (port) => {
    const { code, err } = await runProgram(['serve', `--port=${port}`], makeRoot('shop'));
    expect([code, err]).toEqual([2, expect.stringContaining(`invalid --port "${port}": expected a number from 0 to 65535`)]);
  });
});

describe('the command projects', () => {
  it('lists roots, ports, states and clients', async () => {
    expect((await runProgram(['projects'])).err).toContain('No project has been served yet.');
    const shop = await startServe('shop').listening();
    const blog = await startServe('blog').listening();
    await blog.stop();
    const { port } = new URL(shop.url);
    const { out } = await runProgram(['projects']);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['project', 'port', 'state', 'clients', 'url'],
      [makeRoot('blog'), new URL(blog.url).port, 'not running'],
      [makeRoot('shop'), port, 'running', '0', shop.url],
    ]);
    const json = JSON.parse((await runProgram(['projects', '--json'])).out);
    expect(json[1]).toEqual({ root: makeRoot('shop'), port: Number(port), state: 'running', url: shop.url, clients: 0 });
  });
});
