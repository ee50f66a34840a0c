import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readText, ServerProcess } from '../server-process.ts';
import { createTempFolder, type TempFolder } from '../temp-folder.ts';

const run = promisify(execFile);

export interface FirstTime {
  /** The name of the package, `something-mcp`. */
  name: string;
  folder: string;
  /** Tools of the program; those that write are not there with `--readonly`. */
  tools: { shown: string; hidden?: string };
  /** What a person types to add a connection: nothing listens there, at port 1 of this machine. */
  add: { url: string; secret: string; listed: RegExp };
  /** A call that needs the connection. */
  ask: { tool: string; args: Record<string, unknown> };
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * A first-time user on a machine without anything from us: the packed tarball, an empty home folder, and the
 * steps of the README in their order. Only `npx` is not taken, which would fetch what is published.
 */
export function describeFirstTime({ name, folder, tools, add, ask }: FirstTime): void {
  const app = name.replace(/-mcp$/, '');
  describe(`the first time with ${name}`, () => {
    let machine: TempFolder;
    let home: string;
    let program: string;

    beforeAll(async () => {
      machine = createTempFolder();
      home = machine.at('home');
      const place = machine.at('app');
      for (const path of [home, place]) mkdirSync(path);
      const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', machine.path], { cwd: folder });
      const tarball = machine.at(basename(stdout.trim()));
      await run('npm', ['init', '-y'], { cwd: place });
      await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: place });
      program = join(place, 'node_modules', '.bin', name);
    }, 120_000);
    afterAll(() => machine[Symbol.dispose]());

    async function type(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
      const options = { cwd: home, env: { PATH: process.env.PATH, HOME: home, ...env } };
      const running = run(program, [...args], options);
      // No one is at this terminal.
      running.child.stdin?.end();
      return await running.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        // What `execFile` rejects with has these.
        (error: Ended) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
      );
    }

    const clientFile = () => join(home, '.cursor', 'mcp.json');
    const store = () => join(home, '.config', app, 'connections.json');

    function readEntry(): { command: string; args: string[] } | undefined {
      // Reads as the client does; a missing key fails the test.
      const config = JSON.parse(readFileSync(clientFile(), 'utf8')) as {
        mcpServers: Record<string, { command: string; args: string[] }>;
      };
      return config.mcpServers[app];
    }

    it('says how to begin, and does nothing without a person who agrees', async () => {
      const help = await type(['--help']);
      expect(help.stdout).toContain(`${name} install [CLIENT…]`);
      const list = await type(['connections', 'list']);
      expect(`${list.stdout}${list.stderr}`).toContain(`${name} connections add NAME URL`);
      const refused = await type(['install', 'cursor']);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('--yes');
      expect(existsSync(clientFile())).toBe(false);
    });

    it('is in the client after `install`, and answers as the client starts it', async () => {
      const installed = await type(['install', 'cursor', '--yes', '--readonly']);
      expect(installed).toMatchObject({ code: 0, stderr: '' });
      expect(installed.stdout).toContain(clientFile());
      expect(readEntry()).toEqual({ command: 'npx', args: ['-y', name, '--readonly'] });

      const args = readEntry()?.args.slice(2) ?? [];
      const server = new ServerProcess({ file: program, args, env: { HOME: home }, cwd: home });
      try {
        expect((await server.initialize()).result?.serverInfo).toMatchObject({ name });
        const listed = JSON.stringify((await server.request('tools/list')).result);
        expect(listed).toContain(`"${tools.shown}"`);
        if (tools.hidden !== undefined) expect(listed).not.toContain(`"${tools.hidden}"`);
        expect(readText(await server.callTool('list_connections'))).toContain('add_connection');
      } finally {
        expect(await server.stop()).toMatchObject({ code: 0 });
        expect(server.impure).toEqual([]);
      }
    });

    it('takes a connection from a person, keeps its secret out of sight, and says what is wrong with it', async () => {
      const { url, secret } = add;
      const tried = await type(['connections', 'add', 'shop', url]);
      expect(tried.code).toBe(1);
      expect(tried.stderr).toMatch(/^E_CONNECT_REFUSED: .*\n.*--yes.*\nshop was not saved\.\n$/);
      expect(existsSync(store())).toBe(false);
      const added = await type(['connections', 'add', 'shop', url, '--yes']);
      expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Added shop, read-only, to /) });
      const list = await type(['connections', 'list']);
      expect(list.stdout).toMatch(add.listed);
      const doctor = await type(['doctor']);
      expect(doctor.stdout).toMatch(/!!\s+shop .*E_CONNECT_REFUSED/);
      expect(doctor.stdout).toContain(`Cursor has it, in ${clientFile()}`);
      expect(JSON.stringify([tried, added, list, doctor])).not.toContain(secret);
      expect(readFileSync(store(), 'utf8')).toContain(secret);

      const server = new ServerProcess({ file: program, env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }, cwd: home });
      try {
        await server.initialize();
        expect(readText(await server.callTool('list_connections'))).toMatch(/^shop,.*true/m);
        expect(readText(await server.callTool(ask.tool, ask.args))).toContain('E_CONNECT_REFUSED');
      } finally {
        expect(await server.stop()).toMatchObject({ code: 0 });
        expect(server.stdout).not.toContain(secret);
      }
    });

    it('leaves nothing in the client after `uninstall`, and the connections where they are', async () => {
      const gone = await type(['uninstall', 'cursor', '--yes']);
      expect(gone).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(clientFile())).toBe(false);
      expect(existsSync(store())).toBe(true);
      const again = await type(['uninstall', 'cursor', '--yes']);
      expect(again.stdout).toContain(`does not have ${name}`);
    });
  });
}
