import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpClientKinds, openHttpClient } from '../http/http-clients.ts';
import { HttpProcess } from '../http/http-process.ts';
import { startTestIssuer } from '../http/test-issuer.ts';
import { readText, ServerProcess } from '../server-process.ts';

export interface PackedLeaf {
  name: string;
  /** Its folder, built. */
  folder: string;
  /** For each line of Node, its executable. */
  runtimes: Readonly<Record<string, () => Promise<string>>>;
  /** How many tools it has. */
  tools: number;
  /** The function that a program imports, and a connection as TypeScript. */
  library: { creates: string; connection: string };
  /** More that the installed package must be able to do on a line of Node; the server is initialized. */
  check?(server: ServerProcess, line: string): Promise<void>;
  env?(): Record<string, string>;
  saved: SavedFile;
}

/** A file of a saved query, before and after a person edits it, and what each answers. */
interface SavedFile {
  app: string;
  extension: string;
  comment: string;
  connection: string;
  before: { body: string; answer: string };
  after: { body: string; answer: string };
}

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));
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
export function describeTarball({ name, folder, runtimes, tools, library, check, env, saved }: PackedLeaf): void {
  describe(`the tarball of ${name}`, () => {
    let scratch: string;
    let installed: string;

    beforeAll(async () => {
      scratch = mkdtempSync(join(tmpdir(), 'mole-pack-'));
      const tarball = await findTarball(folder, scratch);
      await run('npm', ['init', '-y'], { cwd: scratch });
      // Scripts are enabled: an install script, ours or a dependency's, must not hide behind our own settings.
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
      expect(files.filter((file) => /\.node$|\.map$|\.ts$|node_modules/.test(file))).toEqual([join('dist', 'library.d.ts')]);
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD_PARTY_NOTICES.md', join('dist', 'main.js')]));
    });

    it('starts by its bin', async () => {
      const { stdout } = await run(join(scratch, 'node_modules', '.bin', name), ['--version']);
      const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
      expect(stdout.trim()).toBe(manifest.version);
    });

    it.each([
      ['NodeNext', 'NodeNext'],
      ['ESNext', 'Bundler'],
    ])('has types for a strict program with modules of the kind %s', async (module, moduleResolution) => {
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'ES2022', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
        ...{ noEmit: true, types: ['node'], typeRoots: [join(modules, '@types')] },
      };
      writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }));
      writeFileSync(join(scratch, 'program.mts'), formatProgram(name, library));
      const compiled = run(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', scratch], { cwd: scratch });
      const errors = await compiled.then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
      // The last line is wrong on purpose: without types, it would not be.
      expect(errors.trim().split('\n')).toEqual([expect.stringMatching(/^program\.mts\(11,.* error TS2322: .*'number'/)]);
    });

    it.each(Object.entries(runtimes))('is a library on Node %s', async (_line, open) => {
      const source = `
        import { ${library.creates} } from '${name}';
        const mole = await ${library.creates}({ connections: [${library.connection}] });
        const { content: [{ text }] } = await mole.call('list_connections');
        await mole.dispose();
        console.log(mole.tools.length, text);`;
      const { stdout } = await run(await open(), ['--input-type=module', '--eval', source], { cwd: scratch });
      expect(stdout).toMatch(new RegExp(`^${tools - 3} 1 row`));
      const required = `console.log(typeof require('${name}').${library.creates})`;
      const commonJs = await run(await open(), ['--input-type=commonjs', '--eval', required], { cwd: scratch });
      expect(commonJs.stdout.trim()).toBe('function');
    });

    it.each(Object.entries(runtimes))('answers over stdio on Node %s', async (line, open) => {
      const node = await open();
      expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${line}\\.`));
      const server = new ServerProcess({ file: join(installed, 'dist', 'main.js'), node, env: env?.() ?? {} });
      try {
        expect((await server.initialize()).result?.serverInfo).toMatchObject({ name });
        expect((await server.request('tools/list')).result?.tools).toHaveLength(tools);
        expect(readText(await server.callTool('list_connections'))).not.toMatch(/\bE_[A-Z]/);
        await check?.(server, line);
      } finally {
        expect(await server.stop()).toMatchObject({ code: 0 });
        expect(server.impure).toEqual([]);
      }
    });

    it.each(Object.entries(runtimes))('turns files into tools on Node %s', async (_line, open) => {
      await trySaved(saved, { file: join(installed, 'dist', 'main.js'), node: await open(), env: env?.() ?? {} });
    });

    it.each(Object.entries(runtimes))('answers over HTTP on Node %s', async (_line, open) => {
      const file = join(installed, 'dist', 'main.js');
      const server = await new HttpProcess({ file, node: await open(), env: env?.() ?? {} }).listening();
      try {
        for (const kind of httpClientKinds) {
          const client = await openHttpClient(kind, server);
          expect(await client.names()).toHaveLength(tools);
          expect((await client.call('list_connections')).text).not.toMatch(/\bE_[A-Z]/);
          await client.close();
        }
      } finally {
        expect(await server.stop()).toMatchObject({ code: 0 });
      }
    });

    it.each(Object.entries(runtimes))('verifies access tokens on Node %s', async (_line, open) => {
      const audience = 'https://mole.example.com/mcp';
      const issuer = await startTestIssuer({ audience });
      const args = ['--auth', 'oauth', '--issuer', issuer.issuer, '--audience', audience];
      const file = join(installed, 'dist', 'main.js');
      const server = await new HttpProcess({ file, args, node: await open(), env: env?.() ?? {} }).listening();
      try {
        const namesFor = async (scope: string) => {
          const client = await openHttpClient('current, newer era', { url: server.url, token: await issuer.sign({ scope }) });
          const names = await client.names();
          await client.close();
          return names;
        };
        expect(await namesFor('mole:read mole:write')).toHaveLength(tools);
        expect(await namesFor('mole:read')).not.toContain('add_connection');
      } finally {
        issuer.close();
        expect(await server.stop()).toMatchObject({ code: 0 });
      }
    });
  });
}

interface Program {
  file: string;
  node: string;
  env: Record<string, string>;
}

/** A folder that is named, and the one of a project: listed, called, edited, called again. */
async function trySaved({ app, extension, comment, connection, before, after }: SavedFile, program: Program): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'mole-saved-'));
  const write = (path: string, name: string, body: string) => {
    const header = [`tool: ${name}`, 'description: Answers.', `connection: ${connection}`].map((line) => `${comment} ${line}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, [...header, body].join('\n'));
  };
  const named = join(home, 'named', `a.${extension}`);
  const project = join(home, 'work', `.${app}`, 'queries', `b.${extension}`);
  write(named, 'named_one', before.body);
  write(project, 'project_one', before.body);
  const options = {
    ...{ ...program, args: ['--queries', dirname(named)], cwd: join(home, 'work') },
    env: { ...program.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
  };
  const start = async () => {
    const server = new ServerProcess(options);
    await server.initialize();
    const { result } = await server.request('tools/list');
    const tools = result?.tools as { name: string }[];
    return { server, names: tools.map((tool) => tool.name).filter((tool) => tool.endsWith('_one')) };
  };
  try {
    const first = await start();
    expect(first.names).toEqual(['named_one']);
    expect(readText(await first.server.callTool('named_one'))).toContain(before.answer);
    write(named, 'named_one', after.body);
    expect(readText(await first.server.callTool('named_one'))).toContain(after.answer);
    await first.server.stop();
    const { stdout } = await run(program.node, [program.file, 'allow', '--yes'], { cwd: options.cwd, env: options.env });
    expect(stdout).toMatch(/project_one[\s\S]*Allowed 1 saved query/);
    const { server, names } = await start();
    expect(names).toEqual(['named_one', 'project_one']);
    expect(readText(await server.callTool('project_one'))).toContain(before.answer);
    write(project, 'project_one', after.body);
    expect(readText(await server.callTool('project_one'))).toContain('E_NOT_ALLOWED');
    expect(await server.stop()).toMatchObject({ code: 0 });
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** A program of eleven lines. */
function formatProgram(name: string, { creates, connection }: PackedLeaf['library']): string {
  return `import { ${creates}, type Mole, type MoleReply, type MoleTransport } from '${name}';
declare const transport: MoleTransport;
const mole: Mole = await ${creates}({ connections: [${connection}], readonly: true, tools: ['read'], timeout: '5s' });
const reply: MoleReply = await mole.call('list_connections', {}, {
  signal: AbortSignal.timeout(1_000),
  onProgress: ({ progress, total }) => console.log(progress / (total ?? 1)),
});
console.log(reply.content[0]?.text, mole.tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})));
await (await mole.connect(transport)).close();
await mole.dispose();
${creates}({ readonly: 1 });
`;
}
