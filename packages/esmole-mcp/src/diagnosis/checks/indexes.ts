import { type CheckReport, type Finding, formatShare } from '@dbmole/core';
import { textAt, valueAt } from '../../call/answer-failure.ts';
import { buildPath } from '../../call/path.ts';
import { formatBytes } from '../../indices/index-table.ts';
import { groupByPattern } from '../../indices/name-pattern.ts';
import type { CheckRun } from '../check-run.ts';
import type { CheckScope } from '../diagnosis.ts';
import { type ChosenIndex, formatMappingChange, type IndexMapping, listFields, type MappedField } from '../mapping-fields.ts';
import {
  figureAt,
  type IndexFacts,
  type IndexSettings,
  listEntries,
  readFigure,
  readIndexFacts,
  readIndexSettings,
} from '../read-facts.ts';
import { judgeUsage } from './field-usage.ts';

/** The share of the fields that an index may have. */
const limitShares = { medium: 0.8, high: 0.95 };
const defaultLimit = 1_000;
/** A limit from here on protects from nothing. */
const liftedLimit = 10_000;
const maxIndices = 40;
/** Longer paths are refused by a node. */
const maxPathLength = 3_000;

export async function checkIndexes(run: CheckRun, { limit }: CheckScope): Promise<CheckReport> {
  const [facts, settings, hidden] = await Promise.all([
    readIndexFacts(run),
    readIndexSettings(run),
    run.describeHidden('monitor', 'view_index_metadata'),
  ]);
  const { chosen, left } = chooseIndices(facts);
  const [mappings, usage] = await Promise.all([readMappings(run, chosen), judgeUsage(run, chosen)]);
  const memory = await readFielddata(run, mappings);
  return {
    findings: [
      ...mappings.flatMap((one) => judgeCount(one, settings)),
      ...mappings.flatMap((one) => judgeFielddata(one, memory)),
      ...mappings.flatMap(judgeSource),
      ...usage.judge(mappings),
    ],
    listing: mappings
      .toSorted((a, b) => b.count - a.count)
      .slice(0, limit)
      .map(({ index, series, count }) => `${index}: ${count} fields${series > 1 ? `, for ${series} indices of its series` : ''}`),
    hidden,
    notes: [
      ...(chosen.some(({ series }) => series > 1)
        ? ['Of indices that differ only in a number or date, the last is looked at.']
        : []),
      ...(left > 0 ? [`${left} smaller indices or series are left out: name an index.`] : []),
      ...usage.notes,
    ],
  };
}

/** The largest, and of each series the last, which is the one that is written. */
function chooseIndices(facts: readonly IndexFacts[]): { chosen: ChosenIndex[]; left: number } {
  const groups = groupByPattern(
    facts.filter(({ isClosed }) => !isClosed),
    ({ name }) => name,
  )
    .map(({ members }) => ({
      index: members.at(-1)?.name ?? '',
      series: members.length,
      bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    .toSorted((a, b) => b.bytes - a.bytes);
  let room = maxPathLength;
  const chosen = groups.slice(0, maxIndices).filter(({ index }) => {
    room -= encodeURIComponent(index).length + 1;
    return room >= 0;
  });
  return { chosen, left: groups.length - chosen.length };
}

async function readMappings(run: CheckRun, chosen: readonly ChosenIndex[]): Promise<IndexMapping[]> {
  if (chosen.length === 0) return [];
  const json = await run.read({
    path: buildPath(chosen.map(({ index }) => index).join(','), '_mapping'),
    params: { ignore_unavailable: true },
  });
  return chosen.flatMap(({ index, series }) => {
    const mappings = valueAt(json, [index, 'mappings']);
    return mappings === undefined ? [] : [{ index, series, mappings, ...listFields(mappings) }];
  });
}

function judgeCount({ index, count }: IndexMapping, settings: IndexSettings): Finding[] {
  const own = settings.get(index) ?? {};
  const limit = readFigure(own['index.mapping.total_fields.limit']) || defaultLimit;
  const share = count / limit;
  if (share < limitShares.medium) return judgeLifted(index, count, limit);
  const ignores = own['index.mapping.total_fields.ignore_dynamic_beyond_limit'] === 'true';
  return [
    {
      severity: ignores ? 'low' : share >= limitShares.high ? 'high' : 'medium',
      weight: share * 1e6,
      evidence: `${index} has ${count} of ${limit} fields (${formatShare(share)})`,
      consequence: ignores
        ? 'Further new fields are kept in documents, but not indexed.'
        : 'At the limit, each document with a new field is rejected. Many fields also cost heap on every node.',
      next: `es_get_mapping of ${index} shows where they come from; PUT /${index}/_mapping {"dynamic":false} adds no more.`,
    },
  ];
}

function judgeLifted(index: string, count: number, limit: number): Finding[] {
  if (limit < liftedLimit) return [];
  return [
    {
      severity: 'low',
      weight: count,
      evidence: `${index} may have ${limit} fields, and has ${count}`,
      consequence: 'Fields cost heap on every node; documents with ever new ones can make the whole cluster slow.',
      next: `es_get_mapping of ${index} shows what it has; PUT /${index}/_settings {"index.mapping.total_fields.limit":${Math.max(defaultLimit, 2 * count)}}`,
    },
  ];
}

type Memory = ReadonlyMap<string, number>;

/** Bytes of heap by index and field, asked only where a field can have them. */
async function readFielddata(run: CheckRun, mappings: readonly IndexMapping[]): Promise<Memory> {
  const names = mappings.filter(({ fields }) => fields.some(hasFielddata)).map(({ index }) => index);
  if (names.length === 0) return new Map();
  const json = await run.readIfAllowed('The heap that fields take', {
    path: buildPath(names.join(','), '_stats', 'fielddata'),
    params: { fielddata_fields: '*', filter_path: 'indices.*.total.fielddata.fields' },
  });
  return new Map(
    listEntries(valueAt(json, ['indices'])).flatMap(([index, value]) =>
      listEntries(valueAt(value, ['total', 'fielddata', 'fields'])).map(
        ([field, one]) => [`${index} ${field}`, figureAt(one, 'memory_size_in_bytes')] as const,
      ),
    ),
  );
}

const hasFielddata = ({ type, definition }: MappedField) => type === 'text' && definition.fielddata === true;

function judgeFielddata({ index, fields }: IndexMapping, memory: Memory): Finding[] {
  return fields.filter(hasFielddata).map((field) => {
    const { path, definition } = field;
    const bytes = memory.get(`${index} ${path}`) ?? 0;
    const keyword = fields.find((one) => one.type === 'keyword' && one.parent === path)?.path;
    const forms = {
      ...(typeof definition.fields === 'object' ? definition.fields : {}),
      keyword: { type: 'keyword', ignore_above: 256 },
    };
    const change = { ...definition, fielddata: false, ...(keyword === undefined ? { fields: forms } : {}) };
    return {
      severity: 'medium' as const,
      weight: bytes,
      evidence: `the text field ${path} of ${index} has fielddata: true${bytes > 0 ? `, which takes ${formatBytes(bytes)} of heap now` : ''}`,
      consequence: 'Sorting and aggregating by it loads every word of every document into the heap.',
      next: `Sort and aggregate by ${keyword ?? `${path}.keyword`} instead: PUT /${index}/_mapping ${formatMappingChange(path, change)}${keyword === undefined ? ', which fills it for new documents' : ''}`,
    };
  });
}

function judgeSource({ index, mappings }: IndexMapping): Finding[] {
  const isOff = valueAt(mappings, ['_source', 'enabled']) === false || textAt(mappings, ['_source', 'mode']) === 'disabled';
  if (!isOff) return [];
  return [
    {
      severity: 'low',
      weight: 0,
      evidence: `${index} keeps no _source`,
      consequence: 'Its documents can be found, but neither shown nor updated, nor indexed again with another mapping.',
      next: 'If that is not intended, index the documents again from their origin, into a new index with _source.',
    },
  ];
}
