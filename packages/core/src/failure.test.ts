import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Door,
  Failure,
  failureKinds,
  failureWith,
  formatAdvice,
  formatHint,
  type Hint,
  joinHints,
  toFailure,
} from './failure.ts';
import { forgetSecrets, rememberSecret } from './redact/redact.ts';

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

  it('is copied with some fields replaced', () => {
    const cause = new Error('x');
    const all = {
      code: 'E_SYNTAX',
      hint: 'h',
      engineCode: '1',
      position: 3,
      nearest: ['n'],
      detail: { hungUpEarly: true },
      cause,
    } as const;
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

  it('asks for a restart when a part of the program is not there any more', async () => {
    const missing = './not-there.js';
    const failure = toFailure(await import(/* @vite-ignore */ missing).catch((error: unknown) => error));
    expect(failure).toMatchObject({ kind: 'internal', code: 'E_RESTART_NEEDED' });
  });
});

describe('a hint', () => {
  const program: Door = { program: 'thing-mcp' };
  const offering = (names: readonly string[], readonly = false): Door => ({ offers: (name) => names.includes(name), readonly });
  const see: Hint = { call: 'list_things', run: 'things NAME', to: 'see them' };
  const change: Hint = { call: 'change', writes: true, to: 'run it', tool: 'No tool changes data.', cli: 'Use a client.' };

  it.each<[string, Hint, Door, string | undefined]>([
    ['a text through every door', 'Check the name.', program, 'Check the name.'],
    ['a tool that the server offers', see, offering(['list_things']), 'Call list_things to see them.'],
    [
      'the connection of a command',
      { run: 'things CONNECTION' },
      { ...program, connection: 'main' },
      'Run `thing-mcp things main`.',
    ],
    [
      'no command for a connection that is not saved',
      [
        { run: 'things CONNECTION', cli: 'Check the name.' },
        { run: 'things add', to: 'add one' },
      ],
      { ...program, isUnsaved: true },
      'Check the name. Run `thing-mcp things add` to add one.',
    ],
    ['nothing in place of a tool that it lacks', see, offering([]), undefined],
    ['a command in a terminal', see, program, 'Run `thing-mcp things NAME` to see them.'],
    ['a write where writing is possible', change, offering(['change']), 'Call change to run it.'],
    ['the sentence for servers without the tool', change, offering([]), 'No tool changes data.'],
    ['who can make a connection writable', change, offering(['change'], true), expect.stringContaining('only the user can')],
    ['the sentence for a terminal', change, program, 'Use a client.'],
    [
      'all that are possible',
      ['Check it.', see, { tool: 'Or not.' }],
      program,
      'Check it. Run `thing-mcp things NAME` to see them.',
    ],
  ])('shows %s', (_, hint, door, shown) => {
    expect(formatHint(hint, door)).toEqual(shown);
  });

  it('has no known secret in any of its parts', () => {
    rememberSecret(canary);
    const { next } = new Failure('input', 'x', { hint: [canary, { call: 'a', to: canary, cli: canary }] });
    expect(next).toEqual(['[secret]', { call: 'a', to: '[secret]', cli: '[secret]' }]);
  });

  it('is joined to others, and to what failed', () => {
    expect(joinHints('One.', undefined, [see], { cli: 'Two.' })).toEqual(['One.', see, { cli: 'Two.' }]);
    expect(formatAdvice(new Failure('input', 'no', { hint: see }), program)).toBe('no. Run `thing-mcp things NAME` to see them.');
  });
});
