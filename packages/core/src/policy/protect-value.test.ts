import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { createProtectValue, pseudonymLength } from './protect-value.ts';
import { readPseudonymKey } from './pseudonym-key.ts';

describe('a protected value', () => {
  const folder = useTempFolder();
  const protect = createProtectValue(Buffer.from('key'));

  it('shows nothing, or its last characters if it is long enough', () => {
    expect(protect('mask', { text: 'secret' })).toBe('***');
    expect(protect('partial', { text: 'DE89370400440532013000' })).toBe('***3000');
    expect(protect('partial', { text: '1234567' })).toBe('***');
    expect(protect('partial', { text: 'DE8937040044', fullLength: 22 })).toBe('***');
  });

  it('has the same pseudonym however much of it was read', () => {
    const long = 'x'.repeat(pseudonymLength + 500);
    expect(protect('pseudonym', { text: 'a@b.c' })).toMatch(/^p_[0-9a-f]{16}$/);
    expect(protect('pseudonym', { text: 'a@b.c' })).not.toBe(protect('pseudonym', { text: 'a@b.d' }));
    expect(protect('pseudonym', { text: long.slice(0, pseudonymLength), fullLength: long.length })).toBe(
      protect('pseudonym', { text: long }),
    );
  });

  it('has another pseudonym on another connection, and the same in the next process', async () => {
    const [first, second] = [await readPseudonymKey(folder.path, 'a'), await readPseudonymKey(folder.path, 'b')];
    expect(first.equals(second)).toBe(false);
    expect((await readPseudonymKey(folder.path, 'a')).equals(first)).toBe(true);
    const path = join(folder.path, 'pseudonym-key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain(first.toString('hex'));
    writeFileSync(path, 'short');
    await expect(readPseudonymKey(folder.path, 'a')).rejects.toMatchObject({ code: 'E_SECRET_FILE' });
  });
});
