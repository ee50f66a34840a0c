import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceOnce } from './dependency-edits.ts';
import { markSchemasPure, trimProtocolChunk } from './sdk-source.ts';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const dist = join(modules, '@modelcontextprotocol/server/dist');
const chunk = readFileSync(join(dist, readdirSync(dist).find((name) => /^src-[\w-]+\.mjs$/.test(name)) ?? ''), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'mole-sdk-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const url = (path: string) => JSON.stringify(pathToFileURL(path).href);

/** All schemas of both wire revisions as JSON Schema, made by a process of its own from the given text of the chunk. */
async function schemasFrom(name: string, source: string): Promise<unknown> {
  const builders = [...source.matchAll(/^function (build(?:\$\d+)?)\(\)/gm)].map((match) => match[1]);
  const located = source
    .replace('"zod/v4"', url(join(modules, 'zod/v4/index.js')))
    .replace('"@modelcontextprotocol/core/internal"', url(join(modules, '@modelcontextprotocol/core/dist/internal.mjs')))
    .replaceAll(/from "\.\/([\w-]+\.mjs)"/g, (_, file: string) => `from ${url(join(dist, file))}`);
  writeFileSync(join(folder, `${name}.mjs`), `${located}\nexport const builders = [${builders.join(', ')}];\n`);
  writeFileSync(
    join(folder, `${name}-print.mjs`),
    `import * as z from ${url(join(modules, 'zod/v4/index.js'))};
    import { builders } from './${name}.mjs';
    const show = (value) => '_zod' in value
      ? ['input', 'output'].map((io) => z.toJSONSchema(value, { io, unrepresentable: 'any' }))
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, show(inner)]));
    const sets = builders.map((build) => build());
    const stable = sets.every((set) => Object.keys(set).every((key) => set[key] === set[key]));
    process.stdout.write(JSON.stringify({ stable, sets: sets.map(show) }));`,
  );
  const script = join(folder, `${name}-print.mjs`);
  const { stdout } = await promisify(execFile)(process.execPath, [script], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

describe('trimProtocolChunk', () => {
  it('builds the schemas of messages one by one', () => {
    expect(trimProtocolChunk(chunk).split('= $lazy(() => ').length).toBeGreaterThan(250);
  });

  it('leaves every schema of both revisions as it was', async () => {
    const [before, after] = await Promise.all([schemasFrom('before', chunk), schemasFrom('after', trimProtocolChunk(chunk))]);
    expect(after).toEqual(before);
    expect(after).toMatchObject({
      stable: true,
      sets: [{ CallToolRequestSchema: expect.anything() }, { DiscoverResultSchema: expect.anything() }],
    });
  });

  const names = Array.from({ length: 60 }, (_, index) => `N${index}Schema`);
  const third = `function third() { return { ${names.join(', ')} }; }`;

  it.each([
    [
      'the tables of public schemas',
      chunk.replace('register(key, schemas_exports[key])', 'add(key)'),
      '1 loops register public schemas',
    ],
    [
      'a builder',
      chunk.replace('function build() {', 'function build() { debugger;'),
      'a DebuggerStatement where only constants',
    ],
    ['the number of builders', `${chunk}\n${third}`, '3 functions build wire schemas'],
    ['the tables by method', chunk.replace('function registryMaps', 'function maps$2'), 'no function registryMaps'],
    ['the names we add', `${chunk}\nconst $lazy = 1;`, 'are taken'],
    [
      'the use of a schema',
      chunk.replace('const CursorSchema$1 = z.string();', '$& const odd = [CursorSchema$1 += 1];'),
      'AssignmentExpression',
    ],
  ])('fails when %s changed', (_what, source, message) => {
    expect(source).not.toBe(chunk);
    expect(() => trimProtocolChunk(source)).toThrow(message);
  });
});

describe('markSchemasPure', () => {
  it('wraps the calls that make schemas, and nothing else', () => {
    const schemas = Array.from({ length: 10 }, (_, index) => `const A${index}Schema = z.string();`);
    const source = [...schemas, 'const aliasSchema = A0Schema;', 'const other = effect();'].join('\n');
    const marked = markSchemasPure(source);
    expect(marked).toContain('const A0Schema = /* @__PURE__ */ (() => z.string())();');
    expect(marked).toContain('const aliasSchema = A0Schema;\nconst other = effect();');
  });

  it('fails when it finds too few', () => {
    expect(() => markSchemasPure('const ASchema = z.string();')).toThrow('only 1 schemas');
  });
});

describe('replaceOnce', () => {
  it('fails unless the text is there once', () => {
    const edit = { from: 'a', to: 'b' };
    expect(replaceOnce('xay', edit, 'f')).toBe('xby');
    expect(() => replaceOnce('xy', edit, 'f')).toThrow('0 times');
    expect(() => replaceOnce('aa', edit, 'f')).toThrow('2 times');
  });
});
