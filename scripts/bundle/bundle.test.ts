import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatNotices } from '../notices.ts';
import { bundleOptions } from '../tsup-config.ts';
import type { Metafile } from './esbuild-plugin.ts';
import { legacySession, modernSession } from './fixture/messages.ts';
import { answersOf } from './fixture/session.ts';
import { graphProblems, inputsOf, packageOf, startOutputs } from './start-graph.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entry = fileURLToPath(new URL('fixture/src/main.ts', import.meta.url));

let folder: string;
let main: string;
let metafile: Metafile;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mole-bundle-'));
  main = join(folder, 'dist', 'main.mjs');
  const options = bundleOptions({ entry, outDir: join(folder, 'dist'), version: '0.0.0', use: (found) => (metafile = found) });
  // Outside of a package there is no "type": "module", so the ending has to say it.
  await build({ ...options, config: false, silent: true, outExtension: () => ({ js: '.mjs' }) });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the bundle', () => {
  const source = ['--import', 'tsx', entry];

  it.each([
    ['initialize', legacySession],
    ['server/discover', modernSession],
  ])('answers a session of %s exactly as the SDK does unbundled', async (_name, session) => {
    const [bundled, unbundled] = await Promise.all([answersOf([main], session), answersOf(source, session)]);
    expect(bundled).toEqual(unbundled);
    expect(bundled).toHaveLength(session.length);
    expect(bundled.filter((answer) => JSON.stringify(answer).includes('"result"')).length).toBeGreaterThan(2);
    expect(bundled.filter((answer) => JSON.stringify(answer).includes('"error"')).length).toBeGreaterThan(5);
  });

  it('has drivers and modules of Node that load without node_modules', async () => {
    const names = ['pg', 'mysql2', 'ssh2', 'undici', 'libpg-query', 'builtins'];
    const calls = names.map((name) => ({ method: 'tools/call', params: { name: 'load', arguments: { name } } }));
    const [, ...answers] = await answersOf([main], [legacySession[1] ?? calls[0] ?? { method: 'ping' }, ...calls]);
    expect(answers.map((answer) => JSON.stringify(answer).match(/"([\w-]+: \w+)"/)?.[1])).toEqual(
      names.map((name) => `${name}: function`),
    );
  });

  it('starts with the SDK and zod and nothing of the drivers', () => {
    const start = startOutputs(metafile);
    const packages = new Set(inputsOf(metafile, start).map(packageOf));
    expect([...packages].filter(Boolean).toSorted()).toEqual([
      '@modelcontextprotocol/core',
      '@modelcontextprotocol/server',
      'zod',
    ]);
    const bytes = start.reduce((sum, name) => sum + (metafile.outputs[name]?.bytes ?? 0), 0);
    expect(bytes).toBeLessThan(290_000);
    expect(graphProblems(metafile)).toEqual([]);
  });

  it('can be executed', () => {
    const [code] = readFileSync(main, 'utf8').split('\n', 1);
    expect(code).toBe('#!/usr/bin/env node');
    expect(statSync(main).mode & 0o111).toBe(0o111);
  });

  it('is JavaScript, and the parser of PostgreSQL as WebAssembly beside it', () => {
    const files = readdirSync(join(folder, 'dist'));
    expect(files.filter((file) => !file.endsWith('.mjs'))).toEqual(['libpg-query.wasm']);
    expect(files.every((file) => statSync(join(folder, 'dist', file)).size > 0)).toBe(true);
  });

  it('comes with the licence of every package in it and of no other', () => {
    const notices = formatNotices('fixture', metafile, root);
    for (const name of [
      '@modelcontextprotocol/server 2.',
      'zod 4.',
      'pg 8.',
      'mysql2 3.',
      'ssh2 1.',
      'undici 7.',
      'content-type 1.',
      'libpg-query 18.',
    ])
      expect(notices).toContain(`\n## ${name}`);
    for (const name of ['tsup', 'vitest', 'acorn', 'ajv', 'cpu-features']) expect(notices).not.toContain(`\n## ${name} `);
    expect(notices).toContain('Permission is hereby granted, free of charge');
    // The parser's package does not pass these on.
    for (const holder of ['PostgreSQL Global Development Group', 'Lukas Fittl', 'Dave Benson', 'Yann Collet'])
      expect(notices).toContain(holder);
  });
});
