import { expect, it } from 'vitest';
import { explainLogin } from './openssh-failures.ts';

it('a server that shows a long text does not keep us from reading what ssh complains of', () => {
  const banner = `${'host key '.repeat(20_000)}${'no matching '.repeat(5_000)}`;
  const start = performance.now();
  expect(explainLogin('bastion', `${banner}\nbastion: Permission denied (publickey).\n`).code).toBe('E_SSH_AUTH_FAILED');
  expect(performance.now() - start).toBeLessThan(500);
});
