import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../testing/use-temp-folder.ts';
import { chooseVariables, formatKey, readSalt, readSeed, type SeedOptions } from './process-key.ts';

const folder = useTempFolder();
const program = {
  ...{ name: 'foo-mcp', app: 'foo', version: '1.0.0', file: '/p/main.js', urlVariable: 'FOO_URL_HERE' },
  settings: [{ name: 'out-dir', value: 'DIR', help: '', isPath: true }],
  flags: [{ name: 'extra', help: '' }],
  variables: /^DRIVER/,
};
const salt = Buffer.alloc(32, 1);

describe('chooseVariables', () => {
  const choose = (text: string, env: Record<string, string>) => Object.keys(chooseVariables(env, text, program));

  it('takes what the text names, in whatever form', () => {
    const env = { A: '1', B: '2', C_1: '3', D: '4', 'e.f': '5', 'g.h': '6' };
    const text = '{"host": "${A}", "password": {"env": "B"}, "x": "${C_1:-D2}", "y": {"env": "e.f"}}';
    expect(choose(text, env)).toEqual(['A', 'B', 'C_1', 'e.f']);
  });

  it('takes what the program, its drivers and the system need', () => {
    const env = {
      PATH: '/bin',
      DRIVER_X: '1',
      FOO_CONNECTIONS: '[]',
      NODE_OPTIONS: '',
      LC_ALL: 'C',
      https_proxy: 'p',
      OTHER: '1',
    };
    expect(choose('{}', env)).toEqual(['DRIVER_X', 'FOO_CONNECTIONS', 'LC_ALL', 'NODE_OPTIONS', 'PATH', 'https_proxy']);
  });

  it('leaves out what each client has for itself, unless the text names it', () => {
    const env = { FOO_LOG: 'debug', FOO_READONLY: '1', FOO_TOOLS: 'read', FOO_SHARED: '1', FOO_OUT_DIR: 'x', FOO_EXTRA: '1' };
    expect(choose('{}', env)).toEqual([]);
    expect(choose('${FOO_TOOLS}', env)).toEqual(['FOO_TOOLS']);
  });

  it.each([
    '{"password": {"command": ["op"]}}',
    '{"keychain": {}}',
    '"op://a/b"',
    '{"ssh": "bastion"}',
    'x://h/d?ssh=b',
    '\\u0041',
  ])('takes all but what belongs to a window when any variable may be used: %s', (text) => {
    const env = { AWS_PROFILE: 'x', TERM: 'xterm', _: '/bin/node', VSCODE_PID: '1', npm_config_x: '1' };
    expect(choose(text, env)).toEqual(['AWS_PROFILE']);
    expect(choose(`${text} TERM`, env)).toEqual(['AWS_PROFILE', 'TERM']);
  });
});

describe('readSeed', () => {
  const home = () => folder.at('home');
  const seed = (part: Partial<SeedOptions> = {}) =>
    readSeed(program, {
      ...{ env: {}, cwd: folder.at('repo/src'), home: home() },
      config: undefined,
      args: [],
      url: undefined,
      ...part,
    });
  const key = (part: Partial<SeedOptions> = {}) => formatKey(seed(part), 'foo', salt);

  function write(path: string, text: string): string {
    mkdirSync(folder.at(path, '..'), { recursive: true });
    writeFileSync(folder.at(path), text);
    return folder.at(path);
  }

  it('is the same in all folders of a project', () => {
    mkdirSync(folder.at('repo/src'), { recursive: true });
    const file = write('repo/.foo.json', '{}');
    expect(seed()).toMatchObject({ cwd: folder.at('repo'), files: [file] });
    expect(key()).toBe(key({ cwd: folder.at('repo') }));
    write('repo/src/.foo.json', '{}');
    expect(seed()).toMatchObject({ cwd: folder.at('repo/src') });
  });

  it('is bound to the working directory where something relative may begin there', () => {
    mkdirSync(folder.at('repo/src'), { recursive: true });
    write('repo/.foo.json', '{}');
    const here = folder.at('repo/src');
    for (const env of [{ FOO_CONNECTIONS: '[]' }, { FOO_URL_HERE: 'x://h' }, { DRIVER_FILE: 'pass' }])
      expect(seed({ env }).cwd).toBe(here);
    expect(seed({ url: 'x://h/d' }).cwd).toBe(here);
    expect(seed({ env: { DRIVER_FILE: '/etc/pass' } }).cwd).toBe(folder.at('repo'));
  });

  it('depends on the values of variables in every configuration file', () => {
    mkdirSync(folder.at('repo/src'), { recursive: true });
    const texts = { store: 'home/.config/foo/connections.json', near: 'repo/src/.foo.json', above: 'repo/.foo.json' };
    for (const path of Object.values(texts)) {
      write(path, '{"password": "${SECRET}"}');
      expect(key({ env: { SECRET: 'a' } })).not.toBe(key({ env: { SECRET: 'b' } }));
      write(path, '{}');
      expect(key({ env: { SECRET: 'a' } })).toBe(key({ env: { SECRET: 'b' } }));
    }
    const config = write('other.json', '${SECRET}');
    expect(key({ config, env: { SECRET: 'a' } })).not.toBe(key({ config, env: { SECRET: 'b' } }));
    const inline = (value: string) => ({ env: { FOO_CONNECTIONS: '[{"password": {"env": "SECRET"}}]', SECRET: value } });
    expect(key(inline('a'))).not.toBe(key(inline('b')));
  });

  it('depends on options, the URL and what files there are, and not on what a file says', () => {
    mkdirSync(folder.at('repo/src'), { recursive: true });
    const bare = key();
    expect(key({ args: ['--extra'] })).not.toBe(bare);
    expect(key({ url: 'x://h/d' })).not.toBe(bare);
    write('home/.config/foo/connections.json', '{}');
    const stored = key();
    expect(stored).not.toBe(bare);
    write('home/.config/foo/connections.json', '{"connections": []}');
    expect(key()).toBe(stored);
  });

  it('cannot be computed without the salt', () => {
    mkdirSync(folder.at('repo/src'), { recursive: true });
    expect(formatKey(seed(), 'foo', Buffer.alloc(32, 2))).not.toBe(formatKey(seed(), 'foo', salt));
    expect(formatKey(seed(), 'foo', salt)).toMatch(/^[0-9a-f]{24}$/);
  });
});

describe('readSalt', () => {
  it('is made once, for its owner alone', () => {
    const first = readSalt(folder.at('.'));
    expect(first).toHaveLength(32);
    expect(readSalt(folder.at('.'))).toEqual(first);
    expect(readFileSync(folder.at('salt'))).toEqual(first);
  });

  it('refuses a damaged one', () => {
    writeFileSync(folder.at('salt'), 'short');
    expect(() => readSalt(folder.at('.'))).toThrow('is damaged; delete it');
  });
});
