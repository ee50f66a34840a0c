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

  it('are protected where they look up another index, and where all dimensions are in one', () => {
    const runtime = { joined: { type: 'lookup', target_index: 'users', fetch_fields: ['email'] } };
    expect(open({ 'users.email': 'mask' }, { runtime }, ['logs']).find('joined.email')).toBe('mask');
    const properties = { ip: { ...keyword, time_series_dimension: true } };
    expect(open({ '*.ip': 'mask' }, { properties }).find('_tsid')).toBe('mask');
    expect(open({ '*.other': 'mask' }, { properties }).find('_tsid')).toBeUndefined();
  });

  it('may be outside of a mapping that does not show all', () => {
    const rules = { 'users.payload.secret': 'mask', 'users.own': 'mask' } as const;
    const payload = { type: 'object', enabled: false, properties: {} };
    expect(open(rules, { properties: { payload } }).hidesProtected).toBe(true);
    expect(open(rules, { dynamic: 'false' }).hidesProtected).toBe(true);
    expect(open(rules, { dynamic: 'strict', properties: { other: { dynamic: false } } }).hidesProtected).toBe(false);
    const fields = open(rules, { properties: { payload, own: keyword } });
    expect(['payload', 'payload.secret', 'own', '', 'n'].map((path) => fields.mayHold(path))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('are protected where a script of the mapping may compute them from others', () => {
    const runtime = { scripted: { type: 'keyword', script: { source: '' } }, plain: { type: 'keyword' } };
    const properties = { email: keyword };
    expect(open({ '*.email': 'mask' }, { properties, runtime }).find('scripted')).toBe('mask');
    expect(open({ '*.email': 'mask' }, { properties, runtime }).find('plain')).toBeUndefined();
    expect(open({ '*.email': 'mask' }, { properties: {}, runtime }).find('scripted')).toBeUndefined();
  });
});
