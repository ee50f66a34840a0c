import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess, textOf } from './server-process.ts';

export interface PackedLeaf {
  name: string;
  /** Its folder, built. */
  folder: string;
  /** For each line of Node, its executable. */
  runtimes: Readonly<Record<string, () => Promise<string>>>;
  /** How many tools it has. */
  tools: number;
  /** More that the installed package must be able to do; the server is initialized. */
  check?(server: ServerProcess): Promise<void>;
  env?(): Record<string, string>;
}

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** The one that will be published, where `MOLE_PACKAGES` names the folder of those; else it is packed into `scratch`. */
async function findTarball(folder: string, scratch: string): Promise<string> {
  const { MOLE_PACKAGES: packages } = process.env;
  if (packages !== undefined) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; version: string };
    return join(packages, `${name}-${version}.tgz`);
  }
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: folder });
  return join(scratch, basename(stdout.trim()));
}

/** What a user gets: the tarball, installed into an empty folder, started by its bin. */
export function describeTarball({ name, folder, runtimes, tools, check, env }: PackedLeaf): void {
  describe(`the tarball of ${name}`, () => {
    let scratch: string;
    let installed: string;

    beforeAll(async () => {
      scratch = mkdtempSync(join(tmpdir(), 'mole-pack-'));
      const tarball = await findTarball(folder, scratch);
      await run('npm', ['init', '-y'], { cwd: scratch });
      // With scripts: an install script of ours or of a dependency must not hide behind our own settings.
      await run('npm', ['install', ...quiet, tarball], { cwd: scratch });
      installed = join(scratch, 'node_modules', name);
    }, 120_000);
    afterAll(() => rmSync(scratch, { recursive: true, force: true }));

    it('is one package, with no install script and no native module', () => {
      const packages = readdirSync(join(scratch, 'node_modules')).filter((entry) => !entry.startsWith('.'));
      expect(packages).toEqual([name]);
      const manifest: unknown = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
      expect(manifest).not.toHaveProperty('dependencies');
      expect(manifest).not.toHaveProperty('scripts');
      const files = readdirSync(installed, { recursive: true }).map(String);
      expect(files.filter((file) => /\.node$|\.map$|\.ts$|node_modules/.test(file))).toEqual([]);
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD_PARTY_NOTICES.md', join('dist', 'main.js')]));
    });

    it('starts by its bin', async () => {
      const { stdout } = await run(join(scratch, 'node_modules', '.bin', name), ['--version']);
      const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
      expect(stdout.trim()).toBe(manifest.version);
    });

    it.each(Object.entries(runtimes))('answers over stdio on Node %s', async (line, open) => {
      const node = await open();
      expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${line}\\.`));
      const server = new ServerProcess({ file: join(installed, 'dist', 'main.js'), node, env: env?.() ?? {} });
      try {
        expect((await server.initialize()).result?.serverInfo).toMatchObject({ name });
        expect((await server.request('tools/list')).result?.tools).toHaveLength(tools);
        expect(textOf(await server.callTool('list_connections'))).not.toMatch(/\bE_[A-Z]/);
        await check?.(server);
      } finally {
        expect(await server.stop()).toMatchObject({ code: 0 });
        expect(server.impure).toEqual([]);
      }
    });
  });
}
