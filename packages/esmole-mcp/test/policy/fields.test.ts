import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from '../open-tools.ts';
import { attacks, type FieldCase, innocent } from './field-cases.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

/**
 * Whatever of a protected value would be told: of the last four characters of an IBAN the policy shows as much. Digits of a pseudonym, of an
 * identifier or of a time are no salary and no phone number.
 */
const canary = /canary|(?<!\w)7771(?:00\d|[1-4]00)(?!\w)|DE\d{8}/i;

const columns = {
  'fields-*.email': 'pseudonym',
  'fields-*.phone': 'mask',
  '*.contacts.phone': 'mask',
  '*.iban': 'partial',
  '*.secret': 'drop',
  '*.salary': 'mask',
  '*.suggested': 'mask',
} as const;

const mappings = {
  properties: {
    n: { type: 'long' },
    country: { type: 'keyword' },
    nickname: { type: 'text' },
    email: {
      type: 'keyword',
      copy_to: 'everything',
      fields: { raw: { type: 'keyword' }, text: { type: 'text', fielddata: true } },
    },
    kept: { type: 'keyword', store: true },
    mail: { type: 'alias', path: 'email' },
    everything: { type: 'text', fielddata: true },
    phone: { type: 'keyword', copy_to: 'kept' },
    salary: { type: 'long' },
    suggested: { type: 'completion' },
    contacts: { type: 'nested', properties: { phone: { type: 'keyword' } } },
  },
};

describe.each(engines)('protected fields of %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const people = `fields-people-${id}`;
  const goods = `goods-${id}`;
  const loose = `loose-${id}`;
  let open: TestClient;
  let tools: TestClient;

  const fill = (value: unknown): unknown => {
    const text = JSON.stringify(value)
      .replaceAll('$', people)
      .replaceAll('%', goods)
      .replaceAll('@', `${people}-alias`)
      .replaceAll('~', loose);
    return JSON.parse(text);
  };
  const run = async ({ tool = 'es_request', args }: FieldCase) => await tools.call(tool, fill(args) as Record<string, unknown>);
  const change = (method: string, path: string, body?: unknown) =>
    open.call('es_request', { method, path, ...(body === undefined ? {} : { body }) });

  beforeAll(async () => {
    open = await openTools(engine(), { readonly: false });
    const settings = { number_of_replicas: 0 };
    const aliases = { [`${people}-alias`]: {} };
    const made = await change('PUT', `/${people}`, { settings, mappings, aliases });
    expect(made.isError, made.text).not.toBe(true);
    await change('PUT', `/${goods}`, {
      settings,
      mappings: { properties: { phone_model: { type: 'keyword' }, title: { type: 'text' } } },
    });
    const docs = [1, 2, 3, 4].flatMap((n) => [
      { index: { _id: String(n) } },
      {
        n,
        country: n % 2 === 0 ? 'de' : 'fr',
        nickname: `nick ${n}`,
        email: `canary-${n}@x.example`,
        phone: `+49-7771${n}00`,
        iban: `DE89370400440532013${n}00`,
        secret: `canary-secret-${n}`,
        salary: 7_771_000 + n,
        suggested: `canary ${n}`,
        contacts: [{ phone: `+49-canary-${n}`, note: 'x' }],
      },
    ]);
    await change('POST', `/${people}/_bulk?refresh=true`, docs);
    await change('PUT', `/${goods}/_doc/1?refresh=true`, { n: 1, phone_model: 'x1', title: 'widget' });
    const objects = { n: { type: 'long' }, payload: { type: 'object', enabled: false } };
    await change('PUT', `/${loose}`, { settings, mappings: { dynamic: false, properties: objects } });
    const unmapped = { n: 1, iban: 'DE89370400440532013', payload: { secret: 'canary-inside' } };
    await change('PUT', `/${loose}/_doc/1?refresh=true`, unmapped);
    tools = await openTools(engine(), { columns });
  }, 60_000);

  afterAll(async () => {
    await change('DELETE', `/${people},${goods},${loose}`);
    await open.close();
    await tools.close();
  });

  it('shows no protected value, whatever the request', async () => {
    const told: string[] = [];
    for (const one of attacks) {
      const { text } = await run(one);
      // What the request itself says is in its echo.
      const own = JSON.stringify(one.args).match(/can[a-z]+(?:-\d@x\.example)?/g) ?? [];
      const rest = own.reduce((kept, word) => kept.replaceAll(word, ''), text);
      if (canary.test(rest)) told.push(`${JSON.stringify(one.args)}\n${text.slice(0, 400)}`);
    }
    expect(told).toEqual([]);
  });

  it('shows none of several searches in one call either', async () => {
    const searches = attacks
      .filter(({ tool }) => tool === 'es_search')
      .map(({ args: { body, ...args } }) => ({ ...args, ...Object(body) }));
    const told: string[] = [];
    for (const one of searches) {
      const args = fill({ searches: [{ index: '%', count: true }, one] }) as Record<string, unknown>;
      const { text } = await tools.call('es_search', args);
      const shown = text.replaceAll(/can[a-z]*\*|x\.example/g, '');
      if (canary.test(shown)) told.push(`${JSON.stringify(one)}\n${text.slice(0, 400)}`);
    }
    expect(told).toEqual([]);
    const masked = await tools.call('es_search', {
      index: people,
      searches: [{ source: ['email'], size: 1 }, { source: ['n'] }],
    });
    expect(masked.text).toMatch(/^-- 1 of 2: Hit 1 .*1 field masked by policy \(email\)\..*p_[0-9a-f]{16}\n-- 2 of 2: Hits 1-4/s);
  });

  it('neither refuses nor masks what shows none', async () => {
    const lost: string[] = [];
    for (const one of innocent) {
      const { text } = await run(one);
      if (/E_PROTECTED_COLUMN|by policy|\*\*\*|p_[0-9a-f]{16}/.test(text))
        lost.push(`${JSON.stringify(one.args)}\n${text.slice(0, 300)}`);
    }
    expect(lost).toEqual([]);
  });

  it('hides fields of a scroll, whatever filter_path leaves out', async () => {
    const scroll = async (path: string, body?: object) =>
      (await tools.call('es_request', { method: 'POST', path, ...(body && { body }) })).text;
    const [id = ''] = /(?<="_scroll_id":")[^"]+/.exec(await scroll(`/${people}/_search?scroll=1m`, { size: 1 })) ?? [];
    expect(id).not.toBe('');
    expect(await scroll('/_search/scroll', { scroll_id: id, scroll: '1m' })).toMatch(/fields masked by policy/);
    for (const bare of ['filter_path=hits.hits._source,_scroll_id', 'format=yaml'])
      expect(await scroll(`/_search/scroll?${bare}`, { scroll_id: id, scroll: '1m' })).toMatch(/^E_PROTECTED_COLUMN/);
    await tools.call('es_request', { method: 'DELETE', path: '/_search/scroll', body: { scroll_id: id } });
  });

  it('says what it hides, and gives each value one pseudonym', async () => {
    const args = { index: people, query: { term: { n: 1 } }, source: ['email', 'phone', 'iban', 'secret', 'n'] };
    const { text } = await tools.call('es_search', args);
    expect(text.split('\n')[0]).toMatch(/3 fields masked by policy \(.*\)\. 1 field left out by policy \(secret\)\./);
    const [pseudonym = ''] = /p_[0-9a-f]{16}/.exec(text) ?? [];
    expect(text).toContain('***');
    const groups = await tools.call('es_search', {
      index: people,
      aggs: { by: { terms: { field: 'email' } } },
      aggs_only: true,
    });
    expect(groups.text).toContain(pseudonym);
    expect(new Set(groups.text.match(/p_[0-9a-f]{16}/g)).size).toBe(4);
  });

  it('refuses fields that must not be read, and with strict comparisons', async () => {
    const refusing = await openTools(engine(), { columns: { '*.salary': 'refuse', '*.email': 'mask' }, strict: true });
    try {
      const said = async (args: object) => (await refusing.call('es_search', { index: people, ...args })).text;
      expect(await said({})).toMatch(/^E_PROTECTED_COLUMN: the answer has the field salary/);
      expect(await said({ source: ['n'] })).toMatch(/^1-4 of 4|^Hits? 1/);
      expect(await said({ source: ['n'], query: { term: { email: 'x' } } })).toContain('compares the protected field email');
      expect(await said({ source: ['n'], q: 'x' })).toContain('E_PROTECTED_COLUMN');
      const open = { query_string: { query: 'n:1 OR email:c*' } };
      expect(await said({ source: ['n'], aggs: { a: { filter: open } } })).toContain('E_PROTECTED_COLUMN');
      expect(await said({ source: ['n'], query: { kql: { query: 'n: 1 or email: c*' } } })).toContain('E_PROTECTED_COLUMN');
      const path = `/${people}/_field_caps?fields=n`;
      const body = { index_filter: { range: { salary: { gt: 1 } } } };
      expect((await refusing.call('es_request', { method: 'POST', path, body })).text).toMatch(/^E_PROTECTED_COLUMN/);
    } finally {
      await refusing.close();
    }
  });

  it('writes documents, and refuses writes that copy or show', async () => {
    const writer = await openTools(engine(), { columns, readonly: false });
    const write = async (method: string, path: string, body?: unknown) =>
      (await writer.call('es_request', { method, path, ...(body === undefined ? {} : { body }) })).text;
    try {
      expect(await write('PUT', `/${goods}/_doc/9`, { email: 'mine' })).toMatch(/^Status 201/);
      expect(await write('POST', `/${goods}/_update/9`, { doc: { n: 2 } })).toMatch(/^Status 200/);
      expect(await write('POST', `/${goods}/_bulk`, [{ delete: { _id: '9' } }])).toMatch(/^Status 200/);
      const refused = [
        ['POST', '/_reindex', { source: { index: people }, dest: { index: goods } }],
        ['POST', `/${people}/_update/1?_source=true`, { doc: { n: 1 } }],
        ['POST', `/${people}/_update/1`, { doc: { n: 1 }, _source: true }],
        ['POST', `/${people}/_update/1`, { script: 'ctx._source.nickname = ctx._source.email' }],
        ['POST', `/${people}/_update_by_query`, { script: 'ctx._source.nickname = ctx._source.email' }],
        ['POST', `/${people}/_bulk`, [{ update: { _id: '1', _source: true } }, { doc: { n: 1 } }]],
        ['POST', `/${people}/_bulk`, [{ update: { _id: '1' } }, { script: 'ctx._source.nickname = ctx._source.email' }]],
        ['PUT', `/${people}/_mapping`, { properties: { other: { type: 'alias', path: 'email' } } }],
        ['POST', '/_aliases', { actions: [{ add: { index: people, alias: 'x' } }] }],
        ['PUT', `/${people}/_clone/copy`, undefined],
        ['POST', `/${people}/_async_search`, {}],
      ] as const;
      for (const [method, path, body] of refused)
        expect(await write(method, path, body), path).toMatch(/^E_(?:PROTECTED_COLUMN|NOT_A_READ|INDEX_REFUSED)/);
      if (id !== 'opensearch3') return;
      // Only this node has the type. A stored query looks up the values when it is written.
      const stores = { properties: { query: { type: 'percolator' }, n: { type: 'long' } } };
      expect(await write('PUT', `/${goods}-stored`, { mappings: stores })).toMatch(/^Status 200/);
      const stored = { query: { terms: { n: { index: people, id: '1', path: 'email' } } } };
      expect(await write('PUT', `/${goods}-stored/_doc/1`, stored)).toMatch(/^E_INDEX_REFUSED: .* percolator/);
      expect(await write('POST', '/_bulk', [{ index: { _index: `${goods}-stored` } }, stored])).toMatch(/^E_INDEX_REFUSED/);
      expect(await write('DELETE', `/${goods}-stored`)).toMatch(/^Status 200/);
    } finally {
      await writer.close();
    }
  });
});
