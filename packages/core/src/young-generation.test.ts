import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const source = JSON.stringify(new URL('./young-generation.ts', import.meta.url).href);

/** Runs in its own process, because the setting cannot be undone. Prints how much the room for new objects has grown. */
function measureGrowth(setUp: string): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { once } from 'node:events';
    import { Worker } from 'node:worker_threads';
    import { keepYoungGenerationSmall } from ${source};
    const measure = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    const worker = new Worker('', { eval: true });
    ${setUp};
    await once(worker, 'online');
    const before = measure();
    let kept = [];
    for (let i = 0; i < 1_000_000; i += 1) {
      kept.push({ i });
      if (kept.length > 20_000) kept = [];
    }
    console.log(measure() / before);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return Number(stdout);
}

it('keeps the room for new objects from growing', () => {
  expect(measureGrowth('')).toBeGreaterThan(1);
  expect(measureGrowth('keepYoungGenerationSmall(worker)')).toBe(1);
});
