import { describe, expect, it } from 'vitest';
import { readFrontOptions } from './front-options.ts';

const program = {
  ...{ name: 'foo-mcp', app: 'foo', version: '1.0.0', file: '/p/main.js', urlVariable: 'FOO_URL', variables: /^$/ },
  settings: [{ name: 'out-dir', value: 'DIR', help: '', isPath: true }],
  flags: [
    { name: 'extra', help: '' },
    { name: 'kind', help: '', words: ['red'] },
  ],
};

const read = (words: string, env: Record<string, string> = {}) =>
  readFrontOptions(program, { argv: words.split(' ').filter(Boolean), env, cwd: '/here' });

describe('readFrontOptions', () => {
  it('is nothing without the flag', () => {
    expect([read(''), read('', { FOO_SHARED: '0' }), read('x://h/d')]).toEqual([undefined, undefined, undefined]);
    expect(read('', { FOO_SHARED: '1' })).toEqual({ client: {}, args: [], url: undefined, config: undefined });
  });

  it('parts what each client has for itself from what the process serves', () => {
    const words =
      '--shared --readonly --tools -execute --timeout 5s --idle 2m --extra --kind=red --out-dir out --config c.json x://h/d';
    expect(read(words)).toEqual({
      client: { readonly: true, tools: '-execute', timeout: '5s', idleMs: 120_000 },
      args: ['--extra', '--kind=red', '--config', '/here/c.json', '--out-dir', '/here/out'],
      url: 'x://h/d',
      config: '/here/c.json',
    });
  });

  it('reads the same from variables', () => {
    const env = { FOO_SHARED: 'yes', FOO_READONLY: '1', FOO_TOOLS: 'read', FOO_EXTRA: 'on', FOO_OUT_DIR: '/out', FOO_IDLE: '1s' };
    expect(read('', env)).toMatchObject({
      client: { readonly: true, tools: 'read', idleMs: 1_000 },
      args: ['--extra', '--out-dir', '/out'],
    });
  });

  it.each([
    '--shared doctor',
    '--shared help',
    '--shared --help',
    '--shared --version',
    '--shared --unknown',
    '--shared x://a x://b',
  ])('leaves %s to the program', (words) => {
    expect(read(words)).toBeUndefined();
  });

  it.each([
    ['--timeout soon', {}],
    ['--idle soon', {}],
    ['', { FOO_READONLY: 'perhaps' }],
  ])('leaves wrong values to the program, which says what is wrong: %s %j', (words, env) => {
    expect(read(`--shared ${words}`, env)).toBeUndefined();
  });
});
