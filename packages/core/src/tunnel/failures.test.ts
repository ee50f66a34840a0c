import { expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { isRetryable, tunnelFailure, tunnelFailures } from './failures.ts';

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

test('isRetryable follows the table, and asks the resolver', () => {
  expect(isRetryable(tunnelFailure('E_SSH_NETWORK', 'gone'))).toBe(true);
  expect(isRetryable(tunnelFailure('E_SSH_AUTH_FAILED', 'no'))).toBe(false);
  expect(isRetryable(tunnelFailure('E_SSH_DNS', 'no', { cause: { code: 'ENOTFOUND' } }))).toBe(false);
  expect(isRetryable(tunnelFailure('E_SSH_DNS', 'no', { cause: { code: 'EAI_AGAIN' } }))).toBe(true);
  expect(isRetryable(new Failure('input', 'no'))).toBe(false);
});
