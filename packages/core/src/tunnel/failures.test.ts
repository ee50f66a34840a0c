import { expect, test } from 'vitest';
import { tunnelFailure, tunnelFailures } from './failures.ts';

test('every entry says what happened and what to do, as sentences', () => {
  for (const [code, entry] of Object.entries(tunnelFailures)) {
    expect(code).toMatch(/^E_SSH_[A-Z_]+$/);
    expect(entry.meaning).toMatch(/^[A-Z].*\.$/);
    expect(entry.nextStep).toMatch(/^[A-Z].*[.>]?$/);
  }
});

test('a failure has the kind, the code and a hint', () => {
  const failure = tunnelFailure('E_SSH_NETWORK', 'gone');
  expect(failure).toMatchObject({ kind: 'tunnel', code: 'E_SSH_NETWORK', hint: tunnelFailures.E_SSH_NETWORK.nextStep });
  expect(tunnelFailure('E_SSH_NETWORK', 'gone', { hint: 'Look.' }).hint).toBe('Look.');
});
