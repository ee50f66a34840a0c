import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure, failureKinds, failureWith, toFailure } from './failure.ts';
import { forgetSecrets, rememberSecret } from './redact.ts';

afterEach(forgetSecrets);

const canary = 'canary-4f2a-value';

describe('Failure', () => {
  it('has the code of its kind unless it has a finer one', () => {
    for (const [kind, code] of Object.entries(failureKinds)) {
      // Object.entries forgets that the keys are the kinds.
      expect(new Failure(kind as keyof typeof failureKinds, 'x').code).toBe(code);
    }
    expect(new Failure('tunnel', 'x', { code: 'E_SSH_DNS' }).code).toBe('E_SSH_DNS');
  });

  it('shows a known secret in none of its parts', () => {
    rememberSecret(canary);
    const cause = Object.assign(new Error(`driver says ${canary}`), { config: { password: canary } });
    const failure = new Failure('auth', `login with ${canary} failed`, {
      hint: `not ${canary}`,
      engineCode: canary,
      nearest: [canary, 'other'],
      cause,
    });
    const { message, hint, engineCode, nearest, stack } = failure;
    expect([message, hint, engineCode, ...nearest]).toEqual([
      'login with [secret] failed',
      'not [secret]',
      '[secret]',
      '[secret]',
      'other',
    ]);
    expect(stack).not.toContain(canary);
    expect(JSON.stringify(failure)).not.toContain(canary);
    expect(inspect(failure)).not.toContain(canary);
    expect(inspect({ nested: [failure] }, { depth: 10 })).not.toContain(canary);
    expect(failure.cause).toBe(cause);
  });

  it('cuts what is too long, after removing secrets', () => {
    rememberSecret(canary);
    const { message } = new Failure('engine', `${'x'.repeat(1_995)}${canary}${'y'.repeat(500)}`);
    expect(message.length).toBeLessThan(2_100);
    expect(message).not.toContain('canary');
    expect(message).toMatch(/… \(\d+ characters\)$/);
  });

  it('is said otherwise in a part, and the rest of it stays', () => {
    const cause = new Error('x');
    const all = { code: 'E_SYNTAX', hint: 'h', personHint: 'p', engineCode: '1', position: 3, nearest: ['n'], cause } as const;
    const failure = new Failure('engine', 'no', all);
    expect(failureWith(failure, {})).toMatchObject({ kind: 'engine', message: 'no', ...all });
    expect(failureWith(failure, { message: 'not', hint: 'other' })).toMatchObject({ ...all, message: 'not', hint: 'other' });
    const { position, nearest } = failureWith(failure, { position: undefined, nearest: undefined });
    expect([position, nearest]).toEqual([undefined, []]);
  });

  it('is kept as it is, and everything else is our bug', () => {
    const failure = new Failure('input', 'x');
    expect(toFailure(failure)).toBe(failure);
    expect(toFailure(new TypeError('boom'))).toMatchObject({ kind: 'internal', code: 'E_INTERNAL', message: 'boom' });
    expect(toFailure('text')).toMatchObject({ kind: 'internal', message: 'text' });
    expect(toFailure(undefined)).toMatchObject({ kind: 'internal' });
    expect(toFailure(new Error(''))).toMatchObject({ message: 'unknown error' });
  });
});
