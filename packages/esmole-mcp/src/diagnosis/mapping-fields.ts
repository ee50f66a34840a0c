import { valueAt } from '../call/answer-failure.ts';
import { isObject } from '../search/hit-table.ts';
import { listEntries } from './read-facts.ts';

/** A field of a mapping, or one of the other forms that a field is indexed in. */
export interface MappedField {
  path: string;
  type: string;
  definition: Readonly<Record<string, unknown>>;
  /** The path of the field that this is another form of. */
  parent: string | undefined;
}

interface MappedFields {
  fields: readonly MappedField[];
  /** The number that the cluster compares with its limit: objects and other forms count as well. */
  count: number;
}

/** An index that is looked at. */
export interface ChosenIndex {
  index: string;
  /** How many indices of its series it speaks for. */
  series: number;
}

export interface IndexMapping extends MappedFields, ChosenIndex {
  mappings: unknown;
}

const maxLevels = 50;
const containers = new Set(['object', 'nested', 'undefined']);

export function listFields(mappings: unknown): MappedFields {
  const all = [...walkFields(valueAt(mappings, ['properties']), '')];
  const runtime = listEntries(valueAt(mappings, ['runtime'])).length;
  return { fields: all.filter(({ type }) => !containers.has(type)), count: all.length + runtime };
}

function* walkFields(properties: unknown, prefix: string, level = 0): Generator<MappedField> {
  for (const [name, definition] of listEntries(properties)) {
    if (!isObject(definition)) continue;
    const path = `${prefix}${name}`;
    yield { path, type: String(definition.type), definition, parent: undefined };
    for (const [form, inner] of listEntries(definition.fields)) {
      if (isObject(inner)) yield { path: `${path}.${form}`, type: String(inner.type), definition: inner, parent: path };
    }
    if (level < maxLevels) yield* walkFields(definition.properties, `${path}.`, level + 1);
  }
}

/** The body of a request that changes one field, inside of the objects around it. */
export function formatMappingChange(path: string, definition: object): string {
  const keys = path.split('.');
  return JSON.stringify(keys.reduceRight<object>((inner, key) => ({ properties: { [key]: inner } }), definition));
}
