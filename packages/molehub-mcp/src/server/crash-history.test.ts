import { expect, it } from 'vitest';
import { CrashHistory } from './crash-history.ts';

it('waits twice as long after each crash, and holds after five within a minute', () => {
  let now = 1_000_000;
  const crashes = new CrashHistory(() => now);
  const waits = [];
  for (let i = 0; i < 5; i++) {
    expect(crashes.isHeld).toBe(false);
    crashes.add();
    waits.push(crashes.waitMs);
    now += 10;
  }
  expect(waits).toEqual([0, 250, 500, 1_000, 2_000]);
  expect(crashes.isHeld).toBe(true);
  now += 60_000;
  expect([crashes.isHeld, crashes.waitMs, crashes.count]).toEqual([false, 0, 0]);
  crashes.add();
  crashes.clear();
  expect(crashes.count).toBe(0);
});
