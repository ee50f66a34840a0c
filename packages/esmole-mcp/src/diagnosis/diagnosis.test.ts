import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { formatLacking } from './access.ts';
import { readRequiredFree } from './checks/disk.ts';
import { judgePending } from './checks/locks.ts';
import { formatGrowth, judgeGrowth, measureGrowth } from './checks/tables/series-growth.ts';
import { formatMappingChange, listFields } from './mapping-fields.ts';
import { describeRefusal } from './refusal-text.ts';

const gigabyte = 1024 ** 3;

it.each([
  ['85%', undefined, 100 * gigabyte, 15 * gigabyte],
  ['85%', '200gb', 10_000 * gigabyte, 200 * gigabyte],
  ['85%', '-1', 1_000 * gigabyte, 150 * gigabyte],
  ['0.9', undefined, 100 * gigabyte, 10 * gigabyte],
  ['500mb', undefined, 100 * gigabyte, 500 * 1024 ** 2],
  ['1.5TB', undefined, 100 * gigabyte, 1.5 * 1024 * gigabyte],
  ['odd', undefined, 100, undefined],
  [undefined, undefined, 100, undefined],
])('reads how much disk the watermark %s with the headroom %s wants free', (mark, headroom, total, free) => {
  const found = readRequiredFree(mark, headroom, total);
  if (free === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(free, -3);
});

describe('the growth of a series', () => {
  const days = (bytesOf: (day: number) => number, count = 20) =>
    Array.from({ length: count }, (_, at) => ({
      name: `web-2026.10.${String(at + 1).padStart(2, '0')}`,
      bytes: bytesOf(at + 1),
      created: 1,
    }));

  it('is measured without the index that is still written, and a week against the one before it', () => {
    expect(measureGrowth(days((day) => (day === 20 ? 5 : 100), 3))).toEqual({ perDay: 100 });
    const growth = measureGrowth(days((day) => (day < 13 ? gigabyte : 3 * gigabyte)));
    expect(growth?.weeks).toEqual({ last: 3 * gigabyte, before: gigabyte });
    expect(formatGrowth(growth ?? { perDay: 0 })).toBe('grows by 1.74 GB a day (last week 3 GB, the week before 1 GB)');
    expect(judgeGrowth('web-2026.10.*', growth)).toMatchObject([
      { severity: 'low', evidence: 'web-2026.10.* grew by 3 GB a day in the last week, and by 1 GB in the week before' },
    ]);
    expect(judgeGrowth('web-2026.10.*', measureGrowth(days(() => gigabyte)))).toEqual([]);
  });

  it('is read from when an index was created where its name has no date', () => {
    const hours = (count: number, at: number) => ({ name: `logs-00000${at}`, bytes: 48, created: 1e12 + at * count * 3_600_000 });
    expect(measureGrowth([0, 1, 2].map((at) => hours(48, at)))).toEqual({ perDay: 24 });
    expect(measureGrowth([0, 1, 2].map((at) => hours(1, at)))).toBeUndefined();
    expect(measureGrowth([{ name: 'a', bytes: 1, created: 0 }])).toBeUndefined();
    expect(measureGrowth([])).toBeUndefined();
  });
});

describe('fields of a mapping', () => {
  it('are counted as the cluster does, with objects and further forms', () => {
    const text = { type: 'text', fields: { keyword: { type: 'keyword' } } };
    const { fields, count } = listFields({
      properties: { user: { properties: { name: text } }, lines: { type: 'nested', properties: { at: { type: 'date' } } } },
      runtime: { day: { type: 'keyword' } },
    });
    expect(count).toBe(6);
    expect(fields.map(({ path, parent }) => [path, parent])).toEqual([
      ['user.name', undefined],
      ['user.name.keyword', 'user.name'],
      ['lines.at', undefined],
    ]);
    expect(listFields(undefined)).toEqual({ fields: [], count: 0 });
  });

  it('are changed inside of their objects', () => {
    expect(formatMappingChange('a.b', { type: 'text' })).toBe('{"properties":{"a":{"properties":{"b":{"type":"text"}}}}}');
  });
});

describe('tasks that wait for the master', () => {
  it.each([
    [3, 900, undefined],
    [3, 12_000, 'medium'],
    [50, 0, 'medium'],
    [1, 61_000, 'high'],
    [1_000, 0, 'high'],
  ])('%d of them, the oldest for %d ms, are a finding of severity %s', (count, oldest, severity) => {
    const tasks = Array.from({ length: count }, () => ({ time_in_queue_millis: oldest }));
    expect(judgePending(tasks)[0]?.severity).toBe(severity);
  });
});

describe('a refusal', () => {
  const forbidden = (message: string) => new Failure('auth', message, { code: 'E_FORBIDDEN' });

  it('names the narrowest privilege', () => {
    const message =
      'action [cluster:monitor/state] is unauthorized for user [x], this action is granted by the cluster privileges [read_ccr,monitor,manage,all]';
    expect(describeRefusal(forbidden(message), { product: 'elasticsearch' })).toEqual({
      reason: 'the user lacks the cluster privilege monitor',
      remedy: 'An administrator can add monitor to "cluster" of a role of this user: PUT /_security/role/NAME.',
    });
  });

  it('names the permission of OpenSearch', () => {
    const message = 'no permissions for [cluster:monitor/tasks/lists] and User [name=x, backend_roles=[]]';
    expect(describeRefusal(forbidden(message), { product: 'opensearch' })?.reason).toBe(
      'the user lacks the permission cluster:monitor/tasks/lists',
    );
  });

  it('is nothing else', () => {
    expect(describeRefusal(new Failure('engine', 'x', { code: 'E_BUSY' }), { product: 'unknown' })).toBeUndefined();
    expect(describeRefusal(new TypeError('x'), { product: 'unknown' })).toBeUndefined();
    expect(describeRefusal(forbidden('no'), { product: 'unknown' })).toEqual({
      reason: 'no',
      remedy: 'An administrator of the cluster can grant it to a role of this user.',
    });
    expect(describeRefusal(forbidden('cluster_block_exception: x'), { product: 'unknown' })?.remedy).toContain('check=locks');
  });

  it('says which indices a wildcard leaves out', () => {
    const access = { seesCluster: true, lacking: ['monitor' as const], names: ['*'] };
    expect(formatLacking(access, ['monitor', 'read'])).toBe(
      'Only indices on which this user has monitor are seen; a role with monitor on * shows all.',
    );
    expect(formatLacking(access, ['read'])).toBeUndefined();
    expect(formatLacking(undefined, ['read'])).toBeUndefined();
  });
});
