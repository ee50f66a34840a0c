import { isFields } from '../registry/tree.ts';

/** Metadata of an argument of which only a type is shown, because another tool describes the same argument. */
export const documentedElsewhere = { documentedElsewhere: 'string' } as const;
/** The same for an argument that is an object in most calls. */
export const objectElsewhere = { documentedElsewhere: 'object' } as const;

/** Metadata of an argument that is accepted and not shown, because another one says the same. */
export const accepted = { accepted: true } as const;

/**
 * The definitions of all tools are in a model's context all the time, so a schema is shown as short as it can be: types, choices,
 * defaults, maxima and words. Other limits and patterns are left out: an error says what is accepted. Arguments are validated by the
 * schema itself. No type is a list and no schema is empty, as some models' clients reject either.
 */
export function compactSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(compactSchema);
  if (!isFields(schema)) return schema;
  const { documentedElsewhere: usual, ...shown } = schema;
  const entries = Object.entries(shown)
    .filter(([key, value]) => !isNoise(key, value) && !(key === 'properties' && isOpen(shown)))
    .map(([key, value]) => [key, compactPart(key, value)]);
  const compact = compactUnion(Object.fromEntries(entries));
  return usual === undefined ? compact : { type: compact.type ?? usual };
}

type Node = Record<string, unknown>;

/** Keys of objects are texts anyway; a caller that makes an argument up is told of the nearest one. */
const limits = new Set([
  'minLength',
  'maxLength',
  'minimum',
  'minItems',
  'maxItems',
  'pattern',
  'propertyNames',
  'additionalProperties',
]);
/** Such maxima hardly ever matter to a caller. */
const minHidden = 600_000;

/** A default that means "none" goes without saying. */
function isNoise(key: string, value: unknown): boolean {
  if (key === 'default') return value === false || value === 0 || (Array.isArray(value) && value.length === 0);
  if (key === 'maximum') return Number(value) >= minHidden;
  return limits.has(key);
}

/** An object of anything has no properties to show. */
function isOpen({ properties, additionalProperties }: Node): boolean {
  return additionalProperties !== false && isFields(properties) && Object.keys(properties).length === 0;
}

/** What a list of anything is shown to hold. */
const anyItem = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'object' }] };

function compactPart(key: string, value: unknown): unknown {
  if (key === 'properties') return compactEach(value);
  return key === 'items' && isFields(value) && Object.keys(value).length === 0 ? anyItem : compactSchema(value);
}

/** The keys of these are the names of arguments, whatever they are called. */
function compactEach(properties: unknown): unknown {
  if (!isFields(properties)) return properties;
  const shown = Object.entries(properties).filter(([, schema]) => !(isFields(schema) && schema.accepted === true));
  return Object.fromEntries(shown.map(([name, schema]) => [name, compactSchema(schema)]));
}

/** Null is left out, as it may be passed for every optional argument. The fields of an object among the alternatives are named. */
function compactUnion({ anyOf: written, ...node }: Node): Node {
  const { type, ...others } = node;
  const anyOf = written ?? (Array.isArray(type) ? type.map((one) => ({ type: one })) : undefined);
  if (!Array.isArray(anyOf)) return node;
  const rest = written === undefined ? others : node;
  const options = anyOf.filter(isFields).filter(({ type }) => type !== 'null');
  const words = [rest.description, ...options.map(formatFields)].filter((text) => typeof text === 'string');
  const description = words.length === 0 ? {} : { description: words.join('; ') };
  const [only] = options;
  if (options.length === 1) return { ...only, ...rest, ...description };
  return {
    ...rest,
    ...description,
    anyOf: options.map(({ properties: _p, required: _r, ...option }) => option),
  };
}

/** Keeps the description of an option that is a union itself. */
function formatFields({ properties, required, description }: Node): string | undefined {
  if (!isFields(properties)) return typeof description === 'string' ? description : undefined;
  const needed = Array.isArray(required) ? required : [];
  return `{${Object.keys(properties)
    .map((name) => (needed.includes(name) ? name : `${name}?`))
    .join(', ')}}`;
}
