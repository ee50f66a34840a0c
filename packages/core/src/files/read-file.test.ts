import { describe, expect, it } from 'vitest';
import { isWritableByOthers } from './read-file.ts';

describe.runIf(process.geteuid !== undefined)('isWritableByOthers', () => {
  const user = process.geteuid?.() ?? 0;

  it.each([0o600, 0o400, 0o644])('trusts a file of this user and of root with the mode %o', (mode) => {
    expect(isWritableByOthers({ uid: user, mode })).toBe(false);
    expect(isWritableByOthers({ uid: 0, mode })).toBe(false);
  });

  it.each([0o620, 0o602, 0o666])('does not trust a file with the mode %o', (mode) => {
    expect(isWritableByOthers({ uid: user, mode })).toBe(true);
  });

  it('does not trust a file of another user', () => {
    expect(isWritableByOthers({ uid: user + 1, mode: 0o600 })).toBe(true);
  });
});
