import { expect, it } from 'vitest';
import { createNodes } from './failover.ts';

function clockedNodes() {
  const clock = { time: 1_000_000 };
  return { clock, nodes: createNodes(['a', 'b', 'c'], () => clock.time) };
}

it('keeps using the first node that works', () => {
  const { nodes, clock } = clockedNodes();
  expect(nodes.candidates()).toEqual(['a', 'b', 'c']);
  nodes.markDead('a');
  expect(nodes.candidates()).toEqual(['b', 'c', 'a']);
  clock.time += 999;
  expect(nodes.candidates()[0]).toBe('b');
  clock.time += 1;
  expect(nodes.candidates()).toEqual(['a', 'b', 'c']);
});

it('waits longer after each failure, up to a minute, and forgets with the first answer', () => {
  const { nodes, clock } = clockedNodes();
  for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    nodes.markDead('a');
    clock.time += pause - 1;
    expect(nodes.candidates()[0]).toBe('b');
    clock.time += 1;
    expect(nodes.candidates()[0]).toBe('a');
  }
  nodes.markAlive('a');
  nodes.markDead('a');
  clock.time += 1_000;
  expect(nodes.candidates()[0]).toBe('a');
});

it('offers failed nodes as well, soonest due first', () => {
  const { nodes, clock } = clockedNodes();
  nodes.markDead('b');
  nodes.markDead('b');
  nodes.markDead('a');
  clock.time += 1;
  nodes.markDead('c');
  expect(nodes.candidates()).toEqual(['a', 'c', 'b']);
});
