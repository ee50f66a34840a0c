import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../steps.ts';
import { bundleOptions } from '../tsup-config.ts';
import { readPackage } from './manifests.ts';
import { readBundle } from './mcpb.ts';
import { formatZip } from './zip.ts';

/** What a client finds in the archive: by its directory, as programs do that open one. */
function readZip(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const [sum, packed, size, offset] = [16, 20, 24, 42].map((field) => archive.readUInt32LE(at + field));
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    const path = archive.toString('utf8', at + 46, at + 46 + name);
    const local = offset ?? 0;
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(begin, begin + (packed ?? 0)));
    expect([bytes.length, crc32(bytes)]).toEqual([size, sum]);
    files.set(path, bytes);
    at += 46 + name + extra + comment;
  }
  expect(at).toBe(end);
  return files;
}

describe('an archive', () => {
  const entry = (path: string, text: string) => ({ path, bytes: Buffer.from(text), mode: 0o644 });

  it('gives back what went in, an empty file and any name included', () => {
    const texts = { 'a.txt': 'a'.repeat(100_000), 'b/c.txt': '', 'b/ü–ß.txt': 'x' };
    const files = readZip(formatZip(Object.entries(texts).map(([path, text]) => entry(path, text))));
    expect(Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString()]))).toEqual(texts);
  });

  it('is the same whenever it is made', () => {
    const files = [entry('a', 'one'), entry('b', 'two')];
    expect(formatZip(files).equals(formatZip(files))).toBe(true);
  });
});

/** The package as npm packs it, built in a folder of its own: others may be building in the real one. */
async function packServer(name: string, scratch: string): Promise<string> {
  const source = join(root, 'packages', name);
  const folder = join(scratch, 'source');
  mkdirSync(folder);
  for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(folder, file));
  const { version } = readPackage(name);
  const entry = join(source, 'src', 'main.ts');
  const options = bundleOptions({ entry, outDir: join(folder, 'dist'), version, use: () => undefined });
  await build({ ...options, config: false, silent: true, outExtension: () => ({ js: '.js' }) });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: folder });
  return join(scratch, `${name}-${version}.tgz`);
}

describe.each(['dbmole-mcp', 'esmole-mcp'])('the bundle of %s', (name) => {
  let scratch: string;
  let installed: string;
  let files: Map<string, Buffer>;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'mole-mcpb-'));
    installed = join(scratch, 'unpacked');
    const bundle = readBundle(await packServer(name, scratch));
    expect(bundle.name).toBe(`${name}-${readPackage(name).version}.mcpb`);
    files = readZip(formatZip(bundle.entries));
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(installed, path)), { recursive: true });
      writeFileSync(join(installed, path), bytes);
    }
  }, 120_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('has what the package has, and its manifest', () => {
    expect([...files.keys()]).toEqual(expect.arrayContaining(['manifest.json', 'package.json', 'README.md', 'dist/main.js']));
    expect([...files.keys()].filter((path) => path.startsWith('/') || path.includes('..') || path.includes('\\'))).toEqual([]);
  });

  it('starts as its manifest says when the user fills in nothing', async () => {
    // A test of its own looks at what is in it.
    const manifest = JSON.parse(readFileSync(join(installed, 'manifest.json'), 'utf8')) as {
      server: { mcp_config: { args: string[]; env: Record<string, string> } };
      user_config: Record<string, { default: unknown }>;
    };
    const filled = (text: string) =>
      text
        .replace('${__dirname}', installed)
        .replace(/\$\{user_config\.([\w-]+)\}/g, (_all, field: string) => String(manifest.user_config[field]?.default));
    const { args, env } = manifest.server.mcp_config;
    const [file = '', ...rest] = args.map(filled);
    const values = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)]));
    const server = new ServerProcess({ file, args: rest, env: values });
    try {
      expect((await server.initialize()).result?.serverInfo).toMatchObject({ name });
      expect(JSON.stringify((await server.request('tools/list')).result)).toContain('"list_connections"');
      expect(readText(await server.callTool('list_connections'))).not.toMatch(/\bE_[A-Z]/);
    } finally {
      expect(await server.stop()).toMatchObject({ code: 0 });
      expect(server.impure).toEqual([]);
    }
  });
});
