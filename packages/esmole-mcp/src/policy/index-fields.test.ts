import { createColumnPolicy } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { IndexFields } from './index-fields.ts';

function open(
  columns: Record<string, 'mask' | 'drop' | 'show'>,
  mapping: object,
  names: readonly string[] = ['users-1', 'users'],
) {
  const policy = createColumnPolicy([{ columns }]) ?? expect.fail('the rules protect something');
  return new IndexFields(policy, names, mapping);
}

const keyword = { type: 'keyword' };

describe('the fields of an index', () => {
  it('are protected by the name of the index, of an alias, and of the objects around them', () => {
    const fields = open({ 'users.email': 'mask', '*.contact': 'drop' }, { properties: { email: keyword } });
    expect(['email', 'email.raw', 'contact.phone.home', 'other'].map((name) => fields.find(name))).toEqual([
      'mask',
      'mask',
      'drop',
      undefined,
    ]);
    expect(open({ 'users.email': 'mask' }, {}, ['people']).find('email')).toBeUndefined();
  });

  it('are protected where they repeat others, through any number of copies', () => {
    const properties = {
      mail: { type: 'alias', path: 'email.raw' },
      email: { ...keyword, copy_to: ['first'], fields: { raw: keyword } },
      first: { ...keyword, copy_to: 'second' },
      second: keyword,
      user: { properties: { again: { type: 'alias', path: 'second' } } },
      free: keyword,
    };
    const fields = open({ '*.email': 'mask' }, { properties });
    for (const name of ['mail', 'first', 'second', 'user.again', 'email.raw']) expect(fields.find(name), name).toBe('mask');
    expect(fields.find('free')).toBeUndefined();
    expect(fields.protectedNames).toContain('second');
  });

  it('are protected as a whole where they may keep a protected part', () => {
    const fields = open(
      { 'users.labels.mail': 'mask' },
      { properties: { labels: { type: 'flattened' }, other: { type: 'flattened' } } },
    );
    expect(['labels', 'labels.mail', 'labels.x', 'other'].map((name) => fields.findValues(name))).toEqual([
      'mask',
      'mask',
      undefined,
      undefined,
    ]);
    expect(fields.find('labels')).toBeUndefined();
  });

  it('are protected where a script of the mapping may compute them from others', () => {
    const runtime = { scripted: { type: 'keyword', script: { source: '' } }, plain: { type: 'keyword' } };
    const properties = { email: keyword };
    expect(open({ '*.email': 'mask' }, { properties, runtime }).find('scripted')).toBe('mask');
    expect(open({ '*.email': 'mask' }, { properties, runtime }).find('plain')).toBeUndefined();
    expect(open({ '*.email': 'mask' }, { properties: {}, runtime }).find('scripted')).toBeUndefined();
  });
});
