import { Failure } from '@dbmole/core';
import { isObject } from '../search/hit-table.ts';
import { formatFieldType } from './field-type.ts';

export interface Field {
  /** With those of all objects around it. */
  name: string;
  type: string;
  /** Those that are searched as `name.inner`. */
  inner: readonly string[];
}

type Value = Readonly<Record<string, unknown>>;

/** What of an object says how it is searched; one without any of it is only part of the names of its fields. */
const tellingKeys = ['enabled', 'subobjects', 'dynamic', 'copy_to', 'include_in_parent', 'include_in_root'];

/** What can stand in a mapping itself. Old clusters put the name of a type around it. */
const rootKeys = new Set(
  'properties runtime derived dynamic dynamic_templates dynamic_date_formats date_detection numeric_detection subobjects enabled'.split(
    ' ',
  ),
);

/** Characters of all names of one answer: a name repeats those of all objects around it, so a deep mapping has many more than it was sent. */
const maxNames = 32 * 1024 * 1024;

/** Counts the characters of names. */
export interface NameRoom {
  take(characters: number): void;
}

export function createNameRoom(): NameRoom {
  let left = maxNames;
  return {
    take(characters) {
      left -= characters;
      if (left >= 0) return;
      const hint = 'Name fewer indices, or set `raw` and give `fields` with *.';
      throw new Failure('limit', `the names of all fields together have more than ${maxNames} characters`, { hint });
    },
  };
}

/** Every field, in the order of the mapping. */
export function flattenMapping(mapping: unknown, room = createNameRoom()): Field[] {
  const root = withoutType(mapping);
  return [...rootFacts(root), ...properties(root, room), ...scripted(root, 'runtime'), ...scripted(root, 'derived')];
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

/** What holds for the whole index and is not as everybody expects. */
function rootFacts(root: Value): Field[] {
  const { dynamic, _source, _routing, subobjects, enabled } = root;
  const facts: [string, boolean][] = [
    [`dynamic:${typeof dynamic === 'string' ? dynamic : 'false'}`, isSaying(dynamic) && !isSaying(dynamic, true)],
    ['_source:disabled', isObject(_source) && isSaying(_source.enabled, false)],
    ['_routing:required', isObject(_routing) && isSaying(_routing.required, true)],
    ['subobjects:false', isSaying(subobjects, false)],
    ['enabled:false', isSaying(enabled, false)],
  ];
  const said = facts.filter(([, holds]) => holds).map(([text]) => text);
  return said.length === 0 ? [] : [{ name: '(index)', type: said.join(', '), inner: [] }];
}

function properties(root: Value, room: NameRoom): Field[] {
  const fields: Field[] = [];
  const open: { name: string; definition: unknown }[] = childrenOf('', root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, definition } = next;
    const known = isObject(definition) ? definition : {};
    const children = childrenOf(name, known);
    if (children.length === 0 || isTelling(known)) {
      const field = fieldOf(name, known);
      room.take(name.length * (1 + field.inner.length));
      fields.push(field);
    }
    for (const child of children) open.push(child);
  }
  return fields;
}

/** The last one first, as they are taken from the end. */
function childrenOf(name: string, { properties }: Value): { name: string; definition: unknown }[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .map(([key, definition]) => ({ name: name === '' ? key : `${name}.${key}`, definition }))
    .reverse();
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

function fieldOf(name: string, definition: Value): Field {
  const inner = isObject(definition.fields) ? Object.keys(definition.fields) : [];
  return { name, type: formatFieldType(definition), inner };
}

function scripted(root: Value, kind: 'runtime' | 'derived'): Field[] {
  const fields = root[kind];
  if (!isObject(fields)) return [];
  return Object.entries(fields).map(([name, definition]) => {
    const { type, inner } = fieldOf(name, isObject(definition) ? definition : {});
    return { name, type: `${type} (${kind})`, inner };
  });
}
