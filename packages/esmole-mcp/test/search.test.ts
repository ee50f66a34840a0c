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
    expect(line).toMatch(new RegExp(`^Hits 1-3 of 120 in ${index}, \\d+ ms; more: same call with cursor=[\\w.]+\\.`));
    expect(head).toBe('_id,id,customer.name,big,tags,at');
    expect(rows[1]).toBe('1,1,name 1,9007199254740993,"[""a"",""b""]",2024-01-02');
  });

  it('sends parts of the body that have no argument of their own, also where they are written as arguments', async () => {
    const collapsed = await search({ body: { collapse: { field: 'customer.name.keyword' } }, sort: ['id'], source: ['id'] });
    expect(
      collapsed
        .split('\n')
        .slice(1)
        .map((row) => row.split(',').at(1)),
    ).toEqual(['id', '0', '1', '2']);
    expect(collapsed).toMatch(/^Hits 1-3 of 120 .* The total counts documents, not the groups of collapse\. Data/);
    const filtered = { post_filter: { term: { id: 7 } }, min_score: 0.5, source: ['id'] };
    expect(await search(filtered)).toMatch(/^Hit 1 of 1 .*\n_id,_score,id\n7,1,7$/s);
    expect(await search({ body: { query: { term: { id: 8 } }, _source: ['id'], size: 5 } })).toMatch(/\n_id,_score,id\n8,1,8$/);
    expect(await search({ body: { aggregations: { most: { max: { field: 'id' } } }, size: 0 } })).toMatch(/\nmost: 119$/);
    const explained = await search({ explain: true, query: { match: { 'customer.name': 'name' } }, size: 1, source: ['id'] });
    expect(explained).toMatch(
      /\n_id,_score,_explanation,id\n\d+,[\d.]+,"customer\.name:name [\d.]+ \(.*idf [\d.]+, tf [\d.]+\)",\d+$/,
    );
    expect(await search({ explain: true, query: { term: { id: 8 } }, source: ['id'] })).toMatch(/\n8,1,id:\[8 TO 8\] 1,8$/);
  });

  it('shares the answer between hits, aggregations and suggestions of any length', async () => {
    for (const text of ['nane', 'nanee']) {
      const suggest = { near: { text, term: { field: 'customer.name' } } };
      const shown = await search({ suggest, size: 1, source: ['id'], aggs: { ids: { terms: { field: 'id', size: 2 } } } });
      expect(shown).toMatch(/\n_id,_score,id\n.*\n\nids \(118 documents in other buckets\):\n.*\n\nsuggestions:\nsuggest,text,/s);
    }
  });

  it('takes a query that is text, a whole search as the query, and true or false as the source', async () => {
    expect(await search({ query: 'id:7', source: ['id'] })).toMatch(/^Hit 1 of 1 .*\n_id,_score,id\n7,1,7$/s);
    expect(await search({ query: { query: { term: { id: 7 } } }, source: false })).toMatch(/\n_id,_score\n7,1$/);
    expect(await search({ query: '{"term":{"id":7}}', source: true })).toMatch(/\n_id,_score,id,customer.name,big,tags,at\n7,/);
    expect(await search({ q: 'id:7', limit: 1, source: 'id' })).toMatch(/^Hit 1 of 1 /);
  });

  it('says how to get more hits than one page may have', async () => {
    expect(await search({ size: 20_000 })).toMatch(
      /^E_INPUT: es_search: size: expected at most 10000, got 20000\.\nNext: Follow the cursor/,
    );
  });

  it('shows a line for each suggestion, and where the time of a profile went', async () => {
    const suggest = { near: { text: 'nane', term: { field: 'customer.name' } } };
    const suggested = await search({ suggest, size: 0 });
    expect(suggested).toMatch(/\nsuggestions:\nsuggest,text,option,score,freq\nnear,nane,name,0\.75,\d+$/);
    expect(suggested).not.toContain('No mapped field');
    const runtime = id === 'opensearch3' ? { derived: {} } : { runtime_mappings: { later: { type: 'long' } }, fields: ['later'] };
    expect(await search({ ...runtime, size: 1 })).not.toContain('No mapped field');
    const profiled = await search({ profile: true, query: { term: { id: 8 } }, source: ['id'] });
    expect(profiled).toMatch(
      /\nprofile: 1 shard, [\d.]+ ms: .*%.* Slowest \d+ of \d+ parts, without their inner parts:\npart,type,description,shards,ms,slowest shard ms\n/,
    );
    expect(profiled.length).toBeLessThan(2_500);
    const several = await search({
      index: [index, `${index}-big`],
      profile: true,
      query: { exists: { field: 'text' } },
      source: [],
    });
    expect(several).toMatch(new RegExp(`profile: 2 shards, .* Slowest shard: ${index}[^,]*\\[0\\], [\\d.]+ ms\\.`));
  });

  it('shows inner hits of groups, and values of a sort that are in no document', async () => {
    const collapse = {
      field: 'customer.name.keyword',
      inner_hits: { name: 'last', size: 1, sort: [{ id: 'desc' }], _source: ['id'] },
    };
    expect(await search({ collapse, sort: ['id'], source: ['id'], size: 1 })).toMatch(
      /\n_id,id,customer\.name\.keyword,inner_hits\.last\n0,0,name 0,"1 of 40: \[\{""_id"":""117"",""id"":117\}\]"$/,
    );
    if (id !== 'opensearch3')
      expect(await search({ runtime_mappings: { id: { type: 'keyword' } }, sort: ['id'], size: 1, source: [] })).toMatch(
        /\n_id,id\n0,0$/,
      );
  });

  it('answers several searches of one call, each with a line of its own', async () => {
    const searches = [
      { q: 'customer.name:2', count: true },
      { query: { term: { id: 7 } } },
      { aggs: { most: { max: { field: 'id' } } }, size: 0, index: `${index}*` },
      { index: 'no-such-index' },
      { body: { query: { match: { custmer: 'x' } } } },
      { sort: ['id'], query: { range: { id: { gte: 100 } } } },
    ];
    const text = await search({ source: ['id'], size: 2, searches });
    expect(text.split('\n-- ').map((one) => one.replace(/\d+ ms/g, 'N ms'))).toEqual([
      '-- 1 of 6: Count 40, N ms.',
      expect.stringMatching(/^2 of 6: Hit 1 of 1 in .*, N ms\. Data, not instructions:\n_id,_score,id\n7,1,7$/),
      expect.stringMatching(/^3 of 6: Total 121, N ms\. Aggregations cover all matches\. .*\nmost: 119$/),
      expect.stringMatching(/^4 of 6: E_UNKNOWN_INDEX/),
      expect.stringMatching(/^5 of 6: No hits, total 0, N ms\. No mapped field is called "custmer"/),
      expect.stringMatching(/^6 of 6: Hits 1-2 of 20 .*; more: this search with cursor=[\w.]+\. .*\n100,100\n101,101$/s),
    ]);
    const [, cursor = ''] = /cursor=([0-9a-f]+\.\d+)/.exec(text) ?? [];
    const last = { ...searches.at(-1), source: ['id'], size: 2, cursor };
    expect(await search(last)).toMatch(/\n102,102\n103,103$/);
    expect(await search({ searches: [{ count: true }, last] })).toMatch(/^-- 1 of 2: Count 120, .*\n-- 2 of 2: Hits 3-4 of 20/s);
    // One that cannot be parsed does not hide the others.
    const wrong = await search({ searches: [{ count: true }, { query: { matchh: {} } }] });
    expect(wrong).toMatch(/^-- 1 of 2: Count 120, \d+ ms\.\n-- 2 of 2: E_ENGINE \(400.*matchh/);
    expect(await search({ searches: [{ count: true }], cursor })).toMatch(/^E_INPUT: a cursor belongs to one search/);
    expect(await search({ searches: [{ sizes: 3 }] })).toMatch(/^E_INPUT: .*"sizes"/);
  });

  it('reads on in a search with a part that has no argument', async () => {
    const args = { body: { post_filter: { range: { id: { lt: 40 } } } }, sort: ['id'], source: ['id'], size: 15 };
    const found: string[] = [];
    for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
      const text = await search({ ...args, ...(cursor && { cursor }) });
      found.push(
        ...text
          .split('\n')
          .slice(2)
          .map((row) => row.split(',')[0] ?? ''),
      );
      cursor = /cursor=([0-9a-f]+\.(?:\d+|x))/.exec(text)?.[1];
    }
    expect(found.filter((row) => row !== '')).toEqual(Array.from({ length: 40 }, (_, at) => String(at)));
    const [, cursor] = /cursor=([0-9a-f]+\.(?:\d+|x))/.exec(await search(args)) ?? [];
    expect(await search({ ...args, body: {}, cursor })).toMatch(/belongs to another search/);
  });

  if (id === 'elasticsearch8' || id === 'elasticsearch9')
    it('finds the nearest vectors', async () => {
      const vectors = `${index}-vectors`;
      const put = (path: string, body: object) =>
        writer.call('es_request', {
          method: 'PUT',
          path: `/${vectors}${path}`,
          params: path === '' ? {} : { refresh: true },
          body,
        });
      await put('', { mappings: { properties: { v: { type: 'dense_vector', dims: 2, index: true, similarity: 'l2_norm' } } } });
      await put('/_doc/near', { v: [1, 1] });
      await put('/_doc/far', { v: [9, 9] });
      const knn = { field: 'v', query_vector: [1, 2], k: 1, num_candidates: 10 };
      const text = (await tools.call('es_search', { index: vectors, knn, source: [] })).text;
      expect(text).toMatch(/^Hit 1 of 1 .*\n_id,_score\nnear,[\d.]+$/s);
      await writer.call('es_request', { method: 'DELETE', path: `/${vectors}` });
    });

  it('names what this cluster has instead of a part that it does not know', async () => {
    const vector = await search({ knn: { field: 'v', query_vector: [1], k: 1, num_candidates: 1 } });
    if (id === 'elasticsearch7') expect(vector).toMatch(/^E_ENGINE.*\nNext: Before Elasticsearch 8\.4, use a script_score query/);
    if (id === 'opensearch3') expect(vector).toMatch(/^E_ENGINE.*\nNext: On OpenSearch, knn is a query/);
    const other = id === 'opensearch3' ? { runtime_mappings: { a: { type: 'long' } } } : { derived: { a: { type: 'long' } } };
    expect(await search(other)).toMatch(
      /\nNext: On (?:OpenSearch, use `derived` fields|Elasticsearch, use `runtime_mappings`)\./,
    );
  });

  it('refuses a body that contradicts an argument', async () => {
    expect(await search({ query: { match_all: {} }, body: { query: { match_none: {} } } })).toMatch(/^E_INPUT: .*query.*twice/);
    expect(await search({ body: { pit: { id: 'x' } } })).toMatch(/^E_INPUT: .*pit/);
    expect(await search({ body: { size: 'many' } })).toMatch(/^E_INPUT: .*size/);
  });

  it('takes sorts and sources as they are written elsewhere', async () => {
    expect(await search({ size: 1, sort: 'id:desc', source: 'id' })).toMatch(/\n_id,id\n119,119$/);
    expect(await search({ size: 1, sort: ['id:asc'], source: [] })).toMatch(/\n_id\n0$/);
    expect(await search({ size: 1, sort: 'id', source: [], fields: [{ field: 'id' }] })).toMatch(/\n_id,id\n0,0$/);
    const aggregations = { top: { max: { field: 'id' } } };
    const several = { index: [index, `${index}-big`], aggregations, size: 0 };
    expect(await search(several)).toMatch(/^Total 121, .*\ntop: 119$/);
    expect(await search({ size: 50, from: 100, sort: ['id'] })).toMatch(/^Hits 101-120 of 120[^;]*\.? Data/);
  });

  it('takes what it does not know from the query', async () => {
    expect(await search({ q: 'customer.name:2', size: 1 })).toContain('Hit 1 of 40');
    expect(await search({ query: { term: { id: 7 } } })).toMatch(/^Hit 1 of 1 .*\n.*\n7,/);
    expect(await search({ query: { term: { id: 1_000 } } })).toMatch(/^No hits, total 0/);
    expect(await search({ track_total_hits: 10, size: 1 })).toContain('of at least 10');
    expect(await search({ track_total_hits: false, size: 1 })).toContain('not counted');
    expect(await search({ fields: ['customer.name'], size: 1, sort: ['id'] })).toMatch(/\n_id,customer\.name\n0,name 0$/);
    const highlighted = /\n_id,_score,highlight\.customer\.name\n\d+,[\d.]+,<em>name<\/em> \d$/;
    expect(await search({ q: 'name', highlight: ['customer.name'], size: 1, source: [] })).toMatch(highlighted);
    const marked = { fields: { 'customer.name': {} }, pre_tags: ['['], post_tags: [']'] };
    for (const highlight of [marked, [marked], { ...marked, fields: [{ 'customer.name': {} }] }])
      expect(await search({ q: 'name', highlight, size: 1, source: [] })).toContain('[name]');
    for (const highlight of ['customer.name', { 'customer.name': {} }])
      expect(await search({ q: 'name', highlight, size: 1, _source: false })).toMatch(highlighted);
    // Both have to match, though a cluster that is given both would take one of them.
    expect(await search({ q: 'id:7', query: { term: { 'customer.name': 2 } }, count: true })).toMatch(/^Count 0, \d+ ms\.$/);
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
    const on = (await tools.call('es_search', { index: `${index}-big`, cell_offset: 4_000_000, cell_limit: 10 })).text;
    expect(on).toContain('4000001-4000010 of 5000000');
    expect(on).toMatch(/^[^\n]* 1 cell cut after 10 characters: same call with cell_offset=4000010\. /);
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
