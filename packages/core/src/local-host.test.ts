import { describe, expect, it } from 'vitest';
import { isLocalHost } from './local-host.ts';

describe('isLocalHost', () => {
  it.each(['localhost', '127.0.0.1', '127.255.0.9', '::1', '/var/run/socket'])('recognizes %s as this machine', (host) => {
    expect(isLocalHost(host)).toBe(true);
  });

  it.each(['127.0.0.999', '127.1.example.com', 'localhost.example.com', '10.0.0.1', '128.0.0.1'])(
    'does not take %s for this machine',
    (host) => {
      expect(isLocalHost(host)).toBe(false);
    },
  );
});
