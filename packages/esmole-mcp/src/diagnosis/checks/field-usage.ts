import type { Finding } from '@dbmole/core';
import { valueAt } from '../../call/answer-failure.ts';
import { buildPath } from '../../call/path.ts';
import type { CheckRun } from '../check-run.ts';
import type { ChosenIndex, IndexMapping, MappedField } from '../mapping-fields.ts';
import { figureAt, listEntries, listRows, readCounters } from '../read-facts.ts';

/** Before that many queries of an index, a field that none has used says nothing. */
const minQueries = 1_000;
const maxIndices = 10;
const maxNames = 8;
/** Kinds that are indexed for searches. */
const searchable = new Set(
  'text match_only_text keyword wildcard long integer short byte double float half_float scaled_float unsigned_long date date_nanos boolean ip'.split(
    ' ',
  ),
);

interface Usage {
  judge(mappings: readonly IndexMapping[]): Finding[];
  notes: readonly string[];
}

interface UsedFields {
  used: ReadonlySet<string>;
  queries: number;
  /** The day since which all shards count. */
  since: string;
}

/** What searches use of the indices with the most queries. Since Elasticsearch 7.15; elsewhere nothing is said. */
export async function judgeUsage(run: CheckRun, chosen: readonly ChosenIndex[]): Promise<Usage> {
  const counters = await readCounters(run);
  const busy = chosen
    .map(({ index }) => ({ index, queries: counters.get(index)?.queries ?? 0 }))
    .filter(({ queries }) => queries >= minQueries)
    .toSorted((a, b) => b.queries - a.queries)
    .slice(0, maxIndices);
  if (busy.length === 0) return { judge: () => [], notes: [] };
  const filter = '*.shards.tracking_started_at_millis,*.shards.stats.fields.*.any';
  const json = await run.readIfAllowed('The use of fields', {
    path: buildPath(busy.map(({ index }) => index).join(','), '_field_usage_stats'),
    params: { filter_path: filter },
  });
  const known = new Map(
    busy.flatMap(({ index, queries }) => {
      const shards = listRows(valueAt(json, [index, 'shards']));
      return shards.length === 0 ? [] : [[index, readUsed(shards, queries)] as const];
    }),
  );
  return {
    judge: (mappings) => mappings.flatMap((mapping) => judge(mapping, known.get(mapping.index))),
    notes:
      known.size === 0 ? [] : [`The use of fields is looked at where an index had ${minQueries} queries, here in ${known.size}.`],
  };
}

function readUsed(shards: readonly unknown[], queries: number): UsedFields {
  const used = new Set<string>();
  let since = 0;
  for (const shard of shards) {
    since = Math.max(since, figureAt(shard, 'tracking_started_at_millis'));
    for (const [field, figures] of listEntries(valueAt(shard, ['stats', 'fields']))) {
      if (figureAt(figures, 'any') > 0) used.add(field);
    }
  }
  return { used, queries, since: new Date(since).toISOString().slice(0, 10) };
}

function judge({ index, fields }: IndexMapping, usage: UsedFields | undefined): Finding[] {
  if (usage === undefined) return [];
  const { used, queries, since } = usage;
  const counted = `in ${queries} queries since ${since}`;
  const forms = new Map(fields.flatMap(({ path, parent }) => (parent === undefined ? [] : [[parent, path] as const])));
  const isUnused = ({ path, type, definition }: MappedField) =>
    searchable.has(type) && !used.has(path) && (definition.index !== false || definition.doc_values !== false);
  const texts = fields.filter((field) => {
    const form = forms.get(field.path);
    return field.type === 'text' && isUnused(field) && form !== undefined && used.has(form);
  });
  const unused = fields.filter((field) => isUnused(field) && !texts.includes(field));
  return [
    ...describe(
      texts,
      (names) => ({
        evidence: `${index} analyzes text that is only used as keyword, ${counted}: ${names}`,
        consequence: 'Every write analyzes and stores the words, and no search needs them.',
        next: `es_get_mapping of ${index}; in its template map them as keyword, and reindex what is worth it.`,
      }),
      2,
    ),
    ...describe(
      unused,
      (names) => ({
        evidence: `${unused.length} of ${fields.length} fields of ${index} were not used ${counted}: ${names}`,
        consequence: 'Each costs time at every write, and disk. A field that is only shown needs no index.',
        next: `es_get_mapping of ${index}; for new indices set "index": false and "doc_values": false on them, or leave them out.`,
      }),
      1,
    ),
  ];
}

function describe(
  fields: readonly MappedField[],
  say: (names: string) => Pick<Finding, 'evidence' | 'consequence' | 'next'>,
  rank: number,
): Finding[] {
  if (fields.length === 0) return [];
  const names = fields.slice(0, maxNames).map(({ path }) => path);
  const more = fields.length > maxNames ? `, and ${fields.length - maxNames} more` : '';
  return [{ severity: 'low', weight: rank * 1e6 + fields.length, ...say(`${names.join(', ')}${more}`) }];
}
