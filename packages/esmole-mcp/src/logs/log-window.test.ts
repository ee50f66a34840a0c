import { describe, expect, it } from 'vitest';
import { resolveWindows } from './log-window.ts';

const now = new Date('2026-11-20T10:36:12.345Z');

describe('a window of time', () => {
  it.each([
    ['now', '2026-11-20T10:36:12.345Z'],
    ['now-1h', '2026-11-20T09:36:12.345Z'],
    ['now-1d+30m', '2026-11-19T11:06:12.345Z'],
    ['now-1M', '2026-11-20T10:36:12.345Z||-1M'],
    ['now-1h/d', '2026-11-20T10:36:12.345Z||-1h/d'],
    ['9:30', '2026-11-20T09:30Z'],
    ['10:00:05Z', '2026-11-20T10:00:05Z'],
    ['2026-11-20 10:00', '2026-11-20T10:00'],
    ['2026-11-20T10:00:00+02:00', '2026-11-20T10:00:00+02:00'],
    ['2026-11-20||-1d', '2026-11-20||-1d'],
    ['1763632572345', '1763632572345'],
  ])('begins at %s', (from, gte) => {
    expect(resolveWindows({ from }, now).now).toEqual({ gte, lt: now.toISOString() });
  });

  it.each(['', 'yesterday', '10', 'nowish', '12345'])('does not begin at %j', (from) => {
    expect(() => resolveWindows({ from }, now)).toThrow('is not a time');
  });

  it('has a baseline, which ends where it begins unless an end is given', () => {
    const read = (baseline: string) => resolveWindows({ from: '10:00', to: '10:30', baseline }, now).baseline;
    expect(read('9:00')).toEqual({ gte: '2026-11-20T09:00Z', lt: '2026-11-20T10:00Z' });
    const interval = { gte: '2026-11-20T08:00:00Z', lt: '2026-11-20T09:00:00Z' };
    expect(read('2026-11-20T08:00:00Z/2026-11-20T09:00:00Z')).toEqual(interval);
    expect(read('2026-11-20T08:00:00Z to 2026-11-20T09:00:00Z')).toEqual(interval);
    expect(read('now-1d..now-23h')).toEqual({
      gte: '2026-11-19T10:36:12.345Z',
      lt: '2026-11-19T11:36:12.345Z',
    });
  });
});
