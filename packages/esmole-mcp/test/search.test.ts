import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];
const count = 120;
const big = 'x'.repeat(5_000_000);

describe.each(engines)('searching on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const index = `search-${id}`;
  let tools: TestClient;
  let writer: TestClient;

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    const lines = Array.from({ length: count }, (_, id) => [
      { index: { _index: index, _id: String(id) } },
      {
        id,
        customer: { name: `name ${id % 3}` },
        big: 'BIG',
        tags: ['a', 'b'],
        at: `2024-01-${String((id % 28) + 1).padStart(2, '0')}`,
      },
    ]).flat();
    // A number that JavaScript does not have.
    const text = lines.map((line) => `${JSON.stringify(line)}\n`.replace('"BIG"', '9007199254740993')).join('');
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    const written = await writer.call('es_request', { method: 'POST', path: '/_bulk', params: { refresh: true }, body: text });
    expect(written.text).toMatch(/^Status 200/);
    await writer.call('es_request', {
      method: 'PUT',
      path: `/${index}-big/_doc/1`,
      params: { refresh: true },
      body: { text: big },
    });
  }, 60_000);

  afterAll(async () => {
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    await writer.call('es_request', { method: 'DELETE', path: `/${index}-big` });
    await Promise.all([tools.close(), writer.close()]);
  });

  const search = async (args: object): Promise<string> => (await tools.call('es_search', { index, ...args })).text;

  it('shows a line for each hit, every digit of it, the total, and how to read on', async () => {
    const text = await search({ size: 3, sort: [{ id: 'asc' }] });
    const [line, head, ...rows] = text.split('\n');
    expect(line).toMatch(new RegExp(`^Hits 1-3 of 120 in ${index}, \\d+ ms; more: same call with search_after=\\[2\\]\\.`));
    expect(head).toBe('_id,id,customer.name,big,tags,at');
    expect(rows[1]).toBe('1,1,name 1,9007199254740993,"[""a"",""b""]",2024-01-02');
  });

  it('reads on to the end, and nothing is shown twice or left out', async () => {
    const seen: string[] = [];
    let after: unknown[] | undefined;
    for (let page = 0; page < 20; page++) {
      const text = await search({ size: 25, sort: [{ id: 'asc' }], source: ['id'], ...(after && { search_after: after }) });
      seen.push(
        ...text
          .split('\n')
          .slice(2)
          .map((row) => row.split(',')[1] ?? ''),
      );
      const next = /search_after=(\[.*?\])/.exec(text.split('\n')[0] ?? '')?.[1];
      if (next === undefined) break;
      after = JSON.parse(next);
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, id) => String(id)));
    expect(await search({ size: 50, from: 100, sort: ['id'] })).toMatch(/^Hits 101-120 of 120[^;]*\.? Data/);
  });

  it('takes what it does not know from the query', async () => {
    expect(await search({ q: 'customer.name:2', size: 1 })).toContain('Hit 1 of 40');
    expect(await search({ query: { term: { id: 7 } } })).toMatch(/^Hit 1 of 1 .*\n.*\n7,/);
    expect(await search({ query: { term: { id: 1_000 } } })).toMatch(/^No hits, total 0/);
    expect(await search({ track_total_hits: 10, size: 1 })).toContain('of at least 10');
    expect(await search({ track_total_hits: false, size: 1 })).toContain('not counted');
    expect(await search({ fields: ['customer.name'], size: 1, sort: ['id'] })).toMatch(/\n_id,customer\.name\n0,name 0$/);
    expect(await search({ q: 'name', highlight: ['customer.name'], size: 1 })).toContain('<em>name</em>');
  });

  it('shows aggregations as small tables', async () => {
    const aggs = {
      names: { terms: { field: 'customer.name.keyword' }, aggs: { top: { max: { field: 'id' } } } },
      ids: { stats: { field: 'id' } },
    };
    const text = await search({ aggs, aggs_only: true });
    expect(text).toMatch(/^Total 120/);
    expect(text).toContain('names:\nnames,docs,top\nname 0,40,117\nname 1,40,118\nname 2,40,119');
    expect(text).toContain('ids: count=120, min=0, max=119, avg=59.5, sum=7140');
    expect(text.length).toBeLessThan(500);
  });

  it('cuts a long text, says how long it is, and reads on in it', async () => {
    const text = (await tools.call('es_search', { index: `${index}-big` })).text;
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain('1-500 of 5000000');
    const on = (await tools.call('es_search', { index: `${index}-big`, cell_offset: 100_000, cell_limit: 10 })).text;
    expect(on).toContain('100001-100010 of 5000000');
  });

  it('stays within its budget whatever is asked, and says so', async () => {
    const text = await search({ size: 10_000, query: { match_all: {} } });
    expect(text.length).toBeLessThanOrEqual(32_000);
    expect(text).toMatch(/^Hits 1-120 of 120/);
  });

  it('says what is wrong, and where', async () => {
    const reply = await tools.call('es_search', { index, query: { matchh: { a: 1 } } });
    expect(reply.isError).toBe(true);
    expect(reply.text).toMatch(/^E_ENGINE \(400.*matchh/);
    expect(reply.text).not.toContain('stack_trace');
    // Only the shards say why.
    const number = await tools.call('es_search', { index, query: { range: { id: { gte: 'nonsense' } } } });
    expect(number.text).toMatch(/^E_ENGINE \(400.*nonsense/);
    const missing = await tools.call('es_search', { index: 'no-such-index' });
    expect(missing.text).toMatch(/index_not_found_exception/);
  });

  it('reads through es_request, and refuses what writes', async () => {
    const found = await tools.call('es_request', { path: `/${index}/_doc/5` });
    expect(found.text).toMatch(/^Status 200\..*9007199254740993/s);
    const lines = [{ index }, { size: 1 }, { index }, { size: 0 }];
    expect((await tools.call('es_request', { method: 'POST', path: '/_msearch', body: lines })).text).toMatch(/"responses":\[/);
    const refused = await tools.call('es_request', { method: 'DELETE', path: `/${index}` });
    expect(refused.isError).toBe(true);
    expect((await tools.call('es_request', { path: `/${index}/_count` })).text).toContain('"count":120');
    const missing = await tools.call('es_request', { path: `/${index}/_doc/nothing` });
    expect(missing.text).toMatch(/^Status 404/);
  });
});
