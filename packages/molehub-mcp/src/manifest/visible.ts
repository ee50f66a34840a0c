import { type Fields, formatVisible, isFields } from '@dbmole/core';

/** Texts that a model reads and no validator does. */
const proseKeys = ['description', 'title', '$comment'];

/** Where keys are names that the server chose, and none of them is a keyword. */
const nameMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * The definition with every hidden character of its prose written out. Schemas stay as they are otherwise: names, constants and patterns
 * are compared with what a caller sends. `more` names keys that are prose here.
 */
export function showHidden<T extends Fields>(definition: T, more: readonly (keyof T & string)[] = []): T {
  // A walk keeps the keys, and no key of a definition is a name that the server chose.
  const shown = walk(definition, false) as T;
  const texts = more.flatMap((key) => (typeof shown[key] === 'string' ? [[key, formatVisible(shown[key])]] : []));
  return { ...shown, ...Object.fromEntries(texts) };
}

function walk(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => walk(one, false));
  if (!isFields(value)) return value;
  const shown: Fields = {};
  for (const [key, one] of Object.entries(value)) {
    const isProse = !isNames && typeof one === 'string' && proseKeys.includes(key);
    const next = isProse ? formatVisible(one) : isExact(key, isNames) ? one : walk(one, !isNames && nameMaps.includes(key));
    Object.defineProperty(shown, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return shown;
}

function isExact(key: string, isNames: boolean): boolean {
  return !isNames && ['const', 'enum', 'default', 'examples', '_meta'].includes(key);
}
