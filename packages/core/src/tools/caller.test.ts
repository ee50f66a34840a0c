import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Caller, createProgress } from './caller.ts';

interface Report {
  progress: number;
  total?: number;
  message?: string;
}

function identifyCaller(sent: Report[], progressToken?: string): Pick<Caller, 'progressToken' | 'notify'> {
  // A report has these fields and no others.
  return { progressToken, notify: async (_method, params) => void sent.push(params as unknown as Report) };
}

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is silent for a caller that did not ask', () => {
    const sent: Report[] = [];
    const progress = createProgress(identifyCaller(sent));
    progress.report(1, 2);
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends a heartbeat while the handler is silent, and stops with the call', () => {
    const sent: Report[] = [];
    const progress = createProgress(identifyCaller(sent, 'token'));
    vi.advanceTimersByTime(11_000);
    expect(sent.map(({ message }) => message)).toEqual(['still running after 5 s', 'still running after 10 s']);
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(2);
  });

  it('only ever grows, also across heartbeats, and never loses the last report', () => {
    const sent: Report[] = [];
    const progress = createProgress(identifyCaller(sent, 'token'));
    progress.report(10, 100);
    progress.report(11, 100);
    vi.advanceTimersByTime(6_000);
    progress.report(5, 100);
    progress.report(60, 100);
    progress.report(100, 100, 'done');
    const values = sent.map(({ progress: value }) => value);
    expect(values).toEqual([10, 10.001, 60, 100]);
    expect(sent.at(-1)).toMatchObject({ total: 100, message: 'done' });
  });
});
