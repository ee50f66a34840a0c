import { RawNumber } from '@dbmole/core';
import { isObject } from '../search/hit-table.ts';

type Definition = Readonly<Record<string, unknown>>;

const longestValue = 80;
const longestType = 600;
const defaultFormat = 'strict_date_optional_time||epoch_millis';

/**
 * What one has to know of a field to search it: `text+.keyword`, `date(yyyy-MM-dd)`, `keyword, index:false`. Whatever stands in the
 * definition, the answer is a text: fields that are said the same way are shown together.
 */
export function formatFieldType(definition: Definition): string {
  const type = typeof definition.type === 'string' && definition.type !== '' ? definition.type : 'object';
  const detail = formatDetail(type, definition);
  const own = `${type}${detail === '' ? '' : `(${detail})`}${formatMultiFields(definition.fields)}`;
  const text = [own, ...formatFlags(type, definition)].join(', ');
  return text.length <= longestType ? text : `${text.slice(0, longestType)}…`;
}

/** The parameter without which the type says too little. */
const details: Readonly<Record<string, (definition: Definition) => string>> = {
  date: formatDate,
  date_nanos: formatDate,
  date_range: formatDate,
  dense_vector: ({ dims }) => short(dims),
  rank_vectors: ({ dims }) => short(dims),
  knn_vector: ({ dimension }) => short(dimension),
  scaled_float: ({ scaling_factor }) => short(scaling_factor),
  constant_keyword: ({ value }) => short(value),
  semantic_text: ({ inference_id }) => short(inference_id),
  aggregate_metric_double: ({ metrics }) => list(metrics, ', '),
  text: formatAnalyzer,
  match_only_text: formatAnalyzer,
  search_as_you_type: formatAnalyzer,
  keyword: ({ normalizer }) => short(normalizer),
  join: ({ relations }) =>
    isObject(relations)
      ? Object.entries(relations)
          .map(([parent, children]) => `${parent} -> ${list(children, '|')}`)
          .join(', ')
      : '',
};

function formatDetail(type: string, definition: Definition): string {
  if (type === 'alias') return '';
  return Object.hasOwn(details, type) ? (details[type]?.(definition) ?? '') : '';
}

function formatDate({ format }: Definition): string {
  return format === defaultFormat ? '' : short(format);
}

function formatAnalyzer({ analyzer }: Definition): string {
  return short(analyzer);
}

/** Nothing that the type alone would say; `false` where one would expect to be able to search. */
function formatFlags(type: string, definition: Definition): string[] {
  const { path, copy_to, dynamic } = definition;
  const off = ['index', 'doc_values', 'enabled', 'subobjects'].filter((name) => isFalse(definition[name]));
  return [
    type === 'alias' ? `-> ${short(path)}` : '',
    ...off.map((name) => `${name}:false`),
    copy_to === undefined ? '' : `copy_to -> ${list(copy_to, ', ')}`,
    dynamic === undefined || dynamic === 'true' || dynamic === true ? '' : `dynamic:${short(dynamic)}`,
    definition.time_series_metric === undefined ? '' : `metric:${short(definition.time_series_metric)}`,
  ].filter((flag) => flag !== '');
}

/** By their names alone where these say the type, as `.keyword` does. They have none of their own. */
function formatMultiFields(fields: unknown): string {
  if (!isObject(fields)) return '';
  return Object.entries(fields)
    .map(([name, definition]) => {
      const inner = isObject(definition) ? formatFieldType({ ...definition, fields: undefined }) : 'unknown';
      return inner === name ? `+.${name}` : `+.${name}(${inner})`;
    })
    .join('');
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false';
}

function list(value: unknown, separator: string): string {
  return Array.isArray(value) ? value.map(short).join(separator) : short(value);
}

function short(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = value instanceof RawNumber ? value.text : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}
