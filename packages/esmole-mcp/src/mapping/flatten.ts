import { Failure, Turns } from '@dbmole/core';
import { isObject } from '../search/hit-table.ts';
import { formatFieldType } from './field-type.ts';

export interface Field {
  /** The name, with those of all objects around it. */
  name: string;
  type: string;
  /** The names of multi-fields, which are searched as `name.inner`. */
  inner: readonly string[];
  /** What is not a field with values of its own that a search finds. */
  kind?: 'object' | 'unsearchable' | 'computed';
  /** The innermost nested object around it. */
  nestedIn?: string;
  /** The analyzers and normalizers that its mapping names. */
  analyzers?: readonly string[];
}

type Value = Readonly<Record<string, unknown>>;

/** Parameters that say how an object is searched; an object without any of them is only part of the names of its fields. */
const tellingKeys = ['enabled', 'subobjects', 'dynamic', 'copy_to', 'include_in_parent', 'include_in_root'];

/** The keys of a mapping. Old clusters put the name of a type around it. */
const rootKeys = new Set(
  'properties runtime derived dynamic dynamic_templates dynamic_date_formats date_detection numeric_detection subobjects enabled'.split(
    ' ',
  ),
);

/** Characters of all names of one answer: a name repeats those of all objects around it, so a deep mapping has many more than it was sent. */
const maxNames = 32 * 1024 * 1024;

/** The limit of one mapping. A cluster allows 1,000 by default. */
const maxFields = 25_000;

/** Counts the characters of names. */
interface NameRoom {
  take(characters: number): void;
}

export function createNameRoom(): NameRoom {
  let left = maxNames;
  return {
    take(characters) {
      left -= characters;
      if (left < 0) throw limitFailure(`the field names have more than ${maxNames} characters together`);
    },
  };
}

function limitFailure(message: string): Failure {
  return new Failure('limit', message, {
    hint: ['Name fewer indices.', { tool: 'Or set `raw` and pass `fields` with *.', cli: 'Or pass FIELDS with *.' }],
  });
}

/** Every field, in the order of the mapping. */
export async function flattenMapping(mapping: unknown, room = createNameRoom()): Promise<Field[]> {
  const root = withoutType(mapping);
  const properties = await readProperties(root, room);
  return [...readRootFacts(root), ...properties, ...readScripted(root, 'runtime'), ...readScripted(root, 'derived')];
}

function withoutType(mapping: unknown): Value {
  if (!isObject(mapping)) return {};
  const keys = Object.keys(mapping);
  const [key = ''] = keys;
  const inner = keys.length === 1 && !key.startsWith('_') && !rootKeys.has(key) ? mapping[key] : undefined;
  const isTyped = isObject(inner) && Object.keys(inner).every((one) => rootKeys.has(one) || one.startsWith('_'));
  if (isTyped) return inner;
  const doc = keys.length === 1 && key === '_doc' ? mapping._doc : undefined;
  return isObject(doc) ? doc : mapping;
}

/** Lists settings of the whole index that are not the default. */
function readRootFacts(root: Value): Field[] {
  const { dynamic, _source, _routing, subobjects, enabled } = root;
  const facts: [string, boolean][] = [
    [`dynamic:${typeof dynamic === 'string' ? dynamic : 'false'}`, isSaying(dynamic) && !isSaying(dynamic, true)],
    ['_source:disabled', isObject(_source) && isSaying(_source.enabled, false)],
    ['_routing:required', isObject(_routing) && isSaying(_routing.required, true)],
    ['subobjects:false', isSaying(subobjects, false)],
    ['enabled:false', isSaying(enabled, false)],
  ];
  const said = facts.filter(([, holds]) => holds).map(([text]) => text);
  return said.length === 0 ? [] : [{ name: '(index)', type: said.join(', '), inner: [], kind: 'computed' }];
}

async function readProperties(root: Value, room: NameRoom): Promise<Field[]> {
  const turns = new Turns();
  const fields: Field[] = [];
  const open: MappedChild[] = listChildren('', root, undefined);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, definition, nestedIn } = next;
    const known = isObject(definition) ? definition : {};
    const children = listChildren(name, known, known.type === 'nested' ? name : nestedIn);
    if (children.length === 0 || isTelling(known)) {
      const field = { ...readField(name, known), ...(nestedIn !== undefined && { nestedIn }) };
      room.take(name.length * (1 + field.inner.length));
      fields.push(field);
      if (fields.length > maxFields) throw limitFailure(`a mapping has more than ${maxFields} fields`);
    }
    for (const child of children) open.push(child);
    await turns.next();
  }
  return fields;
}

interface MappedChild {
  name: string;
  definition: unknown;
  nestedIn: string | undefined;
}

/** The last one first, as they are taken from the end. */
function listChildren(name: string, { properties }: Value, nestedIn: string | undefined): MappedChild[] {
  if (!isObject(properties)) return [];
  return Object.keys(properties)
    .reverse()
    .map((key) => ({ name: name === '' ? key : `${name}.${key}`, definition: properties[key], nestedIn }));
}

function isTelling(definition: Value): boolean {
  const { type } = definition;
  if (type !== undefined && type !== 'object') return true;
  return tellingKeys.some((key) => definition[key] !== undefined && !isSaying(definition[key], true));
}

/** Clusters write some switches as a text, and some as what they are. Without `wanted`, any of the two. */
function isSaying(value: unknown, wanted?: boolean): boolean {
  if (wanted === undefined) return typeof value === 'string' || typeof value === 'boolean';
  return value === wanted || value === String(wanted);
}

function readField(name: string, definition: Value): Field {
  const inner = isObject(definition.fields) ? Object.keys(definition.fields) : [];
  const [kind, analyzers] = [readKind(definition), listAnalyzers(definition)];
  return {
    name,
    type: formatFieldType(definition),
    inner,
    ...(kind !== undefined && { kind }),
    ...(analyzers.length > 0 && { analyzers }),
  };
}

/** Types whose values are not indexed unless the mapping says so. */
const unindexed: ReadonlySet<unknown> = new Set(['binary', 'text', 'match_only_text', 'annotated_text']);

function readKind({ type, enabled, index, doc_values, properties }: Value): Field['kind'] {
  if (isSaying(enabled, false)) return 'unsearchable';
  if (type === undefined || type === 'object' || type === 'nested' || isObject(properties)) return 'object';
  const hasDocValues = unindexed.has(type) ? isSaying(doc_values, true) : !isSaying(doc_values, false);
  const isIndexed = type !== 'binary' && !isSaying(index, false);
  return isIndexed || hasDocValues ? undefined : 'unsearchable';
}

function listAnalyzers(definition: Value): string[] {
  const inner = isObject(definition.fields) ? Object.values(definition.fields).filter(isObject) : [];
  const named = [definition, ...inner].flatMap(({ analyzer, search_analyzer, search_quote_analyzer, normalizer }) => [
    analyzer,
    search_analyzer,
    search_quote_analyzer,
    normalizer,
  ]);
  return [...new Set(named)].filter((name) => typeof name === 'string');
}

function readScripted(root: Value, kind: 'runtime' | 'derived'): Field[] {
  const fields = root[kind];
  if (!isObject(fields)) return [];
  return Object.entries(fields).map(([name, definition]) => {
    const { type, inner } = readField(name, isObject(definition) ? definition : {});
    return { name, type: `${type} (${kind})`, inner, kind: 'computed' };
  });
}
