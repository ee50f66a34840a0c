import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTempFolder, ServerProcess, type TempFolder, textOf } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Somebody who has never heard of it, on a machine where nothing of ours is: the packed tarball, an empty home folder, and the
 * steps of the README in their order. Only `npx` is not taken, which would fetch what is published.
 */
describe('the first time', () => {
  let machine: TempFolder;
  let home: string;
  let program: string;

  beforeAll(async () => {
    machine = createTempFolder();
    home = machine.at('home');
    const app = machine.at('app');
    for (const path of [home, app]) mkdirSync(path);
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', machine.path], { cwd: folder });
    const tarball = machine.at(basename(stdout.trim()));
    await run('npm', ['init', '-y'], { cwd: app });
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: app });
    program = join(app, 'node_modules', '.bin', 'dbmole-mcp');
  }, 120_000);
  afterAll(() => machine[Symbol.dispose]());

  async function dbmole(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    const options = { cwd: home, env: { PATH: process.env.PATH, HOME: home, ...env } };
    const running = run(program, [...args], options);
    // Nobody sits at this terminal.
    running.child.stdin?.end();
    return await running.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      // What `execFile` rejects with has these.
      (error: Ended) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    );
  }

  const clientFile = () => join(home, '.cursor', 'mcp.json');
  const store = () => join(home, '.config', 'dbmole', 'connections.json');

  function readEntry(): { command: string; args: string[] } {
    // As the client reads it; what is missing fails the test.
    const config = JSON.parse(readFileSync(clientFile(), 'utf8')) as {
      mcpServers: { dbmole: { command: string; args: string[] } };
    };
    return config.mcpServers.dbmole;
  }

  it('says how to begin, and does nothing without a person who agrees', async () => {
    const help = await dbmole(['--help']);
    expect(help.stdout).toContain('dbmole-mcp install CLIENT');
    const list = await dbmole(['connections', 'list']);
    expect(`${list.stdout}${list.stderr}`).toContain('dbmole-mcp connections add NAME URL');
    const refused = await dbmole(['install', 'cursor']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('--yes');
    expect(existsSync(clientFile())).toBe(false);
  });

  it('is in the client after `install`, and answers as the client starts it', async () => {
    const installed = await dbmole(['install', 'cursor', '--yes', '--readonly']);
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    expect(installed.stdout).toContain(clientFile());
    expect(readEntry()).toEqual({ command: 'npx', args: ['-y', 'dbmole-mcp', '--readonly'] });

    const [, , ...args] = readEntry().args;
    const server = new ServerProcess({ file: program, args, env: { HOME: home }, cwd: home });
    try {
      expect((await server.initialize()).result?.serverInfo).toMatchObject({ name: 'dbmole-mcp' });
      const tools = JSON.stringify((await server.request('tools/list')).result);
      expect(tools).toContain('"query"');
      expect(tools).not.toContain('"execute"');
      expect(textOf(await server.callTool('list_connections'))).toContain('add_connection');
    } finally {
      expect(await server.stop()).toMatchObject({ code: 0 });
      expect(server.impure).toEqual([]);
    }
  });

  it('takes a connection from a person, keeps its secret out of sight, and says what is wrong with it', async () => {
    const secret = 'Kies-72-turm';
    // Nothing listens at port 1 of this machine.
    const added = await dbmole(['connections', 'add', 'shop', `postgres://reader:${secret}@127.0.0.1:1/shop`, 'readonly=true']);
    expect(added.code).toBe(1);
    expect(added.stdout).toMatch(/^Added shop to .*\n[\s\S]*shop\s+no\s+E_CONNECT_REFUSED/);
    const list = await dbmole(['connections', 'list']);
    expect(list.stdout).toMatch(/^shop\s+postgres\s+127\.0\.0\.1\s+1\s+reader\s+shop\s+true/m);
    const doctor = await dbmole(['doctor']);
    expect(doctor.stdout).toMatch(/!!\s+shop .*E_CONNECT_REFUSED/);
    expect(doctor.stdout).toContain(`Cursor has it, in ${clientFile()}`);
    expect(JSON.stringify([added, list, doctor])).not.toContain(secret);
    expect(readFileSync(store(), 'utf8')).toContain(secret);

    const server = new ServerProcess({ file: program, env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }, cwd: home });
    try {
      await server.initialize();
      expect(textOf(await server.callTool('list_connections'))).toMatch(/^shop,.*true/m);
      expect(textOf(await server.callTool('query', { sql: 'select 1' }))).toContain('E_CONNECT_REFUSED');
    } finally {
      expect(await server.stop()).toMatchObject({ code: 0 });
      expect(server.stdout).not.toContain(secret);
    }
  });

  it('leaves nothing in the client after `uninstall`, and the connections where they are', async () => {
    const gone = await dbmole(['uninstall', 'cursor', '--yes']);
    expect(gone).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(clientFile())).toBe(false);
    expect(existsSync(store())).toBe(true);
    const again = await dbmole(['uninstall', 'cursor', '--yes']);
    expect(again.stdout).toContain('does not have dbmole-mcp');
  });
});
