import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { guardRequest } from '../../src/guard/guard.ts';
import { formatWire } from '../../src/http/wire.ts';
import { type Case, contextOf, readCases, requestOf } from './cases.ts';

const readName = ({ request, body, on, indices, sensitive, readonly }: Case) =>
  [request, body && JSON.stringify(body), on, indices?.join(' '), sensitive && 'sensitive', readonly === false && 'writable']
    .filter(Boolean)
    .join(' ');

function createRefusal(given: Case): Failure {
  try {
    guardRequest(requestOf(given), contextOf(given));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`it was accepted: ${readName(given)}`);
}

describe('requests that are refused', () => {
  const cases = readCases('refused');

  it.each(cases.map((given) => [readName(given), given] as const))('refuses the request %s', (_name, given) => {
    const { kind, code, message, hint } = createRefusal(given);
    expect(kind === 'refused' || (kind === 'input' && ['E_PATH', 'E_PARAMS', 'E_BODY'].includes(code))).toBe(true);
    expect(`${message}. ${hint}`).toContain(given.why ?? '');
    expect(hint).toMatch(/\.$/);
    expect(message.length).toBeLessThan(400);
  });

  it('covers every kind of refusal', () => {
    expect(cases.length).toBeGreaterThan(500);
  });
});

describe('requests that are allowed', () => {
  it.each(readCases('allowed').map((given) => [readName(given), given] as const))('allows the request %s', (_name, given) => {
    const read = guardRequest(requestOf(given), contextOf(given));
    const { method, path } = formatWire(read);
    expect(given.request.startsWith(`${method} `)).toBe(true);
    if (given.sent !== undefined) expect(path).toBe(given.sent);
    expect(read.body).toBe(given.body);
  });
});
