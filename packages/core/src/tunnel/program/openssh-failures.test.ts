import { describe, expect, it } from 'vitest';
import { readHint } from '../../testing/failure-of.ts';
import { explainLogin } from './openssh-failures.ts';

it('reads what ssh complains of behind a long text of the server', () => {
  const banner = `${'host key '.repeat(20_000)}${'no matching '.repeat(5_000)}`;
  const start = performance.now();
  expect(explainLogin('bastion', `${banner}\nbastion: Permission denied (publickey).\n`).code).toBe('E_SSH_AUTH_FAILED');
  expect(performance.now() - start).toBeLessThan(500);
});

describe('a ProxyCommand', () => {
  const closed = 'kex_exchange_identification: Connection closed by remote host\nConnection closed by UNKNOWN port 65535\n';

  it.each([
    ['sh: line 1: exec: nc: not found', 'E_SSH_CONFIG'],
    ['/bin/sh: 1: exec: /usr/bin/nc: Permission denied', 'E_SSH_CONFIG'],
    ['bash: line 1: /opt/proxy: No such file or directory', 'E_SSH_CONFIG'],
    ['nc: connect to db.internal port 22 (tcp) failed: Connection refused', 'E_SSH_CONNECT_REFUSED'],
    ['me@jump: Permission denied (publickey).', 'E_SSH_AUTH_FAILED'],
    ['the proxy has gone fishing', 'E_SSH_PROGRAM'],
  ])('that fails shows its own words: %s', (words, code) => {
    const failure = explainLogin('bastion', `${words}\n${closed}`);
    expect(failure).toMatchObject({ code, detail: { hungUpEarly: false } });
    expect(failure.message).toContain(words);
    expect(readHint(failure)).not.toContain('took effect');
  });

  it('a ProxyCommand that ends silently may be tried again', () => {
    expect(explainLogin('bastion', closed)).toMatchObject({ code: 'E_SSH_NETWORK', detail: { hungUpEarly: true } });
  });
});
