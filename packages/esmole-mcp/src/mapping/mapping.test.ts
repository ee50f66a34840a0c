import { RawNumber } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterFields } from './field-filter.ts';
import { flattenMapping } from './flatten.ts';
import { groupMappings } from './group-mappings.ts';
import { formatMapping } from './mapping-text.ts';

const answerOf = (properties: unknown, more: object = {}) => ({ index: { mappings: { properties, ...more } } });
const pageOf = (json: unknown, offset = 0, fields?: string) => formatMapping(filterFields(groupMappings(json), fields), offset);
const textOf = (properties: unknown, more: object = {}) => pageOf(answerOf(properties, more)).text;

describe('a field', () => {
  it.each<[object, string]>([
    [{ type: 'keyword', ignore_above: 256 }, 'keyword'],
    [{ type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } }, 'text+.keyword'],
    [
      { type: 'text', analyzer: 'german', fields: { raw: { type: 'keyword', index: false } } },
      'text(german)+.raw(keyword, index:false)',
    ],
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
  ])('%j is %s', (definition, type) => {
    expect(textOf({ f: definition })).toBe(`f: ${type}`);
  });

  it('has the names of all objects around it; those that say something have a line of their own', () => {
    const nested = { type: 'nested', properties: { text: { type: 'text' }, by: { properties: { id: { type: 'long' } } } } };
    const flat = { type: 'object', subobjects: false, properties: { 'a.b': { type: 'long' } } };
    expect(textOf({ comments: nested, flat })).toBe(
      'comments: nested\ncomments.text: text\ncomments.by.id, flat.a.b: long\nflat: object, subobjects:false',
    );
  });

  it('may be there at the time of the search only', () => {
    const script = { source: 'x'.repeat(5_000) };
    expect(
      textOf({ a: { type: 'long' } }, { runtime: { b: { type: 'long', script } }, derived: { c: { type: 'date', script } } }),
    ).toBe('a: long\nb: long (runtime)\nc: date (derived)');
  });
});

describe('a mapping', () => {
  it('says what holds for the whole index, and leaves out what is only kept there', () => {
    const more = {
      dynamic: 'strict',
      _source: { enabled: false },
      _routing: { required: true },
      _meta: { big: 'x'.repeat(9_000) },
    };
    expect(textOf({ a: { type: 'long' } }, more)).toBe('(index): dynamic:strict, _source:disabled, _routing:required\na: long');
  });

  it('of an old cluster has a type around it', () => {
    const inner = { dynamic: 'strict', properties: { a: { type: 'long' } } };
    for (const mappings of [{ doc: inner }, { _doc: inner }, inner])
      expect(pageOf({ index: { mappings } }).text).toBe('(index): dynamic:strict\na: long');
    for (const mappings of [{}, { doc: {} }, undefined, null, 3]) expect(pageOf({ index: { mappings } }).text).toBe('no fields');
  });

  it('has fields of the same type together, in lines that end', () => {
    const names = Array.from({ length: 60 }, (_, at) => `field_${at}`);
    const { text, line } = pageOf(answerOf(Object.fromEntries(names.map((name) => [name, { type: 'long' }]))));
    expect(line).toBe('60 fields.');
    expect(text.split('\n').length).toBeGreaterThan(2);
    for (const one of text.split('\n')) expect(one).toMatch(/^field_.*: long$/);
    expect(names.every((name) => text.includes(name))).toBe(true);
  });

  it('is short', () => {
    const types = ['keyword', 'text', 'date', 'long', 'double', 'boolean'];
    const fields = Object.fromEntries(Array.from({ length: 18 }, (_, at) => [`field_${at}x`, { type: types[at % 6] }]));
    const { line, text } = pageOf(answerOf(fields));
    expect(line.length + text.length + 24).toBeLessThanOrEqual(320);
  });

  it('with ten thousand fields is read page by page, in no time', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`some_field_${at}`, { type: at % 3 ? 'keyword' : 'text' }]),
    );
    const json = answerOf({ a: { properties: fields } });
    const started = performance.now();
    const first = pageOf(json);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(first.text.length + first.line.length).toBeLessThan(8_000);
    const groups = groupMappings(json);
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { line, text } = formatMapping(groups, offset);
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

  it('that many indices have is said once', () => {
    const one = { mappings: { properties: { a: { type: 'long' } } } };
    const names = Array.from({ length: 200 }, (_, at) => `.ds-logs-2024.01.01-${String(at).padStart(6, '0')}`);
    const indices = Object.fromEntries(names.map((name, at) => [name, { mappings: { ...one.mappings, _meta: { at } } }]));
    expect(pageOf(indices)).toEqual({
      line: '1 field of .ds-logs-2024.01.01-* (200: .ds-logs-2024.01.01-000000 … .ds-logs-2024.01.01-000199).',
      text: 'a: long',
    });
    const other = pageOf({ ...indices, other: { mappings: { properties: { b: { type: 'long' } } } } });
    expect(other.line).toBe('2 fields of 2 mappings.');
    expect(other.text).toMatch(/^\.ds-logs.*:\na: long\n\nother:\nb: long$/);
  });

  it('is narrowed to the fields that are asked for', () => {
    const json = answerOf({
      a: { properties: { b: { type: 'long' }, c: { type: 'text', fields: { Raw: { type: 'keyword' } } } } },
      d: { type: 'long' },
    });
    expect(pageOf(json, 0, 'a').text).toBe('a.b: long\na.c: text+.Raw(keyword)');
    expect(pageOf(json, 0, '*.raw').text).toBe('a.c: text+.Raw(keyword)');
    expect(pageOf(json, 0, 'a.*b, D').text).toBe('a.b, d: long');
    expect(() => pageOf(json, 0, 'a.bb')).toThrow(expect.objectContaining({ code: 'E_UNKNOWN_FIELD', nearest: ['a.b'] }));
    expect(() => pageOf(json, 0, `${'*a'.repeat(500)}x`)).toThrow(/no field matches/);
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
  ])('%s is too odd', (_, properties) => {
    const { text } = pageOf(answerOf(properties));
    expect(text).not.toBe('');
    expect(text).not.toMatch(/^[^"]*, b: long$/m);
  });

  it('of any kind ends in an error', () => {
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
    fc.assert(
      fc.property(definition.fields, fc.jsonValue(), (properties, odd) => {
        const fields = flattenMapping({ properties, dynamic: odd, runtime: odd });
        expect(fields.every(({ name, type }) => typeof name === 'string' && type !== '')).toBe(true);
        expect(pageOf(answerOf(properties)).text).toEqual(expect.any(String));
        expect(pageOf({ index: odd, other: { mappings: odd } }).text).toEqual(expect.any(String));
        expect(pageOf(odd).text).toEqual(expect.any(String));
      }),
    );
  });
});
