import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];
const count = 240;
const many = 10_700;

/** Few values, so that most documents share theirs with others, and some have none. */
const documentOf = (at: number) => ({
  status: [200, 404, 500][at % 3],
  host: `h${at % 4}`,
  flag: at % 2 === 0,
  at: `2024-01-0${(at % 5) + 1}T00:00:00Z`,
  ip: `10.0.0.${at % 6}`,
  share: (at % 7) / 3,
  text: `word ${'more '.repeat(at % 4)}`,
  ...(at % 3 === 0 ? {} : { maybe: at % 2 }),
});

const field = fc.constantFrom('status', 'host', 'flag', 'at', 'ip', 'share', 'maybe');
const order = fc.constantFrom('asc', 'desc');
const key = fc.oneof(
  field,
  fc.tuple(field, order).map(([name, by]) => `${name}:${by}`),
  fc.tuple(field, order).map(([name, by]) => ({ [name]: { order: by, missing: '_first' } })),
  fc.constantFrom('_score', '_doc'),
);
const sort = fc.option(
  fc.uniqueArray(key, {
    minLength: 1,
    maxLength: 3,
    selector: (one) => JSON.stringify(one).replace(/[^a-z_]*(asc|desc|order|missing|_first).*/, ''),
  }),
  { nil: undefined },
);
const query = fc.constantFrom(
  {},
  { q: 'text:more' },
  { query: { range: { status: { gte: 300 } } } },
  { query: { match: { text: 'word more' } } },
);
const page = fc.record({
  size: fc.integer({ min: 7, max: 90 }),
  from: fc.constantFrom(0, 0, 0, 11),
  cell_limit: fc.constantFrom(500, 30_000),
});

describe.each(engines)('reading on, on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const prefix = `reading-${id}`;
  let tools: TestClient;
  let writer: TestClient;
  const send = async (method: string, path: string, body?: unknown) =>
    (await writer.call('es_request', { method, path, body, ...(method === 'POST' && { params: { refresh: true } }) })).text;
  const index = (at: number) => `${prefix}-${at % 2}`;
  const bulk = async (from: number, to: number, name = index) => {
    const lines = Array.from({ length: to - from }, (_, at) => [
      { index: { _index: name(from + at), _id: String(from + at) } },
      documentOf(from + at),
    ]);
    expect(await send('POST', '/_bulk', lines.flat())).toContain('"errors":false');
  };

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    const keyword = { type: 'keyword' };
    const properties = {
      host: keyword,
      at: { type: 'date' },
      ip: { type: 'ip' },
      share: { type: 'double' },
      status: { type: 'long' },
      flag: { type: 'boolean' },
      maybe: { type: 'long' },
    };
    const body = { settings: { number_of_shards: 2, number_of_replicas: 0 }, mappings: { properties } };
    for (const name of [`${prefix}-0`, `${prefix}-1`, `${prefix}-many`]) {
      await send('DELETE', `/${name}`);
      expect(await send('PUT', `/${name}`, body)).toMatch(/^Status 200/);
    }
    await bulk(0, count);
  }, 60_000);

  afterAll(async () => {
    await send('DELETE', `/${prefix}-0,${prefix}-1,${prefix}-many`);
    await Promise.all([tools.close(), writer.close()]);
  });

  /** The ids of all pages, and the first lines. `between` runs after the first page. */
  async function readAll(
    args: object,
    between: (shown: readonly string[]) => Promise<void> = async () => undefined,
  ): Promise<{ ids: string[]; lines: string[] }> {
    const ids: string[] = [];
    const lines: string[] = [];
    let more: object | undefined = {};
    while (more !== undefined) {
      const { text, isError } = await tools.call('es_search', { index: `${prefix}-0,${prefix}-1`, ...args, ...more });
      expect(isError, text).not.toBe(true);
      const [line = '', head = '', ...rows] = text.split('\n');
      lines.push(line);
      if (head.startsWith('_id')) ids.push(...rows.map((row) => row.split(',')[0] ?? ''));
      const cursor: string | undefined = /same call with cursor=([\w.]+)\./.exec(line)?.[1];
      if (lines.length === 1) await between(ids);
      more = cursor === undefined ? undefined : { cursor };
    }
    return { ids, lines };
  }

  const all = async (args: object) =>
    (await tools.call('es_search', { index: `${prefix}-0,${prefix}-1`, size: 1_000, source: ['status'], ...args })).text
      .split('\n')
      .slice(2)
      .map((row) => row.split(',')[0] ?? '');

  it('shows each document once, whatever the sort, with many that have the same values', async () => {
    await fc.assert(
      fc.asyncProperty(sort, query, page, async (by, what, { from, ...wish }) => {
        const wanted = (await all(what)).sort();
        const search = { ...what, ...(by === undefined ? {} : { sort: by }) };
        const skipped = from === 0 ? [] : await all({ ...search, size: from });
        const { ids, lines } = await readAll({ ...search, ...wish, from });
        expect([...skipped, ...ids].sort()).toEqual(wanted);
        expect(lines.at(-1)).toMatch(new RegExp(`[- ]${wanted.length} of ${wanted.length} in`));
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('reads on behind the documents that `from` skipped, although the order of ties is another one then', async () => {
    for (const by of ['status', 'host', 'flag:desc']) {
      const args = { index: `${prefix}-*`, sort: [by], source: [], query: { range: { at: { gte: '2024-01-03' } } } };
      const wanted = (await all({ ...args })).sort();
      const skipped = (await all({ ...args, size: 31 })).sort();
      const { ids } = await readAll({ ...args, from: 31, size: 9 });
      expect([...skipped, ...ids].sort(), by).toEqual(wanted);
    }
  });

  it('continues where the answer budget was used up', async () => {
    const { ids, lines } = await readAll({
      sort: ['status'],
      size: 240,
      fields: ['*'],
      source: ['*'],
      cell_limit: 30_000,
      highlight: ['text'],
      q: 'text:word',
    });
    expect(ids.length).toBe(count);
    expect(new Set(ids).size).toBe(count);
    expect(lines[0]).toContain('cut at 32000 characters');
  });

  it('shows each remaining document once while others change between pages', async () => {
    for (const sort of [['host'], ['at:desc'], undefined]) {
      let gone = -1;
      const between = async ([first = '']: readonly string[]) => {
        gone = Number(first);
        expect(await send('DELETE', `/${index(gone)}/_doc/${gone}?refresh=true`)).toContain('"deleted"');
        await bulk(count, count + 40);
      };
      const { ids } = await readAll({ ...(sort === undefined ? {} : { sort }), size: 17 }, between);
      expect(new Set(ids).size).toBe(ids.length);
      const stays = Array.from({ length: count }, (_, at) => String(at)).filter((one) => one !== String(gone));
      expect(stays.filter((one) => !ids.includes(one))).toEqual([]);
      const lines = Array.from({ length: 40 }, (_, at) => ({ delete: { _index: index(count + at), _id: String(count + at) } }));
      expect(await send('POST', '/_bulk', lines)).toContain('"errors":false');
      await bulk(gone, gone + 1);
    }
  }, 60_000);

  it('reads beyond the result window, and closes its point in time', async () => {
    for (let from = 0; from < many; from += 5_000) await bulk(from, Math.min(many, from + 5_000), () => `${prefix}-many`);
    const { ids, lines } = await readAll({ index: `${prefix}-many`, sort: ['status', 'host'], source: [], size: 4_000 });
    expect(lines[0]).toMatch(/^Hits 1-\d+ of (?:at least 10000|10700)/);
    expect(ids).toHaveLength(many);
    expect(new Set(ids).size).toBe(many);
    const unsorted = await readAll({ index: `${prefix}-many`, source: [], size: 5_000, from: 9_000 });
    expect(unsorted.lines[0]).toMatch(/^Hits 9001-10000 of/);
    expect(unsorted.ids).toHaveLength(many - 9_000);
    const stats = await (await fetch(`${engine().url}/${prefix}-many/_stats/search`)).text();
    expect(stats).toContain('"open_contexts":0');
    expect(stats).not.toMatch(/"open_contexts":[1-9]/);
  }, 60_000);

  it('continues by sort values of any type in an index with a smaller window', async () => {
    const name = `${prefix}-few`;
    const properties = {
      at: { type: 'date' },
      nanos: { type: 'date_nanos' },
      long: { type: 'long' },
      share: { type: 'double' },
      half: { type: 'float' },
      flag: { type: 'boolean' },
      ip: { type: 'ip' },
      word: { type: 'keyword' },
    };
    const settings = { number_of_shards: 2, number_of_replicas: 0, max_result_window: 40 };
    await send('DELETE', `/${name}`);
    expect(await send('PUT', `/${name}`, { settings, mappings: { properties } })).toMatch(/^Status 200/);
    const document = (at: number) =>
      `{"at":"2024-01-0${(at % 3) + 1}","nanos":"2024-01-01T00:00:00.00000000${at % 4}Z","long":900719925474099${at % 5},` +
      `"share":${(at % 7) / 3 - 1},"half":${(at % 5) / 3},"flag":${at % 2 === 0},"ip":"10.0.0.${at % 6}","word":"${['', 'ü, x', 'ab'][at % 3]}"}`;
    const lines = Array.from({ length: 150 }, (_, at) => `{"index":{"_id":"${at}"}}\n${at % 10 === 9 ? '{}' : document(at)}\n`);
    expect(await send('POST', `/${name}/_bulk`, lines.join(''))).toContain('"errors":false');
    // OpenSearch 3.6 never answers some searches after a value of a date_nanos field, also without us.
    const fields = Object.keys(properties).filter((field) => field !== 'nanos' || id !== 'opensearch3');
    const kinds = fc.constantFrom(...fields);
    const by = fc.tuple(kinds, order).map(([field, direction]) => ({ [field]: direction }));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(by, { minLength: 1, maxLength: 2, selector: (one) => Object.keys(one)[0] }),
        async (sort) => {
          const { ids } = await readAll({ index: name, sort, size: 40, source: [] });
          expect(ids.toSorted()).toEqual(Array.from({ length: 150 }, (_, at) => String(at)).sort());
        },
      ),
      { numRuns: 20 },
    );
    await send('DELETE', `/${name}`);
  }, 60_000);

  it('rejects a cursor of another search, or one that has ended', async () => {
    const call = async (args: object) => await tools.call('es_search', { index: `${prefix}-0`, size: 5, ...args });
    const cursor = /cursor=([\w.]+)\./.exec((await call({ sort: ['host'] })).text)?.[1] ?? '';
    expect((await call({ sort: ['status'], cursor })).text).toMatch(/^E_INPUT: the cursor .* belongs to another search/);
    expect((await call({ sort: ['host'], cursor: 'nope' })).structured).toMatchObject({ code: 'E_CURSOR_GONE' });
    expect((await call({ sort: ['host'], cursor, aggs_only: true })).text).toMatch(/^Total 120/);
    const second = await call({ sort: ['host'], cursor, size: 1_000 });
    expect(second.text).toMatch(/^Hits 6-120 of 120 in [^;]*\. Data/);
    expect((await call({ from: 10_000 })).text).toMatch(/^E_INPUT: from=10000 is beyond the 10000 hits/);
  });

  it('continues after given sort values without skipping ties', async () => {
    const text = (
      await tools.call('es_search', {
        index: `${prefix}-*`,
        sort: ['status'],
        search_after: [200],
        size: 30,
        source: ['status'],
        query: { ids: { values: Array.from({ length: 60 }, (_, at) => String(at)) } },
      })
    ).text;
    expect(text).toMatch(/^30 hits of \d+/);
  });
});
