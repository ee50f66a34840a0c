import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { createNodes, type Loss, withFailover } from './failover.ts';

const loss = (what: string, wasSent: boolean, kind: Failure['kind'] = 'connection'): Loss => ({
  failure: new Failure(kind, what, { code: 'E_NETWORK', hint: 'Next step.' }),
  wasSent,
});
const never = new AbortController().signal;

/** Each attempt takes the next outcome; says which nodes were tried. */
async function run(outcomes: readonly ('answer' | Loss)[], { names = ['a', 'b'], isRead = true, signal = never } = {}) {
  const nodes = createNodes(names, () => 0);
  const tried: string[] = [];
  const left = [...outcomes];
  const attempt = async (node: string) => {
    tried.push(node);
    const outcome = left.shift() ?? 'answer';
    return outcome === 'answer' ? { answer: node } : outcome;
  };
  const result = await withFailover({ nodes, isRead, signal, attempt }).catch((error: unknown) => error);
  return { result, tried, nodes };
}

describe('withFailover', () => {
  it('tries the next node while nothing was sent', async () => {
    for (const isRead of [true, false]) {
      const { result, tried, nodes } = await run([loss('refused', false)], { isRead });
      expect(result).toBe('b');
      expect(tried).toEqual(['a', 'b']);
      expect(nodes.candidates()).toEqual(['b', 'a']);
    }
  });

  it('retries a lost read, first on the same node', async () => {
    expect(await run([loss('lost', true)])).toMatchObject({ result: 'a', tried: ['a', 'a'] });
    expect(await run([loss('lost', true), loss('refused', false)])).toMatchObject({ result: 'b', tried: ['a', 'a', 'b'] });
  });

  it('retries once at most', async () => {
    const { result, tried } = await run([loss('lost', true), loss('lost again', true)]);
    expect(result).toMatchObject({ message: 'lost again' });
    expect(tried).toEqual(['a', 'a']);
  });

  it('never retries a write that may have arrived', async () => {
    const { result, tried } = await run([loss('refused', false), loss('lost', true)], { isRead: false });
    expect(result).toMatchObject({ code: 'E_OUTCOME_UNKNOWN', kind: 'connection', message: expect.stringContaining('lost') });
    expect(tried).toEqual(['a', 'b']);
  });

  it('reports the error of the first node when none works', async () => {
    const { result } = await run([loss('a is down', false), loss('b is down', false), loss('c is down', false)], {
      names: ['a', 'b', 'c'],
    });
    expect(result).toMatchObject({
      message: 'a is down; the other 2 nodes cannot be used either',
      hint: 'Next step.',
      code: 'E_NETWORK',
    });
    expect((await run([loss('a is down', false)], { names: ['a'] })).result).toMatchObject({ message: 'a is down' });
  });

  it('tries no other node for configuration errors or after cancellation', async () => {
    expect(await run([loss('no such file', false, 'config')])).toMatchObject({
      tried: ['a'],
      result: { message: 'no such file' },
    });
    const stopped = AbortSignal.abort(new Failure('cancelled', 'stopped'));
    expect(await run([loss('stopped', false)], { signal: stopped })).toMatchObject({ tried: [], result: { kind: 'cancelled' } });
  });
});
