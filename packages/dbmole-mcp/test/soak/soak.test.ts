import { expect, it } from 'vitest';
import { soak } from './soak.ts';

/** The short form of `npm run soak`: some thousand calls, and at most five minutes. */
it('answers thousands of calls while engines and the bastion come and go, and holds no more at the end than at the start', async () => {
  const signal = AbortSignal.timeout(300_000);
  const { made, outcomes, disturbed, before, after, problems } = await soak({
    calls: 6_000,
    seed: 2_026,
    disturbances: 8,
    signal,
  });
  expect(problems).toEqual([]);
  expect(made).toBeGreaterThan(1_000);
  expect(outcomes.cancelled).toBeGreaterThan(10);
  expect(disturbed.length).toBeGreaterThan(3);
  expect(after.sessions).toBeLessThanOrEqual(before.sessions);
  expect(after.sockets).toBeLessThanOrEqual(before.sockets);
  expect(after.files).toBeLessThanOrEqual(before.files);
  expect(after.children).toBeLessThanOrEqual(before.children);
  // After these few hundred calls the server still warms up; 30,000 and 75,000 calls end at the same size.
  expect(after.megabytes).toBeLessThanOrEqual(before.megabytes + 90);
}, 420_000);
