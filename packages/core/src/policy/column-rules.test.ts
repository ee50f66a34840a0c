import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { columnShape } from './column-rules.ts';
import { type ColumnRules, createColumnPolicy } from './match-columns.ts';

function find(layers: ColumnRules | readonly ColumnRules[], path: string) {
  const [schema = '', table = '', column = ''] = path.split('.');
  return createColumnPolicy([layers].flat())?.find([table, `${schema}.${table}`], column);
}

describe('the column policy', () => {
  it.each<[ColumnRules, string, string | undefined]>([
    [{ columns: { 'users.email': 'mask' } }, 'app.users.email', 'mask'],
    [{ columns: { 'users.email': 'mask' } }, 'app.users.EMAIL', 'mask'],
    [{ columns: { 'users.email': 'mask' } }, 'app.orders.email', undefined],
    [{ columns: { 'app.users.email': 'mask' } }, 'app.users.email', 'mask'],
    [{ columns: { 'app.users.email': 'mask' } }, 'hr.users.email', undefined],
    [{ columns: { '*.*pass*': 'drop' } }, 'app.users.password_hash', 'drop'],
    [{ columns: { 'patients.*': 'refuse' } }, 'app.patients.id', 'refuse'],
    [{ columns: { '*.email': 'mask', 'users.email': 'show' } }, 'app.users.email', undefined],
    [{ columns: { '*.email': 'mask', 'users.email': 'pseudonym' } }, 'app.users.email', 'pseudonym'],
    [{ columns: { 'a.b?': 'mask', 'a.?b': 'drop' } }, 'x.a.bb', 'drop'],
    [{ pii: 'common' }, 'app.users.email', 'pseudonym'],
    [{ pii: 'common', columns: { '*.email': 'show' } }, 'app.users.email', undefined],
    [{ columns: { 'a+b.c(d': 'mask' } }, 'x.a+b.c(d', 'mask'],
  ])('%j: %s is %s', (rules, path, action) => {
    expect(find(rules, path)).toBe(action);
  });

  it('takes the strictest action of all policies that hold', () => {
    expect(find([{ columns: { 'users.email': 'show' } }, { columns: { '*.email': 'mask' } }], 'app.users.email')).toBe('mask');
    expect(find([{ columns: { 'users.email': 'partial' } }, { pii: 'common' }], 'app.users.email')).toBe('pseudonym');
    expect(createColumnPolicy([{ columns: {} }, { pii: 'common', strict: true }])?.strict).toBe(true);
    expect(createColumnPolicy([{}, { strict: true }])).toBeUndefined();
  });

  it('finds what may be protected inside of an object', () => {
    const policy = createColumnPolicy([{ columns: { 'users.labels.mail': 'mask', 'users.labels.id': 'show' } }]);
    expect(['labels', 'label', 'other'].map((name) => policy?.findInside(['users'], name))).toEqual([
      'mask',
      undefined,
      undefined,
    ]);
  });

  it.each(['email', '.email', 'users.', ''])('rejects the rule "%s"', (rule) => {
    expect(z.strictObject(columnShape).safeParse({ columns: { [rule]: 'mask' } }).success).toBe(false);
  });
});
