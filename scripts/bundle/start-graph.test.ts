import { describe, expect, it } from 'vitest';
import type { Metafile } from './esbuild-plugin.ts';
import { graphProblems, packageOf, startOutputs } from './start-graph.ts';

type Output = Metafile['outputs'][string];

function output(part: Partial<Output> & { from?: string[] }): Output {
  const inputs = Object.fromEntries((part.from ?? []).map((name) => [name, { bytesInOutput: 10 }]));
  return { bytes: 10, inputs, imports: [], exports: [], ...part };
}

const link = (path: string, kind: 'import-statement' | 'dynamic-import' = 'import-statement') => ({ path, kind });

function bundle(outputs: Record<string, Output>): Metafile {
  return { inputs: {}, outputs };
}

const driver = 'node_modules/pg/lib/index.js';

describe('startOutputs', () => {
  it('follows the program behind main.ts, and from there only static imports', () => {
    const metafile = bundle({
      'main.js': output({ entryPoint: 'a/src/main.ts', imports: [link('server.js', 'dynamic-import')] }),
      'server.js': output({ imports: [link('shared.js'), link('driver.js', 'dynamic-import')] }),
      'shared.js': output({}),
      'driver.js': output({}),
    });
    expect(startOutputs(metafile).toSorted()).toEqual(['main.js', 'server.js', 'shared.js']);
  });

  it('throws without an entry point', () => {
    expect(() => startOutputs(bundle({ 'x.js': output({}) }))).toThrow('src/main.ts');
  });
});

describe('graphProblems', () => {
  const start = (part: Parameters<typeof output>[0]) => bundle({ 'main.js': output({ entryPoint: 'src/main.ts', ...part }) });

  it('names a driver that is loaded at the start', () => {
    expect(graphProblems(start({ from: [driver] }))).toEqual([`${driver} is loaded at the start; import it where it is used`]);
  });

  it('names what only a server over HTTP needs', () => {
    const files = ['packages/core/src/doors/http/http-door.ts', 'node_modules/@modelcontextprotocol/server/dist/index.mjs?http'];
    for (const file of files) expect(graphProblems(start({ from: [file] }))).toHaveLength(1);
  });

  it('names what only a server that records calls needs', () => {
    expect(graphProblems(start({ from: ['packages/core/src/recording/recorder.ts'] }))).toHaveLength(1);
  });

  it('names a slow module of Node and who imports it', () => {
    expect(graphProblems(start({ from: ['builtin:node:tls?/src/store.ts'] }))).toEqual([
      '/src/store.ts imports node:tls at the start; import it where it is used',
    ]);
    expect(graphProblems(start({ from: ['builtin:node:fs?/src/store.ts'] }))).toEqual([]);
  });

  it('accepts a driver behind a dynamic import of the program', () => {
    const metafile = bundle({
      'main.js': output({ entryPoint: 'src/main.ts', imports: [link('server.js', 'dynamic-import')] }),
      'server.js': output({ imports: [link('driver.js', 'dynamic-import')] }),
      'driver.js': output({ from: [driver] }),
    });
    expect(graphProblems(metafile)).toEqual([]);
  });

  it('names native modules and what is not in the bundle', () => {
    const metafile = start({ imports: [{ path: 'leftpad', kind: 'require-call', external: true }] });
    metafile.outputs['x-123.node'] = output({});
    expect(graphProblems(metafile)).toEqual([
      'x-123.node is a native module',
      'main.js imports leftpad, which is not in the bundle',
    ]);
  });

  it('knows that the modules of Node are there', () => {
    expect(graphProblems(start({ imports: [{ path: 'net', kind: 'require-call', external: true }] }))).toEqual([]);
  });
});

describe('packageOf', () => {
  it.each([
    ['node_modules/zod/v4/core/core.js', 'zod'],
    ['node_modules/@a/b/dist/x.js', '@a/b'],
    ['node_modules/a/node_modules/b/x.js', 'b'],
    ['packages/core/src/program/serve.ts', undefined],
    ['builtin:node:fs?/w/node_modules/zod/x.js', undefined],
  ])('%s is of %s', (input, name) => {
    expect(packageOf(input)).toBe(name);
  });
});
