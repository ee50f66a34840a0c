import { RawNumber } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAnalyzers } from './analyzers.ts';
import { filterFields } from './field-filter.ts';
import { flattenMapping } from './flatten.ts';
import { groupMappings } from './group-mappings.ts';
import { formatMapping } from './mapping-text.ts';
import { mergeMappings } from './merge-mappings.ts';

const answerOf = (properties: unknown, more: object = {}) => ({ index: { mappings: { properties, ...more } } });
const merge = async (json: unknown, fields?: string) =>
  await mergeMappings(await filterFields(await groupMappings(json), fields));
const readPage = async (json: unknown, offset = 0, fields?: string) => await formatMapping(await merge(json, fields), offset);
const readText = async (properties: unknown, more: object = {}) => (await readPage(answerOf(properties, more))).text;

describe('a field', () => {
  it.each<[object, string]>([
    [{ type: 'keyword', ignore_above: 256 }, 'keyword'],
    [{ type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } }, 'text+.keyword'],
    [
      { type: 'text', analyzer: 'german', fields: { raw: { type: 'keyword', index: false } } },
      'text(german)+.raw(keyword, index:false)',
    ],
    [{ type: 'text', analyzer: 'en', search_analyzer: 'en_synonyms' }, 'text(en, search: en_synonyms)'],
    [{ type: 'keyword', ignore_above: 1024 }, 'keyword, ignore_above:1024'],
    [{ type: 'long', ignore_malformed: true }, 'long, ignore_malformed'],
    [{ type: 'dense_vector', dims: 3, similarity: 'cosine' }, 'dense_vector(3, cosine)'],
    [{ type: 'alias', path: 'a.b' }, 'alias, -> a.b'],
    [{ type: 'date' }, 'date'],
    [{ type: 'date', format: 'strict_date_optional_time||epoch_millis' }, 'date'],
    [{ type: 'date', format: 'yyyy-MM-dd' }, 'date(yyyy-MM-dd)'],
    [{ type: 'dense_vector', dims: 384, index: false }, 'dense_vector(384), index:false'],
    [{ type: 'knn_vector', dimension: 3 }, 'knn_vector(3)'],
    [{ type: 'scaled_float', scaling_factor: new RawNumber('100.0') }, 'scaled_float(100.0)'],
    [{ type: 'constant_keyword', value: 'prod' }, 'constant_keyword(prod)'],
    [{ type: 'semantic_text', inference_id: 'e5' }, 'semantic_text(e5)'],
    [{ type: 'aggregate_metric_double', metrics: ['min', 'max'] }, 'aggregate_metric_double(min, max)'],
    [
      { type: 'join', relations: { question: ['answer', 'comment'], answer: 'vote' } },
      'join(question -> answer|comment, answer -> vote)',
    ],
    [{ type: 'flattened' }, 'flattened'],
    [{ type: 'nested' }, 'nested'],
    [{ type: 'object', enabled: false }, 'object, enabled:false'],
    [
      { type: 'keyword', index: false, doc_values: false, copy_to: ['all', 'b'] },
      'keyword, index:false, doc_values:false, copy_to -> all, b',
    ],
    [{}, 'object'],
    [{ properties: {} }, 'object'],
    [{ type: 'passthrough', priority: 1 }, 'passthrough'],
  ])('%j is %s', async (definition, type) => {
    expect(await readText({ f: definition })).toBe(`f: ${type}`);
  });

  it('names a field with its outer objects, which have a line of their own if they have settings', async () => {
    const nested = { type: 'nested', properties: { text: { type: 'text' }, by: { properties: { id: { type: 'long' } } } } };
    const flat = { type: 'object', subobjects: false, properties: { 'a.b': { type: 'long' } } };
    expect(await readText({ comments: nested, flat })).toBe(
      'comments: nested\ncomments.text: text\ncomments.by.id, flat.a.b: long\nflat: object, subobjects:false',
    );
  });

  it('shows runtime fields', async () => {
    const script = { source: 'x'.repeat(5_000) };
    expect(
      await readText(
        { a: { type: 'long' } },
        { runtime: { b: { type: 'long', script } }, derived: { c: { type: 'date', script } } },
      ),
    ).toBe('a: long\nb: long (runtime)\nc: date (derived)');
  });
});

describe('a mapping', () => {
  it('shows settings of the whole index', async () => {
    const more = {
      dynamic: 'strict',
      _source: { enabled: false },
      _routing: { required: true },
      _meta: { big: 'x'.repeat(9_000) },
    };
    expect(await readText({ a: { type: 'long' } }, more)).toBe(
      '(index): dynamic:strict, _source:disabled, _routing:required\na: long',
    );
  });

  it('reads a mapping with a document type around it', async () => {
    const inner = { dynamic: 'strict', properties: { a: { type: 'long' } } };
    for (const mappings of [{ doc: inner }, { _doc: inner }, inner])
      expect((await readPage({ index: { mappings } })).text).toBe('(index): dynamic:strict\na: long');
    for (const mappings of [{}, { doc: {} }, undefined, null, 3])
      expect((await readPage({ index: { mappings } })).text).toBe('no fields');
  });

  it('puts fields of one type on lines of limited length', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `field_${at}`);
    const { text, line } = await readPage(answerOf(Object.fromEntries(names.map((name) => [name, { type: 'long' }]))));
    expect(line).toBe('60 fields.');
    expect(text.split('\n').length).toBeGreaterThan(2);
    for (const one of text.split('\n')) expect(one).toMatch(/^field_.*: long$/);
    expect(names.every((name) => text.includes(name))).toBe(true);
  });

  it('formats a large mapping briefly', async () => {
    const types = ['keyword', 'text', 'date', 'long', 'double', 'boolean'];
    const fields = Object.fromEntries(Array.from({ length: 18 }, (_, at) => [`field_${at}x`, { type: types[at % 6] }]));
    const { line, text } = await readPage(answerOf(fields));
    expect(line.length + text.length + 24).toBeLessThanOrEqual(320);
  });

  it('reads ten thousand fields page by page in bounded time', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`some_field_${at}`, { type: at % 3 ? 'keyword' : 'text' }]),
    );
    const json = answerOf({ a: { properties: fields } });
    const started = performance.now();
    const first = await readPage(json);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(first.text.length + first.line.length).toBeLessThan(6_900);
    const merged = await merge(json);
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { line, text } = await formatMapping(merged, offset);
      seen.push(...text.split('\n').flatMap((one) => one.replace(/: \w+$/, '').split(', ')));
      const next: string | undefined = /offset=(\d+)/.exec(line)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen.toSorted()).toEqual(
      Object.keys(fields)
        .map((name) => `a.${name}`)
        .toSorted(),
    );
  });

  it('shows a mapping of many indices once', async () => {
    const one = { mappings: { properties: { a: { type: 'long' } } } };
    const names = Array.from({ length: 200 }, (_, at) => `.ds-logs-2024.01.01-${String(at).padStart(6, '0')}`);
    const indices = Object.fromEntries(names.map((name, at) => [name, { mappings: { ...one.mappings, _meta: { at } } }]));
    expect(await readPage(indices)).toEqual({
      line: '1 field of .ds-logs-2024.01.01-* (200: .ds-logs-2024.01.01-000000 … .ds-logs-2024.01.01-000199).',
      text: 'a: long',
    });
    const other = await readPage({ ...indices, other: { mappings: { properties: { b: { type: 'long' } } } } });
    expect(other.line).toMatch(/^2 fields of \.ds-logs-2024\.01\.01-\* \(200: .*\), other\.$/);
    expect(other.text).toBe('not in other:\na: long\n\nonly in other:\nb: long');
  });

  it('shows each field of a series once, conflicts first, and names indices that lack one', async () => {
    const day = (at: number) => `web-2024.01.${String(at).padStart(2, '0')}`;
    const common = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`common_${at}`, { type: 'keyword' }]));
    const mappingOf = (at: number) => ({
      ...common,
      status: { type: at === 7 ? 'keyword' : 'long' },
      ...(at === 9 ? {} : { tenant: { type: 'keyword', _meta: at } }),
      ...(at > 28 ? { late: { type: 'date' } } : {}),
    });
    const days = Array.from({ length: 30 }, (_, at) => at + 1);
    const json = Object.fromEntries(days.map((at) => [day(at), { mappings: { properties: mappingOf(at) } }]));
    const { line, text } = await readPage(json);
    expect(line).toBe('43 fields of web-2024.01.* (30: web-2024.01.01 … web-2024.01.30).');
    expect(text.split('\n')[0]).toBe('differs between indices:');
    expect(text.split('\n')[1]).toBe(
      'status: long in web-2024.01.* (29: web-2024.01.01 … web-2024.01.30); keyword in web-2024.01.07',
    );
    expect(text).toContain('\n\nnot in web-2024.01.09:\ntenant: keyword');
    expect(text).toContain('\n\nonly in web-2024.01.29, web-2024.01.30:\nlate: date');
    expect((await readPage(json, 0, 'tenant')).text).toBe('not in web-2024.01.09:\ntenant: keyword');
    expect((await readPage(json, 0, 'common_1')).text).toBe('common_1: keyword');
    expect((await readPage(json, 42)).text).toBe('only in web-2024.01.29, web-2024.01.30:\nlate: date');
  });

  it('shows fields that documents have before the others', async () => {
    const json = answerOf({ a: { type: 'long' }, b: { type: 'long' }, c: { type: 'date' } });
    const merged = await mergeMappings(await groupMappings(json), { isUsed: ({ name }) => name === 'b' });
    expect(await formatMapping(merged, 0)).toEqual({
      line: '3 fields. Fields that documents have come first (1).',
      text: 'b: long\n\nin no document:\na: long\nc: date',
    });
  });

  it('shows a template of more than a thousand fields over a month of daily indices on one page', async () => {
    const objects = Array.from({ length: 45 }, (_, at) => `object_${at}`);
    const leaves = Array.from({ length: 25 }, (_, at) => `code_signature.leaf_${at}`);
    const ecs = objects.flatMap((object) => leaves.map((leaf) => [`${object}.${leaf}`, { type: 'keyword' }] as const));
    const others = { '@timestamp': { type: 'date' }, message: { type: 'text' } };
    const days = Array.from({ length: 30 }, (_, at) => `web-2026.10.${String(at + 1).padStart(2, '0')}`);
    const mappingOf = (day: string) => ({
      ...others,
      status: { type: day.endsWith('07') ? 'keyword' : 'long' },
      ...(day.endsWith('03') ? {} : { tenant: { type: 'keyword' } }),
      ...Object.fromEntries(ecs),
    });
    const json = Object.fromEntries(days.map((day) => [day, { mappings: { properties: mappingOf(day) } }]));
    const known = new Set(['@timestamp', 'message', 'status', 'tenant', ...ecs.slice(0, 40).map(([name]) => name)]);
    const groups = await groupMappings(json);
    const isUsed = ({ name }: { name: string }) => known.has(name);
    const merged = await mergeMappings(groups, { isUsed });
    const { line, text } = await formatMapping(merged, 0);
    expect(line).toMatch(
      /^Fields 1-44 of 1129 of web-2026\.10\.\* \(30: .*; more: same call with offset=44, .* come first \(44\)\.$/,
    );
    expect(text).toMatch(/^differs between indices:\nstatus: long in .*; keyword in web-2026\.10\.07\n/);
    expect(text).toContain('\n\nnot in web-2026.10.03:\ntenant: keyword\n');
    expect(text).toContain('\n\nin no document (1085 fields, listed with offset=44):\nobject_2.* (25), ');
    expect(line.length + text.length).toBeLessThanOrEqual(6_900);
    const seen: string[] = [];
    for (let offset: number | undefined = 44; offset !== undefined; ) {
      const page = await formatMapping(merged, offset);
      expect(page.line.length + page.text.length).toBeLessThanOrEqual(6_900);
      seen.push(...page.text.split('\n').flatMap((one) => (one.endsWith(': keyword') ? one.slice(0, -9).split(', ') : [])));
      const next: string | undefined = /offset=(\d+)/.exec(page.line)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(ecs.slice(40).map(([name]) => name));
    const only = await formatMapping(await mergeMappings(groups, { isUsed, onlyUsed: true }), 0);
    expect(only.line).toBe('44 fields of web-2026.10.* (30: web-2026.10.01 … web-2026.10.30). 1085 more are in no document.');
    expect((await formatMapping(await mergeMappings(groups), 0)).line).toMatch(
      / populated=true leaves out those that no document has\.$/,
    );
  });

  it('describes the analyzers that an index defines, with their synonyms', () => {
    const filter = {
      syn: { type: 'synonym_graph', synonyms: ['js, javascript', 'pg, postgres', 'db, database', 'k8s, kubernetes'] },
      stem: { type: 'stemmer', language: 'english' },
    };
    const analyzer = {
      en: { tokenizer: 'standard', filter: ['lowercase', 'stem'] },
      en_syn: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'syn', 'stem'] },
      unused: { tokenizer: 'keyword' },
    };
    const normalizer = { low: { type: 'custom', filter: ['lowercase'] } };
    const settings = (filters: object) => ({ settings: { index: { analysis: { filter: filters, analyzer, normalizer } } } });
    const names = new Set(['en', 'en_syn', 'low', 'standard']);
    expect(formatAnalyzers({ a: settings(filter), b: settings(filter) }, names).split('\n')).toEqual([
      'analyzers:',
      'en: standard > lowercase > stem (stemmer, language: english)',
      'en_syn: standard > lowercase > syn (synonym_graph, 4 synonyms: "js, javascript", "pg, postgres" …) > stem (stemmer, language: english)',
      'low: lowercase',
    ]);
    const other = { ...filter, stem: { type: 'stemmer', language: 'german' } };
    expect(formatAnalyzers({ a: settings(filter), b: settings(other) }, new Set(['en']))).toBe(
      'analyzers:\nen: standard > lowercase > stem (stemmer, language: english) in a; standard > lowercase > stem (stemmer, language: german) in b',
    );
    for (const odd of [
      {},
      { a: null },
      { a: settings({ syn: 3 }) },
      { a: { settings: { index: { analysis: { analyzer: [1] } } } } },
    ])
      expect(formatAnalyzers(odd, names)).toEqual(expect.any(String));
  });

  it('filters by field name', async () => {
    const json = answerOf({
      a: { properties: { b: { type: 'long' }, c: { type: 'text', fields: { Raw: { type: 'keyword' } } } } },
      d: { type: 'long' },
    });
    expect((await readPage(json, 0, 'a')).text).toBe('a.b: long\na.c: text+.Raw(keyword)');
    expect((await readPage(json, 0, '*.raw')).text).toBe('a.c: text+.Raw(keyword)');
    expect((await readPage(json, 0, 'a.*b, D')).text).toBe('a.b, d: long');
    await expect(readPage(json, 0, 'a.bb')).rejects.toThrow(
      expect.objectContaining({ code: 'E_UNKNOWN_FIELD', nearest: ['a.b'] }),
    );
    await expect(readPage(json, 0, `${'*a'.repeat(500)}x`)).rejects.toThrow(/no field matches/);
  });
});

describe('no mapping', () => {
  it.each<[string, unknown]>([
    [
      'with names that mean something to objects',
      JSON.parse('{"__proto__":{"type":"long"},"constructor":{"properties":{"toString":{"type":"date"}}}}'),
    ],
    ['with names that look like an end', { 'a, b: long\n': { type: 'long' }, '': { type: 'long' }, ü日本: { type: 'long' } }],
    ['that is deep', Array.from({ length: 900 }).reduce<object>((inner) => ({ properties: { a: inner } }), { type: 'long' })],
    [
      'with things in odd places',
      { a: null, b: 3, c: [], d: { type: {}, fields: [], properties: 'x' }, e: { type: 'join', relations: 1 } },
    ],
    [
      'with fields that are called like parameters',
      { properties: { properties: { type: { type: 'long' }, fields: { type: 'long' } } } },
    ],
  ])('%s is too odd', async (_, properties) => {
    const { text } = await readPage(answerOf(properties));
    expect(text).not.toBe('');
    expect(text).not.toMatch(/^[^"]*, b: long$/m);
  });

  it('never fails on a mapping of unexpected shape', async () => {
    const definition = fc.letrec((tie) => ({
      field: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.record(
          { type: fc.string(), path: fc.jsonValue(), copy_to: fc.jsonValue(), relations: fc.jsonValue() },
          { requiredKeys: [] },
        ),
        fc.record(
          { type: fc.constantFrom('nested', 'join', 'date', 'text'), fields: tie('fields'), properties: tie('fields') },
          { requiredKeys: [] },
        ),
      ),
      fields: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'type', 'properties', 'a.b')), tie('field'), {
        maxKeys: 5,
      }),
    }));
    await fc.assert(
      fc.asyncProperty(definition.fields, fc.jsonValue(), async (properties, odd) => {
        const fields = await flattenMapping({ properties, dynamic: odd, runtime: odd });
        expect(fields.every(({ name, type }) => typeof name === 'string' && type !== '')).toBe(true);
        expect((await readPage(answerOf(properties))).text).toEqual(expect.any(String));
        expect((await readPage({ index: odd, other: { mappings: odd } })).text).toEqual(expect.any(String));
        expect((await readPage(odd)).text).toEqual(expect.any(String));
      }),
    );
  });
});
