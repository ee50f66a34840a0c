import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { askIfAllowed } from './ask-if-allowed.ts';
import { type Capabilities, formatCounted } from './capabilities.ts';
import { formatAudit } from './format-audit.ts';

const none: Capabilities = { powers: [], complete: true, notes: [], reader: ['CREATE ROLE x;'], shared: ['REVOKE y;'] };

describe('an audit', () => {
  it('an audit of nothing found says so, and gives no statements', () => {
    expect(formatAudit(none)).toEqual({ findings: ['It can only read.'], reader: [], shared: [] });
    expect(formatAudit({ ...none, notes: ['A standby.'] }).findings).toEqual(['It can only read.', 'A standby.']);
  });

  it('does not say that nothing is there when the server did not let us look', () => {
    expect(formatAudit({ ...none, complete: false }).findings).toEqual(['Nothing was found that it can do beyond reading.']);
  });

  it('lists what was found, and how to do better', () => {
    expect(formatAudit({ ...none, powers: ['write to 1 table (a)', 'x'] })).toEqual({
      findings: ['This account can also: write to 1 table (a); x.'],
      reader: ['CREATE ROLE x;'],
      shared: ['REVOKE y;'],
    });
  });

  it('leaves out whole powers, the last ones', () => {
    const powers = Array.from({ length: 30 }, (_, at) => `use power number ${at} of all`);
    const [line] = formatAudit({ ...none, powers }).findings;
    expect(line).toMatch(/power number 0 .*; and \d+ more\.$/);
    expect(line?.length).toBeLessThanOrEqual(480);
  });
});

it('counts names, and shows the first of them', () => {
  const words = ['table', 'tables'] as const;
  expect(formatCounted(1, words, ['a'])).toBe('1 table (a)');
  expect(formatCounted(5, words, ['a', 'b', 'c', 'd'])).toBe('5 tables (a, b, c, …)');
  expect(formatCounted(1, words, ['n'.repeat(63)])).toBe(`1 table (${'n'.repeat(47)}…)`);
});

describe('a question of the audit', () => {
  const failing = (failure: Error) => () => Promise.reject(failure);

  it('may be refused by the server', async () => {
    const denied = new Failure('engine', 'denied', { code: 'E_PERMISSION', engineCode: '42501' });
    expect(await askIfAllowed(failing(denied), 'select')).toBeUndefined();
    expect(await askIfAllowed(failing(new Failure('limit', 'too many rows')), 'select')).toBeUndefined();
  });

  it('fails when the connection is lost or the call is over', async () => {
    const lost = new Failure('connection', 'gone', { engineCode: '57P01' });
    await expect(askIfAllowed(failing(lost), 'select')).rejects.toBe(lost);
    const late = new Failure('timeout', 'late');
    await expect(askIfAllowed(failing(late), 'select')).rejects.toBe(late);
  });
});
