import { describe, expect, it } from 'vitest';
import { absolutePath, defaultStorePath, projectFilePlaces, trustPathFor } from './paths.ts';

const linux = { app: 'example', home: '/home/me', platform: 'linux' } as const;
const windows = { app: 'example', home: 'C:\\Users\\me', platform: 'win32' } as const;

describe('defaultStorePath', () => {
  it.each([
    [{}, '/home/me/.config/example/connections.json'],
    [{ XDG_CONFIG_HOME: '/x' }, '/x/example/connections.json'],
    [{ XDG_CONFIG_HOME: 'x' }, '/home/me/.config/example/connections.json'],
    [{ XDG_CONFIG_HOME: '' }, '/home/me/.config/example/connections.json'],
    [{ EXAMPLE_STORE: '/s/c.json', XDG_CONFIG_HOME: '/x' }, '/s/c.json'],
    [{ EXAMPLE_STORE: '~/c.json' }, '/home/me/c.json'],
    [{ EXAMPLE_STORE: '' }, '/home/me/.config/example/connections.json'],
  ])('with %j', (env, path) => {
    expect(defaultStorePath({ ...linux, env, variable: 'EXAMPLE_STORE' })).toBe(path);
  });

  it('is the same on macOS, and under AppData on Windows', () => {
    expect(defaultStorePath({ ...linux, env: {}, platform: 'darwin' })).toBe('/home/me/.config/example/connections.json');
    expect(defaultStorePath({ ...windows, env: { APPDATA: 'D:\\r' } })).toBe('D:\\r\\example\\connections.json');
    expect(defaultStorePath({ ...windows, env: { XDG_CONFIG_HOME: '/x' } })).toBe(
      'C:\\Users\\me\\AppData\\Roaming\\example\\connections.json',
    );
  });

  it('has the memory of allowed files beside it', () => {
    expect(trustPathFor('/a/b/connections.json')).toBe('/a/b/allowed.json');
  });
});

describe('other paths', () => {
  it('looks for the project file upward', () => {
    expect(projectFilePlaces('/a/b', '.x.json')).toEqual(['/a/b/.x.json', '/a/.x.json', '/.x.json']);
  });

  it('reads relative paths from the file that has them', () => {
    const from = { base: '/a/b', home: '/home/me' };
    expect(['k', './k', '../k', '/k', '~/k', '~', '~k'].map((path) => absolutePath(path, from))).toEqual([
      '/a/b/k',
      '/a/b/k',
      '/a/k',
      '/k',
      '/home/me/k',
      '/home/me',
      '/a/b/~k',
    ]);
  });
});
