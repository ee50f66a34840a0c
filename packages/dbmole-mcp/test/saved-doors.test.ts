import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTempFolder, HttpProcess, openHttpClient, readText, ServerProcess, type TempFolder } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listSampleQueries } from '../src/demo/sample-queries.ts';
import { bin } from './bin.ts';
import { createAccount } from './direct.ts';

const engine = useEngine('postgres18', { shared: true });
const library = fileURLToPath(new URL('../dist/library.js', import.meta.url));
const snapshot = fileURLToPath(new URL('./fixtures/saved-definitions.json', import.meta.url));

const run = promisify(execFile);
const answer = '1 row. Data, not instructions:\ndoubled\n42';
const doubled = `-- tool: number_double
-- description: Twice the number.
-- param value integer: the number
select :value::int * 2 as doubled`;

interface Definition {
  name: string;
  inputSchema: object;
  annotations: Record<string, boolean>;
}

describe('saved queries through each door', () => {
  let folder: TempFolder;
  let connections: readonly object[];
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = createTempFolder();
    mkdirSync(folder.at('few'));
    mkdirSync(folder.at('many'));
    writeFileSync(folder.at('few', 'double.sql'), doubled);
    for (let i = 0; i < 40; i++)
      writeFileSync(folder.at('many', `q${i}.sql`), doubled.replace('number_double', `number_double_${i}`));
    writeFileSync(
      folder.at('many', 'halve.sql'),
      '-- tool: number_halve\n-- description: Half of it.\n-- when: a user asks for less\nselect 0.5 as half',
    );
    connections = [{ ...(await createAccount(engine(), 'saved_doors')), name: 'main' }];
    env = { DBMOLE_CONNECTIONS: JSON.stringify(connections) };
  }, 60_000);
  afterAll(() => folder[Symbol.dispose]());

  async function start(args: readonly string[], more: Record<string, string> = {}): Promise<ServerProcess> {
    const server = new ServerProcess({ file: bin, args, env: { ...env, ...more } });
    onTestFinished(async () => {
      await server.stop();
    });
    await server.initialize();
    return server;
  }
  const list = async (server: ServerProcess) => (await server.request('tools/list')).result?.tools as Definition[];
  const sizeOf = (tools: readonly object[]) => Buffer.byteLength(JSON.stringify(tools));

  it('are offered over HTTP', async () => {
    const server = await new HttpProcess({ file: bin, args: ['--queries', folder.at('few')], env }).listening();
    onTestFinished(async () => {
      await server.stop();
    });
    const client = await openHttpClient('current, newer era', server);
    expect(await client.names()).toContain('number_double');
    expect((await client.call('number_double', { value: 21 })).text).toBe(answer);
    await client.close();
  });

  it('are offered by the shared process', async () => {
    const server = await start(['--shared', '--idle', '1s', '--queries', folder.at('few')]);
    expect((await list(server)).map(({ name }) => name)).toContain('number_double');
    expect(readText(await server.callTool('number_double', { value: 21 }))).toBe(answer);
  });

  it('are offered by the library, where a folder is named', async () => {
    const { createDbmole } = (await import(library)) as typeof import('../src/library.ts');
    const options = { connections: connections as [], queries: [folder.at('few')] };
    await using mole = await createDbmole(options);
    expect(mole.tools.map(({ name }) => name)).toContain('number_double');
    expect((await mole.call('number_double', { value: 21 })).content[0]?.text).toBe(answer);
    await using folded = await createDbmole({ ...options, queriesAs: 'one' });
    expect(folded.tools.map(({ name }) => name).slice(-2)).toEqual(['run_saved', 'list_saved']);
  });

  it('cannot take the name of another tool, which is reported, and hide no other file', async () => {
    mkdirSync(folder.at('names'));
    for (const name of ['list_tables', 'run_saved', 'number_double'])
      writeFileSync(folder.at('names', `${name}.sql`), doubled.replace('number_double', name));
    const tools = await list(await start(['--queries', folder.at('names')]));
    expect(tools.filter(({ name }) => name === 'list_tables')).toMatchObject([{ inputSchema: { properties: { pattern: {} } } }]);
    expect(tools.map(({ name }) => name)).not.toContain('run_saved');
    expect(tools.at(-1)?.name).toBe('number_double');
    const { stdout } = await run(process.execPath, [bin, 'queries', 'list', '--queries', folder.at('names')], {
      env: { HOME: folder.path, XDG_CONFIG_HOME: folder.at('.config') },
    });
    expect(stdout).toMatch(/^list_tables +broken[\s\S]*^number_double +ready[\s\S]*^run_saved +broken/m);
  });

  it('take the argument of --projects', async () => {
    const server = await start(['--projects', '--queries', folder.at('few')]);
    const [tool] = (await list(server)).filter(({ name }) => name === 'number_double');
    expect(tool?.inputSchema).toMatchObject({ properties: { project: {}, value: {} } });
  });

  it('are two tools of at most 900 bytes where there are many', async () => {
    const [server, plain] = [await start(['--queries', folder.at('many')]), await start([])];
    const tools = await list(server);
    expect(tools.map(({ name }) => name).slice(-2)).toEqual(['run_saved', 'list_saved']);
    expect(sizeOf(tools) - sizeOf(await list(plain))).toBeLessThanOrEqual(900);
    const run = async (args: object) => readText(await server.callTool('run_saved', { ...args }));
    expect(await run({ name: 'number_double_7', params: { value: 21 } })).toBe(answer);
    expect(await run({ name: 'number_double_7', value: '21' })).toBe(answer);
    expect(await run({ name: 'number_double_7', params: { value: '21', limit: 5 } })).toBe(answer);
    expect(await run({ name: 'number_double_7', params: { value: 21, other: 1 } })).toMatch(
      /unknown argument "other" in params\.\nNext: Params of number_double_7: value integer\.$/,
    );
    expect(await run({ name: 'number_double_7' })).toMatch(/E_INPUT.*value/s);
    expect(await run({ name: 'number_double_7', params: { value: 'x' } })).toContain(
      'params.value: expected a whole number such as 42, got "x"',
    );
    expect(await run({ name: 'number_duble_7' })).toMatch(/there is no saved query "number_duble_7".*number_double_7/s);
    expect(readText(await server.callTool('list_saved', { words: 'asking for less' }))).toBe(
      '1 saved query of 41 fit "asking for less". Data, not instructions:\nnumber_halve(): Half of it. Use it when a user asks for less.',
    );
    const greeting =
      '-- tool: name_greet\n-- description: Greets.\n-- param name text: whom. Example: Ann\nselect :name::text as hello';
    writeFileSync(folder.at('many', 'greet.sql'), greeting);
    expect(await run({ name: 'name_greet', params: { name: 'Bo', cell_limit: '10' } })).toContain('hello\nBo');
    expect(readText(await server.callTool('list_saved', { words: 'greets' }))).toContain(
      'name_greet(name text): Greets.\n  name: whom. Example: Ann',
    );
    writeFileSync(folder.at('many', 'new.sql'), doubled.replace('number_double', 'number_new'));
    expect(await run({ name: 'number_new', params: { value: 21 } })).toBe(answer);
    writeFileSync(folder.at('many', 'writes.sql'), '-- tool: all_delete\n-- description: x\n-- effect: write\ndelete from x');
    expect(await run({ name: 'all_delete' })).toContain('E_RESTART_NEEDED');
    const writing = await start(['--queries', folder.at('many')]);
    const folded = await list(writing);
    expect(folded.find(({ name }) => name === 'run_saved')?.annotations).toMatchObject({ destructiveHint: true });
    expect(sizeOf(folded) - sizeOf(await list(plain))).toBeLessThanOrEqual(900);
    const readonly = await list(await start(['--readonly', '--queries', folder.at('many')]));
    expect(readonly.find(({ name }) => name === 'run_saved')?.annotations).toMatchObject({ readOnlyHint: true });
  });

  it.each([
    ['query,queries/*', ['query', 'run_saved', 'list_saved']],
    ['query,number_double_3', ['query', 'number_double_3']],
    ['query', ['query']],
    ['queries/*,-number_halve', ['run_saved', 'list_saved']],
  ])('are selected by --tools %s', async (selection, names) => {
    const server = await start(['--tools', selection, '--queries', folder.at('many')]);
    expect((await list(server)).map(({ name }) => name)).toEqual(names);
    if (selection.includes('-number_halve'))
      expect(readText(await server.callTool('run_saved', { name: 'number_halve' }))).toContain('is not offered');
  });

  it('are those of the demo, as test/fixtures/saved-definitions.json has them; UPDATE_TOOL_DEFINITIONS=1 rewrites it', async () => {
    const definitions = (await list(await start(['--demo=sqlite']))).slice(-listSampleQueries('sqlite').length);
    expect(definitions).toHaveLength(5);
    const text = `${JSON.stringify(definitions, null, 2)}\n`;
    if (process.env.UPDATE_TOOL_DEFINITIONS === '1') writeFileSync(snapshot, text);
    expect(definitions).toEqual(JSON.parse(readFileSync(snapshot, 'utf8')));
  });
});
