import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { openNode } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileServer } from './hub-world.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));
const name = 'molehub-mcp';

/** A new user: the tarball, an empty home folder, a client that has servers already, and the steps of the README. */
describe('the tarball of molehub-mcp', () => {
  let scratch: string;
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'mole-hub-'));
    const tarball = await findTarball();
    await run('npm', ['init', '-y'], { cwd: scratch });
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: scratch });
  }, 120_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  async function findTarball(): Promise<string> {
    const { MOLE_PACKAGES: packages } = process.env;
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (packages !== undefined) return join(packages, `${name}-${version}.tgz`);
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: folder });
    return join(scratch, basename(stdout.trim()));
  }

  it('is one package, with no install script and no native module', async () => {
    const packages = readdirSync(join(scratch, 'node_modules')).filter((entry) => !entry.startsWith('.'));
    expect(packages).toEqual([name]);
    const files = readdirSync(join(scratch, 'node_modules', name), { recursive: true }).map(String);
    expect(files.filter((file) => /\.node$|\.map$|\.ts$|node_modules/.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD_PARTY_NOTICES.md', join('dist', 'main.js')]));
  });

  it.each([20, 22, 24] as const)('takes over a client, serves it and gives it back on Node %s', async (line) => {
    const node = await openNode(line);
    const main = join(scratch, 'node_modules', name, 'dist', 'main.js');
    const home = mkdtempSync(join(tmpdir(), 'mole-hub-home-'));
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_CACHE_HOME: join(home, '.cache'),
    };
    const type = async (...args: string[]) => (await run(node, [main, ...args], { cwd: home, env })).stdout;
    const clientFile = join(home, '.cursor', 'mcp.json');
    const before = JSON.stringify({ mcpServers: { old: { command: node, args: [hostileServer], env: { ONLY: 'a' } } } });
    mkdirSync(join(home, '.cursor'));
    writeFileSync(clientFile, before);
    try {
      expect(await type('--help')).toContain('molehub-mcp install CLIENT');
      expect(await type('install', 'cursor', '--yes')).toContain('Added molehub-mcp to Cursor');
      expect(await type('check')).toMatch(/^ok {2}old: hostile 6\.6\.6, 14 tools, 1 prompt, 3 resources/);
      const { mcpServers } = JSON.parse(readFileSync(clientFile, 'utf8'));
      expect(mcpServers).toEqual({ molehub: { command: 'npx', args: ['-y', name] } });
      for (const args of [[], ['--shared', '--idle', '1s']]) {
        const server = new ServerProcess({ file: main, args, node, env, cwd: home });
        expect((await server.initialize()).result?.serverInfo).toMatchObject({ name });
        expect(JSON.stringify((await server.request('tools/list')).result)).toContain('"old__echo"');
        expect(readText(await server.callTool('old__echo', { value: 'hi' }))).toBe('hi');
        expect(JSON.stringify((await server.request('prompts/list')).result)).toContain('"old__greet"');
        const { result } = await server.request('resources/read', { uri: 'molehub://old/demo://notes/7' });
        expect(JSON.stringify(result)).toContain('the text of demo://notes/7');
        expect(await server.stop()).toMatchObject({ code: 0 });
        expect(server.impure).toEqual([]);
      }
      expect(await type('uninstall', 'cursor', '--yes')).toContain('Removed molehub-mcp');
      expect(readFileSync(clientFile, 'utf8')).toBe(before);
      expect(existsSync(join(home, '.config', 'molehub', 'mcp.json'))).toBe(true);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
