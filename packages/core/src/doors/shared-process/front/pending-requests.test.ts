import { describe, expect, it } from 'vitest';
import { formatLostAnswer } from './lost-answer.ts';
import { PendingRequests, readAnswerId } from './pending-requests.ts';

const line = (message: object) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));

describe('readAnswerId', () => {
  it.each([
    [{ jsonrpc: '2.0', id: 7, result: { id: 8 } }, 7],
    [{ jsonrpc: '2.0', id: -7, error: { code: 1 } }, -7],
    [{ jsonrpc: '2.0', id: 'ä"x', result: {} }, 'ä"x'],
    [{ result: { content: 'x'.repeat(9_000) }, jsonrpc: '2.0', id: 'é' }, 'é'],
    [{ error: { code: -1 }, jsonrpc: '2.0', id: 3 }, 3],
    [{ jsonrpc: '2.0', id: 7, method: 'elicitation/create' }, undefined],
    [{ method: 'elicitation/create', params: {}, jsonrpc: '2.0', id: 7 }, undefined],
    [{ jsonrpc: '2.0', method: 'notifications/progress', params: { id: 7 } }, undefined],
    [{ result: { x: { jsonrpc: '2.0', id: 7 } } }, undefined],
  ])('of %j is %j', (message, id) => {
    expect(readAnswerId(Buffer.from(JSON.stringify(message)))).toBe(id);
  });
});

describe('PendingRequests', () => {
  it('knows what has no answer yet', () => {
    const requests = new PendingRequests();
    requests.sent(line({ id: 1, method: 'initialize' }));
    requests.sent(line({ method: 'notifications/initialized' }));
    for (const id of [2, 3, 'four']) requests.sent(line({ id, method: 'tools/call', params: { name: `t${id}` } }));
    requests.sent(line({ id: 5, method: 'tools/list' }));
    requests.sent(line({ id: 6, result: {} }));
    requests.sent(Buffer.from('no JSON'));
    requests.answered(line({ id: 1, result: {} }));
    requests.answered(line({ id: 2, result: {} }));
    requests.sent(line({ method: 'notifications/cancelled', params: { requestId: 3 } }));
    expect(requests.takeLost()).toEqual([
      { id: 'four', method: 'tools/call', tool: 'tfour' },
      { id: 5, method: 'tools/list', tool: undefined },
    ]);
    expect(requests.takeLost()).toEqual([]);
    expect(requests.handshake?.id).toBe(1);
  });

  it('keeps a handshake without an answer, which can be repeated', () => {
    const requests = new PendingRequests();
    requests.sent(line({ id: 1, method: 'initialize' }));
    expect([requests.takeLost(), requests.has(1)]).toEqual([[], true]);
  });
});

describe('formatLostAnswer', () => {
  const request = { id: 9, method: 'tools/call', tool: 'execute' };

  it('is the answer of a tool in the older era, and an error in the newer one', () => {
    const older: unknown = JSON.parse(formatLostAnswer(request, true));
    expect(older).toMatchObject({ id: 9, result: { isError: true, structuredContent: { code: 'E_OUTCOME_UNKNOWN' } } });
    expect(JSON.parse(formatLostAnswer(request, false))).toMatchObject({ id: 9, error: { code: -32603 } });
    const list = { id: 'x', method: 'tools/list', tool: undefined };
    expect(formatLostAnswer(list, true)).toContain('before it answered tools/list');
  });

  it('is one line that is recognized as an answer', () => {
    for (const isOldEra of [true, false]) {
      const text = formatLostAnswer(request, isOldEra);
      expect(text.split('\n')).toHaveLength(2);
      expect(readAnswerId(Buffer.from(text.trimEnd()))).toBe(9);
    }
  });
});
