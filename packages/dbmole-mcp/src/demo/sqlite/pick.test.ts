import { expect, it } from 'vitest';
import { pick } from './pick.ts';

it('picks what PostgreSQL picks with hashint8extended', () => {
  // select (hashint8extended(i, salt) & 9223372036854775807) % n
  const found = [pick(1, 1, 26), pick(2_000, 14, 4), pick(80_001, 51, 200), pick(42, 7, 8_999_999), pick(200, 32, 999_999_999)];
  expect(found).toEqual([9, 3, 136, 3_662_046, 139_694_322]);
});
