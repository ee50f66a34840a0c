import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../answer/answer.ts';
import type { Send } from '../backend.ts';
import { acceptRead, type ClusterRequest, parseTarget } from './cluster-request.ts';
import { OpenedIds, withOwnCursors } from './own-cursors.ts';

const id = (letter: string) => letter.repeat(20);
const signal = new AbortController().signal;

/** A cluster that answers with what it is told to; `ask` says how the request ended. */
function cluster() {
  let json: unknown = {};
  const sent: string[] = [];
  const answerOf = (): Answer => ({
    status: 200,
    text: '',
    json,
    cut: undefined,
    contentType: 'application/json',
    warnings: [],
    warnedBy: undefined,
    product: undefined,
  });
  const inner: Send = async (request) => {
    sent.push(request.segments.join('/'));
    return answerOf();
  };
  const send = withOwnCursors(inner);
  const ask = async (request: string, body?: ClusterRequest['body'], answer: unknown = {}): Promise<string> => {
    const [method, path = ''] = request.split(' ');
    json = answer;
    try {
      // The requests below begin with a method.
      const target = { method: method as ClusterRequest['method'], body, ...parseTarget({ path, params: {} }) };
      await send(acceptRead(target), { signal });
      return 'sent';
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      expect(error.hint).toContain('Open your own');
      return error.code;
    }
  };
  return { ask, sent };
}

const refused = 'E_INDEX_REFUSED';

describe('what another client has opened', () => {
  it.each([
    ['POST /_search/scroll', { scroll_id: id('a'), scroll: '1m' }],
    ['POST /_search/scroll', JSON.stringify({ scroll_id: id('a') })],
    ['POST /_search/scroll', `{\n"scroll_id": "${id('a')}"\n}`],
    [`GET /_search/scroll/${id('a')}`, undefined],
    [`GET /_search/scroll?scroll_id=${id('a')}`, undefined],
    ['DELETE /_search/scroll', { scroll_id: [id('a')] }],
    ['DELETE /_search/scroll/_all', undefined],
    [`DELETE /_search/scroll/${id('a')},${id('b')}`, undefined],
    ['POST /_search', { pit: { id: id('a') } }],
    ['POST /_search', `{"pit":{"keep_alive":"1m","id":"${id('a')}"}}`],
    ['POST /_msearch', `{}\n{"query":{"match_all":{}}}\n{}\n{"pit":{"id":"${id('a')}"}}\n`],
    ['POST /_msearch', [{}, { pit: { id: id('a') } }]],
    ['POST /_rank_eval', { requests: [{ id: 'q', request: { pit: { id: id('a') } } }] }],
    ['DELETE /_pit', { id: id('a') }],
    ['DELETE /_search/point_in_time', { pit_id: [id('a')] }],
    ['DELETE /_search/point_in_time/_all', undefined],
    ['POST /_sql', { cursor: id('a') }],
    ['POST /_sql/close', { cursor: id('a') }],
    ['POST /_plugins/_sql', { cursor: id('a') }],
    [`DELETE /_async_search/${id('a')}`, undefined],
    [`GET /_async_search/status/${id('a')}`, undefined],
    [`DELETE /_eql/search/${id('a')}`, undefined],
    [`POST /_query/async/${id('a')}/stop`, undefined],
    [`DELETE /_sql/async/delete/${id('a')}`, undefined],
    [`DELETE /_plugins/_asynchronous_search/${id('a')}`, undefined],
  ] as const)('is not continued or closed: %s %j', async (request, body) => {
    const { ask, sent } = cluster();
    expect(await ask(request, body)).toBe(refused);
    expect(sent).toEqual([]);
  });
});

describe('what this connection has opened', () => {
  it('continues with each id of its own answers', async () => {
    const { ask } = cluster();
    expect(await ask('POST /a/_search?scroll=1m', {}, { _scroll_id: id('a') })).toBe('sent');
    expect(await ask('POST /_search/scroll', { scroll_id: id('a') }, { _scroll_id: id('b') })).toBe('sent');
    expect(await ask(`GET /_search/scroll/${id('b')}`)).toBe('sent');
    expect(await ask('DELETE /_search/scroll', { scroll_id: [id('a'), id('b')] })).toBe('sent');
    expect(await ask('DELETE /_search/scroll', { scroll_id: [id('a'), id('c')] })).toBe(refused);
  });

  it('recognizes points in time, cursors and async searches', async () => {
    const { ask } = cluster();
    await ask('POST /a/_pit?keep_alive=1m', undefined, { id: id('a') });
    expect(await ask('POST /_search', { pit: { id: id('a') } }, { pit_id: id('b') })).toBe('sent');
    expect(await ask('POST /_msearch', [{}, { pit: { id: id('b') } }], { responses: [{ pit_id: id('c') }] })).toBe('sent');
    expect(await ask('DELETE /_pit', { id: id('c') })).toBe('sent');
    await ask('POST /_sql', { query: 'SELECT 1' }, { cursor: id('d') });
    expect(await ask('POST /_sql', { cursor: id('d') })).toBe('sent');
    await ask('POST /a/_async_search', {}, { id: id('e'), response: { pit_id: id('f') } });
    expect(await ask(`DELETE /_async_search/${id('e')}`)).toBe('sent');
    expect(await ask('POST /_search', { pit: { id: id('f') } })).toBe('sent');
  });

  it('does not accept ids from documents', async () => {
    const { ask } = cluster();
    await ask('GET /a/_source/1', undefined, { _scroll_id: id('a'), id: id('a') });
    await ask('POST /a/_search', {}, { hits: { hits: [{ _source: { _scroll_id: id('a'), cursor: id('a') } }] } });
    expect(await ask('POST /_search/scroll', { scroll_id: id('a') })).toBe(refused);
    expect(await ask('POST /_sql', { cursor: id('a') })).toBe(refused);
  });

  it('ignores other requests', async () => {
    const { ask } = cluster();
    // Indices may be called like words of other paths.
    for (const index of ['scroll', 'sql', 'async', 'point_in_time'])
      for (const path of [index, `${index}/_mapping`, `${index}/_settings/x`])
        expect(await ask(`GET /${path}`), path).toBe('sent');
    for (const request of ['POST /a/_search', 'POST /_mget', 'POST /a/_doc', 'GET /a/_doc/scroll', 'POST /_sql/translate'])
      expect(await ask(request, { query: 'SELECT 1', id: 'x' }), request).toBe('sent');
    expect(await ask('PUT /a/_doc/1', { pit: { id: 'mine' }, scroll_id: 'x' })).toBe('sent');
    expect(await ask('POST /_bulk', '{"index":{}}\n{"pit":{"id":"x"}}\n')).toBe('sent');
  });
});

describe('the ids that are remembered', () => {
  it('remembers the newest ids up to a limit', () => {
    const ids = new OpenedIds();
    for (let at = 0; at < 6_000; at++) {
      ids.add('kept');
      ids.add(String(at));
    }
    expect(ids.has('kept')).toBe(true);
    expect(ids.has('5999')).toBe(true);
    expect(ids.has('500')).toBe(false);
  });
});
