import { expect, it } from 'vitest';
import { JobQueue, type Queued } from './job-queue.ts';

interface Job extends Queued {
  readonly name: string;
}

const job = (name: string, more: Partial<Job> = {}): Job => ({ name, database: 1, size: 10, isSuspect: false, ...more });

function createQueue(...jobs: Job[]): JobQueue<Job> {
  const queue = new JobQueue<Job>();
  for (const one of jobs) queue.add(one);
  return queue;
}

/** Each job ends before the next one begins. */
function takeAll(queue: JobQueue<Job>): string[] {
  const names: string[] = [];
  for (let next = queue.take([]); next !== undefined; next = queue.take([])) names.push(next.name);
  return names;
}

it('lets short texts go before long ones', () => {
  const long = { size: 500_000 };
  const queue = createQueue(job('a', long), job('b', long), job('c'), job('other', { database: 2 }));
  expect(takeAll(queue)).toEqual(['c', 'other', 'a', 'b']);
});

it('prefers the database with the fewest jobs under way', () => {
  const queue = createQueue(job('a'), job('b'), job('other', { database: 2 }));
  expect(queue.take([job('running')])?.name).toBe('other');
  expect(queue.take([job('running'), job('running', { database: 2 })])?.name).toBe('a');
});

it('begins a long text when many short ones went before it', () => {
  const queue = createQueue(job('long', { size: 500_000 }), ...Array.from({ length: 60 }, (_, i) => job(`${i}`)));
  const running = [job('asks')];
  const names = Array.from({ length: 60 }, () => queue.take(running)?.name);
  expect(names.indexOf('long')).toBe(50);
});

it('begins no more jobs of a database than it has sessions', () => {
  const running = Array.from({ length: 4 }, (_, i) => job(`running ${i}`));
  const queue = createQueue(job('waits'), job('other', { database: 2 }));
  expect(queue.take(running)?.name).toBe('other');
  expect(queue.take(running)).toBeUndefined();
  expect(queue.take(running.slice(1))?.name).toBe('waits');
});

it('begins a suspect before all others, and nothing beside it', () => {
  const suspect = job('suspect', { isSuspect: true });
  const queue = createQueue(job('a'), suspect);
  expect(queue.take([job('running')])).toBeUndefined();
  expect(queue.take([])).toBe(suspect);
  expect(queue.take([suspect])).toBeUndefined();
  expect(queue.take([])?.name).toBe('a');
});

it('forgets a job whose call has ended', () => {
  const [first, second, suspect] = [job('first'), job('second'), job('suspect', { isSuspect: true })];
  const queue = createQueue(first, second, suspect);
  queue.remove(first);
  queue.remove(suspect);
  expect(queue.drain()).toEqual([second]);
  expect(takeAll(queue)).toEqual([]);
});
