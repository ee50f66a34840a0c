import { describe, expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import type { Destination } from '../../manager/backend.ts';
import { Destinations } from './destinations.ts';

const place = (name: string, host: string, readonly = false): Destination => ({ name, readonly, facts: { name, host } });
const [before, after] = [place('shop', 'one'), place('shop', 'two')];
const changed = 'connection "shop" has changed since it was last used: host two (was one)';

/** What the answer to one call begins with, or the code of its refusal. */
function call(known: Destinations, destination: Destination, { asked = destination.name, mayWrite = false } = {}) {
  const visit = known.begin({ mayWrite });
  try {
    visit.enter(asked === '' ? undefined : asked, destination);
  } catch (error) {
    if (error instanceof Failure) return `${error.code} ${error.message}`;
    throw error;
  }
  return visit.notice();
}

describe('where names lead', () => {
  it('is reported once when it changes, and never the first time', () => {
    const known = new Destinations();
    expect(call(known, before)).toBeUndefined();
    expect(call(known, after)).toBe(changed);
    expect(call(known, after, { mayWrite: true })).toBeUndefined();
  });

  it('is the reason why a write is refused once, except on a read-only connection', () => {
    const known = new Destinations();
    call(known, before);
    expect(call(known, after, { mayWrite: true })).toBe(`E_CONNECTION_CHANGED ${changed}; nothing was sent`);
    expect(call(known, after, { mayWrite: true })).toBeUndefined();
    expect(call(known, place('shop', 'three', true), { mayWrite: true })).toContain('host three (was two)');
  });

  it('is news also to a call that was made before the change was answered to another one', () => {
    const known = new Destinations();
    call(known, before);
    const write = known.begin({ mayWrite: true });
    expect(call(known, after)).toBe(changed);
    expect(() => write.enter('shop', after)).toThrow(changed);
    expect(call(known, after, { mayWrite: true })).toBeUndefined();
  });

  it('is compared for calls that name no connection, too', () => {
    const known = new Destinations();
    call(known, before, { asked: '' });
    expect(call(known, after)).toBe(changed);
    expect(call(known, after, { asked: '' })).toContain('host two (was one)');
    expect(call(known, place('other', 'two'), { asked: '' })).toBe(
      'the only connection has changed since it was last used: name other (was shop)',
    );
  });

  it('is known from a list, which does not hide a change', () => {
    const known = new Destinations();
    known.show(before);
    known.show(after);
    expect(call(known, after)).toBe(changed);
  });

  it('is no news to the caller that changed it', () => {
    const known = new Destinations();
    call(known, before, { asked: '' });
    known.tell(after);
    expect(call(known, after, { asked: '', mayWrite: true })).toBeUndefined();
  });
});
