import { describe, expect, it } from 'vitest';
import type { SshRoute } from '../../connection.ts';
import type { TunnelStatus } from '../../tunnel/tunnel.ts';
import { formatRoute, formatWay } from './route-text.ts';

const two: SshRoute = {
  host: 'inner',
  user: 'me',
  password: 'the-password',
  jump: ['bastion', { host: 'middle', port: 2222, privateKey: '/keys/one', agent: '/agent.sock' }],
};
const up: TunnelStatus = { state: 'ready', hops: ['me@10.0.0.1:22', 'me@inner:22'], channels: 1 };

describe('the way of a connection', () => {
  it.each([
    ['bastion', undefined, 'bastion'],
    [{ host: 'bastion.example' }, undefined, 'bastion.example'],
    [two, undefined, 'bastion → middle → inner'],
    [two, up, 'bastion → middle → inner (up)'],
    ['bastion', { ...up, users: 1 }, 'bastion (up)'],
    ['bastion', { ...up, users: 3 }, 'bastion (up, shared by 3)'],
    ['bastion', { ...up, state: 'lost' }, 'bastion (lost)'],
  ] as const)('of %j', (route, tunnel, text) => {
    expect(formatWay(route, tunnel)).toBe(text);
  });

  it('is short and visible, whatever the servers are called', () => {
    const text = formatWay({ host: 'h'.repeat(10_000), jump: ['a\u202eb', 'c'.repeat(10_000)] }, undefined);
    expect(text.length).toBeLessThan(160);
    expect(text).toMatch(/^a⟦U\+202E⟧b → c+ → h+$/);
  });
});

describe('what a test says of the way', () => {
  it('is nothing without a tunnel, and else where it leads and who else takes it', () => {
    const key = { fingerprint: 'SHA256:x' };
    expect(formatRoute(undefined)).toEqual([]);
    expect(formatRoute(up)).toEqual(['through me@10.0.0.1:22 → me@inner:22']);
    expect(formatRoute({ ...up, ...key, users: 1 })).toEqual(['through me@10.0.0.1:22 → me@inner:22, host key SHA256:x']);
    expect(formatRoute({ ...up, ...key, users: 3 })).toEqual([
      'through me@10.0.0.1:22 → me@inner:22 (shared by 3), host key SHA256:x',
    ]);
  });
});
