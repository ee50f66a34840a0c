import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { guardRequest } from '../../src/guard/guard.ts';
import { formatWire } from '../../src/wire.ts';
import { type Case, contextOf, readCases, requestOf } from './cases.ts';

const nameOf = ({ request, body, on, indices }: Case) =>
  [request, body && JSON.stringify(body), on, indices?.join(' ')].filter(Boolean).join(' ');

function refusalOf(given: Case): Failure {
  try {
    guardRequest(requestOf(given), contextOf(given));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`it was accepted: ${nameOf(given)}`);
}

describe('requests that are refused', () => {
  const cases = readCases('refused');

  it.each(cases.map((given) => [nameOf(given), given] as const))('%s', (_name, given) => {
    const { kind, code, message, hint } = refusalOf(given);
    expect(kind === 'refused' || (kind === 'input' && ['E_PATH', 'E_PARAMS', 'E_BODY'].includes(code))).toBe(true);
    expect(`${message}. ${hint}`).toContain(given.why ?? '');
    expect(hint).toMatch(/\.$/);
    expect(message.length).toBeLessThan(400);
  });

  it('are many, and of every kind', () => {
    expect(cases.length).toBeGreaterThan(500);
  });
});

describe('requests that are allowed', () => {
  it.each(readCases('allowed').map((given) => [nameOf(given), given] as const))('%s', (_name, given) => {
    const read = guardRequest(requestOf(given), contextOf(given));
    const { method, path } = formatWire(read);
    expect(given.request.startsWith(`${method} `)).toBe(true);
    if (given.sent !== undefined) expect(path).toBe(given.sent);
    expect(read.body).toBe(given.body);
  });
});
