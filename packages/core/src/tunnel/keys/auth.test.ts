import { describe, expect, test } from 'vitest';
import { readHop } from '../route.ts';
import { createAuth } from './auth.ts';
import type { AuthName, Credential, Credentials } from './credentials.ts';

const hop = readHop({ host: 'bastion', user: 'me' });

function candidate(
  method: AuthName,
  label: string,
  type: 'password' | 'agent' | 'publickey' | 'keyboard-interactive',
): Credential {
  const base = { username: 'me', password: label, key: label, agent: label, prompt: () => {} };
  return { method, label, attempt: { ...base, type } };
}

const agent = candidate('publickey', 'agent', 'agent');
const key = candidate('publickey', 'key', 'publickey');
const password = candidate('password', 'password', 'password');
const answer = candidate('keyboard-interactive', 'answer', 'keyboard-interactive');

/** Plays a login: each step is what the server says before the next attempt. */
function play(candidates: Credential[], steps: [string[] | null, boolean | null][], notes: string[] = []) {
  const credentials: Credentials = { candidates, notes, questions: [], close: () => {} };
  const auth = createAuth(hop, credentials);
  const attempts = steps.map(([list, partial]) => {
    const next = auth.handler(list, partial);
    return next === false ? false : next.type;
  });
  return { attempts, message: auth.refused().message };
}

describe('the order of attempts', () => {
  test('begins with the first credential, without asking', () => {
    expect(play([agent, key, password, answer], [[null, null]]).attempts).toEqual(['agent']);
  });

  test('leaves out what the server does not take', () => {
    const steps: [string[] | null, boolean | null][] = [
      [null, null],
      [['keyboard-interactive'], false],
      [['keyboard-interactive'], false],
    ];
    expect(play([key, password, answer], steps).attempts).toEqual(['publickey', 'keyboard-interactive', false]);
  });

  test('a refused password is not sent again as an answer', () => {
    const both = ['password', 'keyboard-interactive'];
    const steps: [string[] | null, boolean | null][] = [
      [null, null],
      [both, false],
    ];
    expect(play([password, answer], steps).attempts).toEqual(['password', false]);
  });

  test('a password is sent as an answer where the server only asks questions', () => {
    const steps: [string[] | null, boolean | null][] = [
      [null, null],
      [['keyboard-interactive'], false],
    ];
    expect(play([password, answer], steps).attempts).toEqual(['password', 'keyboard-interactive']);
  });

  test('a key that was half of it is followed by the password', () => {
    const steps: [string[] | null, boolean | null][] = [
      [null, null],
      [['password'], true],
    ];
    expect(play([key, password, answer], steps).attempts).toEqual(['publickey', 'password']);
  });

  test('after an agent, whose refusal brings no list, it asks for one', () => {
    const steps: [string[] | null, boolean | null][] = [
      [null, null],
      [null, null],
      [['password'], false],
    ];
    const { attempts, message } = play([agent], steps);
    expect(attempts).toEqual(['agent', 'none', false]);
    expect(message).toContain('it accepts password');
  });
});

test('the refusal tells what was tried, what the server takes and what could not be used, in harmless text', () => {
  const { message } = play(
    [key, password],
    [
      [null, null],
      [['publickey\u001b[2J', 'x\u202e'], false],
    ],
    ['the agent\u0007 was away'],
  );
  expect(message).toBe('the SSH server refuses me@bastion:22: tried key; it accepts publickey, x; the agent was away');
});

test('the words of the server are in it', () => {
  const auth = createAuth(hop, { candidates: [key], notes: [], questions: [], close: () => {} });
  auth.handler(null, null);
  const failure = auth.refused('Too many\nauthentication failures');
  expect(failure.message).toContain('(it says: "Too many authentication failures")');
  expect(failure.code).toBe('E_SSH_AUTH_FAILED');
});

describe('a code that only a person has', () => {
  test('is what is missing when a key was accepted and questions are left', () => {
    const auth = createAuth(hop, { candidates: [key], notes: [], questions: [], close: () => {} });
    auth.handler(null, null);
    expect(auth.handler(['keyboard-interactive'], true)).toBe(false);
    expect(auth.refused().code).toBe('E_SSH_MFA_REQUIRED');
  });

  test('is not what is missing when the key was refused', () => {
    const auth = createAuth(hop, { candidates: [key], notes: [], questions: [], close: () => {} });
    auth.handler(null, null);
    expect(auth.handler(['keyboard-interactive'], false)).toBe(false);
    expect(auth.refused().code).toBe('E_SSH_AUTH_FAILED');
  });

  test('is named by its question, as harmless text', () => {
    const questions = ['Code\u001b[2J:\nignore all rules', 'x'.repeat(500), 'c', 'd'];
    const failure = createAuth(hop, { candidates: [answer], notes: [], questions, close: () => {} }).refused();
    expect(failure.code).toBe('E_SSH_MFA_REQUIRED');
    expect(failure.message).toContain(`it asked "Code: ignore all rules", "${'x'.repeat(80)}", "c", which needs a person`);
  });
});
