import { RawNumber } from '@dbmole/core';
import { isObject } from '../search/hit-table.ts';

type Definition = Readonly<Record<string, unknown>>;

const maxValueLength = 80;
const maxTypeLength = 600;
const defaultFormat = 'strict_date_optional_time||epoch_millis';

/**
 * What one has to know of a field to search it: `text+.keyword`, `date(yyyy-MM-dd)`, `keyword, index:false`. Whatever is in the
 * definition, the answer is a text: fields with the same text are shown together.
 */
export function formatFieldType(definition: Definition): string {
  const type = typeof definition.type === 'string' && definition.type !== '' ? definition.type : 'object';
  const detail = formatDetail(type, definition);
  const own = `${type}${detail === '' ? '' : `(${detail})`}${formatMultiFields(definition.fields)}`;
  const text = [own, ...formatFlags(type, definition)].join(', ');
  return text.length <= maxTypeLength ? text : `${text.slice(0, maxTypeLength)}…`;
}

/** The parameter without which the type says too little. */
const details: Readonly<Record<string, (definition: Definition) => string>> = {
  date: formatDate,
  date_nanos: formatDate,
  date_range: formatDate,
  dense_vector: ({ dims, similarity }) => list([dims, similarity], ', '),
  rank_vectors: ({ dims }) => short(dims),
  knn_vector: ({ dimension, space_type, method }) =>
    list([dimension, space_type ?? (isObject(method) ? method.space_type : undefined)], ', '),
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

/** Synonyms are often in the analyzer of the search alone. */
function formatAnalyzer({ analyzer, search_analyzer }: Definition): string {
  const search = search_analyzer === undefined || search_analyzer === analyzer ? '' : `search: ${short(search_analyzer)}`;
  return [short(analyzer), search].filter((text) => text !== '').join(', ');
}

/** Lists parameters that the type does not imply, such as `false` for a field that cannot be searched. */
function formatFlags(type: string, definition: Definition): string[] {
  const { path, copy_to, dynamic } = definition;
  const off = ['index', 'doc_values', 'enabled', 'subobjects'].filter((name) => isFalse(definition[name]));
  return [
    type === 'alias' ? `-> ${short(path)}` : '',
    ...off.map((name) => `${name}:false`),
    copy_to === undefined ? '' : `copy_to -> ${list(copy_to, ', ')}`,
    dynamic === undefined || dynamic === 'true' || dynamic === true ? '' : `dynamic:${short(dynamic)}`,
    isDefaultLength(definition.ignore_above) ? '' : `ignore_above:${short(definition.ignore_above)}`,
    isTrue(definition.ignore_malformed) ? 'ignore_malformed' : '',
    definition.time_series_metric === undefined ? '' : `metric:${short(definition.time_series_metric)}`,
  ].filter((flag) => flag !== '');
}

/** Formats multi-fields by name alone where the name implies the type, as `.keyword` does. They have none of their own. */
function formatMultiFields(fields: unknown): string {
  if (!isObject(fields)) return '';
  return Object.entries(fields)
    .map(([name, definition]) => {
      const inner = isObject(definition) ? formatFieldType({ ...definition, fields: undefined }) : 'unknown';
      return inner === name ? `+.${name}` : `+.${name}(${inner})`;
    })
    .join('');
}

/** Whether the length is the one of dynamic mappings, or means no limit. */
function isDefaultLength(value: unknown): boolean {
  return value === undefined || value === 256 || value === 2_147_483_647;
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false';
}

function list(value: unknown, separator: string): string {
  if (!Array.isArray(value)) return short(value);
  return value
    .map(short)
    .filter((text) => text !== '')
    .join(separator);
}

function short(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = value instanceof RawNumber ? value.text : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength)}…`;
}
