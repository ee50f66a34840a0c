/** Metadata of an argument that is shown by its name alone, because another tool shows the same with all there is to say of it. */
export const toldElsewhere = { toldElsewhere: true } as const;

/**
 * The definitions of all tools are in a model's context all the time, so a schema is shown as short as it can be: types, choices,
 * defaults and words. Limits and patterns are left out; whoever breaks one is told what is accepted. What is checked is the
 * schema itself, as strict as it was written.
 */
export function compactSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(compactSchema);
  if (!isNode(schema)) return schema;
  if (schema.toldElsewhere === true) return {};
  const entries = Object.entries(schema)
    .filter(([key, value]) => !isNoise(key, value))
    .map(([key, value]) => [key, key === 'properties' ? compactEach(value) : compactSchema(value)]);
  return compactUnion(Object.fromEntries(entries));
}

type Node = Record<string, unknown>;

const limits = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern']);

/** A default that says "none" is what everybody expects. */
function isNoise(key: string, value: unknown): boolean {
  if (key === 'default') return value === false || value === 0 || (Array.isArray(value) && value.length === 0);
  return limits.has(key);
}

/** The keys of these are the names of arguments, whatever they are called. */
function compactEach(properties: unknown): unknown {
  if (!isNode(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, compactSchema(schema)]));
}

/** Alternatives become one list of types; the fields of an object among them are told by their names. */
function compactUnion({ anyOf, ...rest }: Node): Node {
  if (!Array.isArray(anyOf)) return rest;
  const options = anyOf.filter(isNode);
  const types = new Set(options.flatMap(({ type }) => type));
  const choices = options.flatMap((option) => (Array.isArray(option.enum) ? option.enum : []));
  if (choices.length > 0 && options.some(({ type, enum: list }) => list === undefined && type !== 'null'))
    return { ...rest, anyOf };
  const words = [rest.description, ...options.map(formatFields)].filter((text) => typeof text === 'string');
  return {
    ...rest,
    ...(words.length === 0 ? {} : { description: words.join('; ') }),
    type: types.size === 1 ? [...types][0] : [...types],
    ...(choices.length === 0 ? {} : { enum: types.has('null') ? [...choices, null] : choices }),
  };
}

/** Of an option that is a union itself, what was said of it already. */
function formatFields({ properties, required, description }: Node): string | undefined {
  if (!isNode(properties)) return typeof description === 'string' ? description : undefined;
  const needed = Array.isArray(required) ? required : [];
  return `{${Object.keys(properties)
    .map((name) => (needed.includes(name) ? name : `${name}?`))
    .join(', ')}}`;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
