import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AggregationText } from './aggregations.ts';

/** An aggregation as a request has it: a kind, how many buckets or values it finds, and what is inside of it. */
interface Spec {
  kind: keyof typeof kinds;
  size: number;
  inner: Record<string, Spec>;
}

type Json = Record<string, unknown>;
/** Each number is another one, so that finding it means something. */
type Next = () => number;
type Make = (spec: Spec, next: Next, inner: () => Json) => Json;

const times = <T>(spec: Spec, make: (at: number) => T) => Array.from({ length: spec.size }, (_, at) => make(at));
const listed =
  (bucket: (next: Next, at: number) => Json, more: (next: Next) => Json = () => ({})): Make =>
  (spec, next, inner) => ({
    ...more(next),
    buckets: times(spec, (at) => ({ ...bucket(next, at), doc_count: next(), ...inner() })),
  });
const keyed =
  (key: (at: number) => string, bucket: (next: Next, at: number) => Json = () => ({})): Make =>
  (spec, next, inner) => ({
    buckets: Object.fromEntries(times(spec, (at) => [key(at), { ...bucket(next, at), doc_count: next(), ...inner() }])),
  });
const single: Make = (_spec, next, inner) => ({ doc_count: next(), ...inner() });
const counters = (next: Next) => ({ doc_count_error_upper_bound: 0, sum_other_doc_count: next() % 3 === 0 ? 0 : next() });
const dated = (next: Next, at: number) => ({ key_as_string: `2024-01-${at + 10}`, key: next() });
const point = (next: Next) => ({ lat: next(), lon: next() });
const ranged = (next: Next) => {
  const [from, to] = [next(), next()];
  return { key: `${from}.0-${to}.0`, from, to };
};

const buckets = {
  terms: listed((next) => ({ key: next() }), counters),
  significantTerms: listed(
    (next, at) => ({ key: `t${at}`, score: next(), bg_count: next() }),
    (next) => ({ doc_count: next(), bg_count: next() }),
  ),
  rareTerms: listed((_next, at) => ({ key: `rare ${at}, "x"` })),
  multiTerms: listed((next, at) => {
    const number = next();
    return { key: [`a${at}`, number], key_as_string: `a${at}|${number}` };
  }, counters),
  dateHistogram: listed(dated),
  autoDateHistogram: listed(dated, (next) => ({ interval: `${next()}d` })),
  histogram: listed((next) => ({ key: next() })),
  variableWidth: listed((next) => ({ min: next(), key: next(), max: next() })),
  keyedHistogram: (spec, next, inner) => ({
    buckets: Object.fromEntries(
      times(spec, () => {
        const key = next();
        return [`${key}.0`, { key, doc_count: next(), ...inner() }];
      }),
    ),
  }),
  keyedDateHistogram: keyed((at) => `2024-01-${at + 10}`, dated),
  range: listed(ranged),
  openRange: listed((next) => ({ key: 'cheap', to: next() })),
  dateRange: listed((next) => ({ key: 'old', from: next(), from_as_string: '2024', to: next(), to_as_string: '2025' })),
  keyedRange: keyed(
    (at) => `r${at}`,
    (next) => ({ from: next(), to: next() }),
  ),
  filters: keyed((at) => (at === 0 ? '_other_' : `f${at}`)),
  anonymousFilters: listed(() => ({})),
  adjacency: listed((_next, at) => ({ key: `a&b${at}` })),
  composite: listed(
    (next, at) => ({ key: { day: next(), name: `n${at}`, empty: null } }),
    (next) => ({ after_key: { day: next(), name: 'n' } }),
  ),
  geohashGrid: listed((_next, at) => ({ key: `u0${at}` })),
  ipPrefix: listed((next, at) => ({ key: `10.${at}.0.0`, is_ipv6: false, prefix_length: next(), netmask: '255.255.0.0' })),
  filter: single,
  missing: single,
  nested: single,
  global: single,
  sampler: single,
} satisfies Record<string, Make>;

const hit = (next: Next, at: number) => ({
  _index: 'i',
  _id: `id${at}`,
  _score: next(),
  _source: { n: next(), o: { list: [next(), next()] } },
  sort: [next()],
});
const stats = (next: Next) => ({ count: next(), min: next(), max: next(), avg: next(), sum: next() });

const metrics = {
  value: (_spec, next) => ({ value: next() }),
  nothing: () => ({ value: null }),
  formatted: (_spec, next) => ({ value: next(), value_as_string: '2024-02-03T00:00:00.000Z' }),
  stats: (_spec, next) => stats(next),
  extendedStats: (_spec, next) => ({ ...stats(next), std_deviation_bounds: { upper: next(), lower: next() } }),
  percentiles: (spec, next) => ({ values: Object.fromEntries(times(spec, (at) => [`${at}.0`, next()])) }),
  unkeyedPercentiles: (spec, next) => ({ values: times(spec, (at) => ({ key: at, value: next() })) }),
  boxplot: (_spec, next) => ({ min: next(), q1: next(), q2: next(), lower: next(), upper: next() }),
  geoBounds: (_spec, next) => ({ bounds: { top_left: point(next), bottom_right: point(next) } }),
  geoCentroid: (_spec, next) => ({ location: point(next), count: next() }),
  geoLine: (spec, next) => ({
    type: 'Feature',
    geometry: { type: 'LineString', coordinates: times(spec, () => [next(), next()]) },
    properties: { complete: true },
  }),
  topHits: (spec, next) => ({
    hits: { total: { value: next(), relation: 'eq' }, max_score: next(), hits: times(spec, (at) => hit(next, at)) },
  }),
  topMetrics: (spec, next) => ({ top: times(spec, () => ({ sort: [next()], metrics: { a: next() } })) }),
  matrixStats: (spec, next) => ({
    doc_count: next(),
    fields: times(spec, (at) => ({ name: `f${at}`, mean: next(), covariance: { f0: next() } })),
  }),
  scriptedNumber: (_spec, next) => ({ value: next() }),
  scriptedObject: (spec, next) => ({ value: Object.fromEntries(times(spec, (at) => [`k${at}`, { n: next() }])) }),
  scriptedList: (spec, next) => ({ value: times(spec, () => next()) }),
  scriptedObjects: (spec, next) => ({ value: times(spec, () => ({ key: next(), value: next() })) }),
  derivative: (_spec, next) => ({ value: next(), normalized_value: next() }),
  maxBucket: (spec, next) => ({ keys: times(spec, (at) => `k${at}`), value: next() }),
  stringStats: (_spec, next) => ({ count: next(), entropy: next(), distribution: { a: next() } }),
} satisfies Record<string, Make>;

const kinds: Record<keyof typeof buckets | keyof typeof metrics, Make> = { ...buckets, ...metrics };

/** Now and then as many as fill several pages. */
const size = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.integer({ min: 20, max: 50 }));
const names = fc.constantFrom('a', 'b', 'c', 'd', 'docs', 'value', 'buckets', 'key.of', 'x y', 'hits', 'values', 'top');
const { aggregations } = fc.letrec<{ aggregations: Record<string, Spec>; one: Spec; leaf: Spec; branch: Spec }>((tie) => ({
  aggregations: fc.dictionary(names, tie('one'), { minKeys: 1, maxKeys: 4, depthIdentifier: 'agg' }),
  one: fc.oneof({ maxDepth: 3, depthIdentifier: 'agg' }, tie('leaf'), tie('branch')),
  leaf: fc.record({ kind: fc.constantFrom(...keysOf(metrics)), size, inner: fc.constant({}) }),
  branch: fc.record({
    kind: fc.constantFrom(...keysOf(buckets)),
    size,
    inner: tie('aggregations'),
  }),
}));

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}

/** Fewer of each kind in the depth, so that all of it stays small. */
const maxSizes = [50, 12, 4, 2];

function build(specs: Record<string, Spec>, next: Next, depth = 0): Json {
  const make = ({ kind, size, inner }: Spec) =>
    kinds[kind]({ kind, inner, size: Math.min(size, maxSizes[depth] ?? 1) }, next, () => build(inner, next, depth + 1));
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, make(spec)]));
}

/** Every number, or the text that says it where there is one. Counters that are zero say nothing. */
function collect(value: unknown): (number | string)[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    const said: unknown = Reflect.get(value, `${name}_as_string`);
    if (typeof one === 'number' && typeof said === 'string') return [said];
    return one === 0 && /sum_other_doc_count|doc_count_error/.test(name) ? [] : collect(one);
  });
}

/** All pages, and whether one said that something has no room in it. */
async function readAll(answer: Json, room: number): Promise<{ text: string; isWhole: boolean; pages: number }> {
  const parts: string[] = [];
  let isWhole = true;
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { body, notes } = await (await AggregationText.read(answer, { offset, cellLimit: 30_000 })).format(room);
    expect(body.length).toBeLessThanOrEqual(room);
    parts.push(body);
    isWhole &&= !/no room/.test(notes.join()) && !/cut after|columns fit/.test(body);
    const next: number | undefined = Number(/agg_offset=(\d+)/.exec(notes.join())?.[1] ?? 'NaN');
    expect(Number.isNaN(next) || next > offset).toBe(true);
    offset = Number.isNaN(next) ? undefined : next;
  }
  return { text: parts.join('\n'), isWhole, pages: parts.length };
}

describe('generated aggregations', () => {
  it('shows every number that the cluster has sent, or says how to see the rest', async () => {
    let whole = 0;
    let several = 0;
    await fc.assert(
      fc.asyncProperty(aggregations, fc.integer({ min: 3_000, max: 12_000 }), async (specs, room) => {
        let last = 10_000;
        const answer = build(specs, () => (last += 7));
        const { text, isWhole, pages } = await readAll(answer, room);
        whole += Number(isWhole);
        several += Number(pages > 1);
        if (!isWhole) return;
        const found = new Set((text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number));
        expect(collect(answer).filter((one) => !(typeof one === 'number' ? found.has(one) : text.includes(one)))).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(whole).toBeGreaterThan(100);
    expect(several).toBeGreaterThan(1);
  });
});
