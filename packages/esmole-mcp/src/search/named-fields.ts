import { isObject } from './hit-table.ts';
import type { SearchArgs } from './search-body.ts';

type Names = Set<string>;

/** The parts of a search that may name fields. */
type Naming = Pick<SearchArgs, 'query' | 'q' | 'sort' | 'aggs' | 'source' | 'fields'> & Partial<Pick<SearchArgs, 'body'>>;

/** Queries of which each key is a field, but for these. */
const keyedByField: ReadonlySet<string> = new Set(
  (
    'term terms match match_phrase match_phrase_prefix match_bool_prefix prefix wildcard regexp fuzzy range span_term terms_set intervals ' +
    'geo_distance geo_bounding_box geo_polygon geo_shape shape text_expansion sparse_vector gauss exp linear'
  ).split(' '),
);
const parameters: ReadonlySet<string> = new Set(
  'boost _name minimum_should_match distance distance_type validation_method ignore_unmapped type multi_value_mode'.split(' '),
);
/** The value of these keys is a field, or a list of fields. */
const fieldKeys: ReadonlySet<string> = new Set(['field', 'fields', 'default_field']);
/** Names inside of these are not fields. */
const opaque: ReadonlySet<string> = new Set([
  'script',
  'params',
  'runtime_mappings',
  'derived',
  'script_fields',
  'suggest',
  'highlight',
  'meta',
  '_source',
  'sort',
  'order',
]);
const maxNames = 100;

/** Every field that the search names, as far as its form tells: a name may be missing here, and none is added. */
export function findNamedFields(search: Naming): string[] {
  const { query, q, sort = [], aggs, source = [], fields = [], body } = search;
  const names: Names = new Set();
  addQuery(query, names);
  if (q !== undefined) addLucene(q, names);
  addAggregations(aggs, names);
  for (const one of sort) addSort(one, names);
  for (const one of [...source, ...fields, ...listHighlighted(body?.highlight)]) addName(one, names);
  addQuery(body, names);
  for (const name of listDefinedFields(body)) names.delete(name);
  return [...names].filter(isChecked).slice(0, maxNames);
}

/** Their settings are keyed by field, in an object or a list of objects. */
function listHighlighted(highlight: unknown): string[] {
  const fields = isObject(highlight) ? highlight.fields : undefined;
  return [fields].flat().flatMap((one) => Object.keys(Object(one)));
}

/** Fields that the search itself defines. */
function listDefinedFields(body: Naming['body']): string[] {
  return ['runtime_mappings', 'derived', 'script_fields'].flatMap((key) => Object.keys(Object(body?.[key])));
}

/** Names that begin with `_` are those of the cluster; `a#b` is a relation. */
function isChecked(name: string): boolean {
  return name.length <= 500 && /^[^_\s,#<]/.test(name) && name !== '*';
}

function addName(value: unknown, names: Names): void {
  if (typeof value === 'string') names.add(value.replace(/\^[\d.]{1,20}$/, ''));
  else if (Array.isArray(value)) for (const one of value) addName(one, names);
  else if (isObject(value) && typeof value.field === 'string') names.add(value.field);
}

/** Each key with what is below it; lists are looked through. */
function forEachMember(value: unknown, visit: (key: string, below: unknown) => void): void {
  if (Array.isArray(value)) for (const one of value) forEachMember(one, visit);
  else if (isObject(value)) for (const [key, below] of Object.entries(value)) if (!opaque.has(key)) visit(key, below);
}

function addQuery(value: unknown, names: Names): void {
  forEachMember(value, (key, below) => {
    if (fieldKeys.has(key)) addName(below, names);
    else if (keyedByField.has(key) && isObject(below)) addKeys(below, parameters, names);
    else addQuery(below, names);
    addSpecial(key, below, names);
  });
}

function addAggregations(value: unknown, names: Names): void {
  forEachMember(value, (key, below) => {
    if (fieldKeys.has(key) && !isObject(below)) addName(below, names);
    else if (key === 'filter' || key === 'filters') addQuery(below, names);
    else addAggregations(below, names);
    addSpecial(key, below, names);
  });
}

function addSpecial(key: string, below: unknown, names: Names): void {
  if (!isObject(below)) return;
  if (key === 'nested') addName(below.path, names);
  if (key === 'query_string' && typeof below.query === 'string') addLucene(below.query, names);
}

function addKeys(value: object, but: ReadonlySet<string>, names: Names): void {
  for (const name of Object.keys(value)) if (!but.has(name)) names.add(name);
}

function addSort(value: unknown, names: Names): void {
  if (typeof value === 'string') names.add(value.replace(/:(?:asc|desc)$/, ''));
  if (!isObject(value)) return;
  for (const [name, one] of Object.entries(value)) {
    if (name !== '_geo_distance') names.add(name);
    else if (isObject(one)) addKeys(one, sortParameters, names);
  }
}

const sortParameters: ReadonlySet<string> = new Set(
  'order unit mode distance_type ignore_unmapped validation_method nested'.split(' '),
);

/** `name:value`, outside of quotes. */
function addLucene(text: string, names: Names): void {
  const plain = text.split('"').filter((_, at) => at % 2 === 0);
  for (const word of plain.join('""').split(/[\s()+!|&]/)) {
    const end = word.indexOf(':');
    const name = word.slice(word.startsWith('-') ? 1 : 0, Math.max(0, end));
    if (name === '_exists_') names.add(word.slice(end + 1));
    else if (/^[A-Za-z@][\w.@*-]{0,200}$/.test(name)) names.add(name);
  }
}
