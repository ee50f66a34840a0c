import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { expandHome, readHop } from './route.ts';

test('fills in the port and the user of this machine', () => {
  const name = userInfo().username;
  expect(readHop({ host: 'bastion' })).toMatchObject({
    host: 'bastion',
    port: 22,
    user: name,
    hostKeys: [],
    label: `${name}@bastion:22`,
  });
  expect(readHop({ host: 'bastion', port: 2222, user: 'me' }).label).toBe('me@bastion:2222');
});

test('reports an unresolved secret as an internal error without showing it', () => {
  expect(() => readHop({ host: 'bastion', password: { env: 'NAME_OF_IT' } })).toThrow(
    expect.objectContaining({ kind: 'internal', message: expect.not.stringContaining('NAME_OF_IT') }),
  );
});

test('expandHome replaces a leading ~', () => {
  expect(expandHome('~/.ssh/id', '/home/me')).toBe('/home/me/.ssh/id');
  expect(expandHome('~', '/home/me')).toBe('/home/me');
  expect(expandHome('/abs/id', '/home/me')).toBe('/abs/id');
  expect(expandHome('~other/id', '/home/me')).toBe('/home/me/~other/id');
});
