import { auditDays, conflictDays, days, documentsOnLastDay } from './seed.ts';
import { type Evidence, number, request, search, type Task } from './task.ts';

const lastDay = `web-${days.at(-1)}`;
const errors = { range: { 'http.status': { gte: 500 } } };
const byHour = { date_histogram: { field: '@timestamp', fixed_interval: '1h' } };
const topPaths = (size: number) => ({ terms: { field: 'url.path', size } });

interface Buckets {
  buckets: { key: string | number; doc_count: number; [name: string]: unknown }[];
}

async function aggregate({ raw }: Evidence, index: string, body: object): Promise<Record<string, Buckets>> {
  const answer = (await raw('POST', `/${index}/_search?size=0`, body)) as { aggregations: Record<string, Buckets> };
  return answer.aggregations;
}

const errorPaths = { query: errors, aggs: { hour: { ...byHour, aggs: { path: topPaths(2) } } } };
const hours = {
  aggs: {
    hour: { ...byHour, aggs: { path: topPaths(2), took: { avg: { field: 'event.duration' } }, failed: { filter: errors } } },
  },
};
const percentiles = {
  aggs: {
    service: { terms: { field: 'service.name' }, aggs: { p95: { percentiles: { field: 'event.duration', percents: [95] } } } },
  },
};
const text = { query: { match: { message: 'card ending 4320' } }, size: 10, _source: ['@timestamp', 'message'] };
const whole = { query: { term: { 'service.name': 'auth' } }, sort: [{ '@timestamp': 'desc' }], size: 10 };
const perHourAndService = `FROM ${lastDay} | WHERE @timestamp < "2026-09-30T09:00:00Z" | STATS docs = COUNT(*), slowest = MAX(event.duration) BY hour = DATE_TRUNC(1 hour, @timestamp), service.name | SORT hour, service.name`;
const overflow = 'FROM web-* | STATS total = SUM(event.sequence)';
const scored = { query: { match: { message: 'card ending 4320' } }, size: 1, _source: ['message'], explain: true };
const profiled = {
  query: { bool: { must: [{ match: { message: 'order' } }], filter: [{ wildcard: { 'url.path': '*item*' } }] } },
  size: 0,
  profile: true,
};
const inTimeOrder = {
  sort: [{ '@timestamp': 'asc' }],
  _source: ['@timestamp', 'event.sequence', 'service.name'],
  size: documentsOnLastDay,
};
const before = { gte: '2026-09-29T00:00:00Z', lt: '2026-09-30T10:00:00Z' };
const sinceTen = { gte: '2026-09-30T10:00:00Z', lt: '2026-10-01T00:00:00Z' };

/** What people on call asked of a cluster of thirty daily indices. */
export const tasks: readonly Task[] = [
  {
    name: 'paths with errors per hour, with the total of each hour',
    ours: [{ tool: 'es_search', args: { index: lastDay, ...errorPaths, aggs_only: true } }],
    ...search(lastDay, { size: 0, ...errorPaths }),
    wants: async (evidence) => {
      const { hour } = await aggregate(evidence, lastDay, errorPaths);
      return (
        hour?.buckets.flatMap(({ doc_count, path }) => [
          number(doc_count),
          ...(path as Buckets).buckets.map((one) => number(one.doc_count)),
        ]) ?? []
      );
    },
  },
  {
    name: 'per hour: top paths, mean duration and errors',
    ours: [{ tool: 'es_search', args: { index: lastDay, ...hours, aggs_only: true } }],
    ...search(lastDay, { size: 0, ...hours }),
    wants: async (evidence) => {
      const { hour } = await aggregate(evidence, lastDay, hours);
      return (
        hour?.buckets.flatMap(({ doc_count, took, failed }) => [
          number(doc_count),
          number((took as { value: number }).value),
          number((failed as { doc_count: number }).doc_count),
        ]) ?? []
      );
    },
  },
  {
    name: '95th percentile of the duration of each service',
    ours: [{ tool: 'es_search', args: { index: 'web-*', ...percentiles, aggs_only: true } }],
    ...search('web-*', { size: 0, ...percentiles }),
    wants: async (evidence) => {
      const { service } = await aggregate(evidence, 'web-*', percentiles);
      return service?.buckets.map(({ p95 }) => number((p95 as { values: Record<string, number> }).values['95.0'] ?? 0)) ?? [];
    },
  },
  {
    name: 'why the cluster is yellow',
    ours: [{ tool: 'es_cluster_health', args: {} }],
    ...request({ path: '/_cluster/health' }, { path: '/_cluster/allocation/explain' }),
    wants: async () => [
      /copies/,
      /same_shard|already (?:allocated|on)|copy of this shard|own node|another node|one more node|add a node/i,
    ],
  },
  {
    name: 'the series that grows, with its first and last day',
    ours: [{ tool: 'es_list_indices', args: { index: 'audit-*' } }],
    ...request({ path: '/_cat/indices/audit-*', params: { h: 'index,docs.count,store.size', s: 'index', v: 'true' } }),
    wants: async () => [new RegExp(`audit-${auditDays[0]}`), /(?<!\d)50\b/, /(?<!\d)6400\b/],
  },
  {
    name: 'how the mappings of two days differ',
    ours: [{ tool: 'es_get_mapping', args: { index: `web-${conflictDays[0]},web-${days[0]}`, fields: 'labels.*' } }],
    ...request({ path: `/web-${conflictDays[0]},web-${days[0]}/_mapping/field/labels.*` }),
    wants: async () => [/tenant/, /long/, /keyword/],
  },
  {
    name: 'which days have another type for one field',
    ours: [{ tool: 'es_get_mapping', args: { index: 'web-*', fields: 'labels.tenant' } }],
    ...request({ path: '/web-*/_field_caps', params: { fields: 'labels.tenant' } }),
    wants: async () => conflictDays.map((day) => new RegExp(day.replaceAll('.', '\\.'))),
  },
  {
    name: 'all fields that have several types, and where',
    ours: [{ tool: 'es_get_mapping', args: { index: 'web-*', populated: true } }],
    ...request({ path: '/web-*/_field_caps', params: { fields: '*', filter_path: 'fields.*.*.indices' } }),
    wants: async () => [/tenant/, ...conflictDays.map((day) => new RegExp(day.replaceAll('.', '\\.')))],
  },
  {
    name: 'ten hits of a text search',
    ours: [{ tool: 'es_search', args: { index: 'web-*', query: text.query, source: text._source } }],
    ...search('web-*', text),
    wants: async () => [/card ending 4320/, /paid with card/],
  },
  {
    name: '36 rows of ES|QL',
    ours: [{ tool: 'es_query', args: { query: perHourAndService } }],
    ...request({ method: 'POST', path: '/_query', body: { query: perHourAndService } }),
    wants: async (evidence) => {
      const answer = (await evidence.raw('POST', '/_query', { query: perHourAndService })) as { values: [number, number][] };
      return answer.values.flatMap(([docs, slowest]) => [number(docs), number(slowest)]);
    },
  },
  {
    name: 'which of 1,100 fields hold anything',
    ours: [{ tool: 'es_get_mapping', args: { index: lastDay, populated: true } }],
    ...request({
      path: `/${lastDay}/_field_caps`,
      params: { fields: '*', include_empty_fields: 'false', filter_path: 'fields.*.*.type' },
    }),
    wants: async () => [/message/, /sequence/, /tenant/, /duration/],
  },
  {
    name: 'ten whole documents',
    ours: [{ tool: 'es_search', args: { index: 'web-*', query: whole.query, sort: ['@timestamp:desc'] } }],
    ...search('web-*', whole),
    wants: async ({ raw }) => {
      const answer = (await raw('POST', '/web-*/_search', whole)) as { hits: { hits: { _source: { message: string } }[] } };
      return answer.hits.hits.map(({ _source }) => new RegExp(_source.message.replaceAll(/[^\w ]/g, '.')));
    },
  },
  {
    name: 'a document of 8 MB',
    ours: [{ tool: 'es_search', args: { index: 'blobs' } }],
    elasticsearchMcp: [{ tool: 'get_document', args: { index: 'blobs', id: '1' } }],
    opensearchMcp: [{ tool: 'SearchIndexTool', args: { index: 'blobs', query_dsl: { query: { match_all: {} } } } }],
    wants: async () => [/the large one/, /dump/],
  },
  {
    name: 'why a sort fails',
    ours: [{ tool: 'es_search', args: { index: lastDay, sort: ['message'] } }],
    ...search(lastDay, { sort: ['message'] }),
    wants: async () => [/fielddata/i, /keyword/],
  },
  {
    name: 'ES|QL of which every shard failed',
    ours: [{ tool: 'es_query', args: { query: overflow } }],
    ...request({ method: 'POST', path: '/_query', body: { query: overflow } }),
    wants: async () => [/overflow|failed|is_partial"?: ?true/i],
  },
  {
    name: 'why a document has its score',
    ours: [{ tool: 'es_search', args: { index: 'web-*', query: scored.query, size: 1, source: ['message'], explain: true } }],
    ...search('web-*', scored),
    wants: async () => [/4320/, /weight|score/i],
  },
  {
    name: 'what makes a search slow',
    ours: [{ tool: 'es_search', args: { index: lastDay, query: profiled.query, size: 0, profile: true } }],
    ...search(lastDay, profiled),
    wants: async () => [/MultiTermQuery|wildcard|TermQuery|BooleanQuery/i],
  },
  {
    name: 'what runs now, with its query',
    ours: [{ tool: 'diagnose', args: { check: 'activity' } }],
    ...request({ path: '/_tasks', params: { actions: '*search*', detailed: 'true' } }),
    wants: async () => [/slow/, /msearch/],
  },
  {
    name: `all ${documentsOnLastDay} documents of a day, in the order of time`,
    ours: [{ tool: 'es_export', args: { index: lastDay, sort: ['@timestamp'], source: inTimeOrder._source, file: 'day.csv' } }],
    ...request({ method: 'POST', path: `/${lastDay}/_search`, params: { filter_path: 'hits.hits._source' }, body: inTimeOrder }),
    file: 'day.csv',
    wants: async () => Array.from({ length: documentsOnLastDay }, (_, n) => String(BigInt(2 ** 53) + BigInt(n * 2))),
  },
  {
    name: 'what the logs say since 10:00 that they did not say before',
    ours: [
      {
        tool: 'es_logs',
        args: { index: 'web-*', from: sinceTen.gte, to: sinceTen.lt, baseline: { from: before.gte, to: before.lt } },
      },
    ],
    ...search('web-*', {
      size: 0,
      query: { range: { '@timestamp': sinceTen } },
      aggs: {
        new: { significant_text: { field: 'message', size: 30, background_filter: { range: { '@timestamp': before } } } },
      },
    }),
    wants: async () => [/payment/, /gateway/, /breaker/, /inventory/, /deadlock/],
  },
];
