import { type Fields, formatVisible, isFields } from '@dbmole/core';
import type { ToolDefinition } from './manifest.ts';

/** Texts that a model reads and no validator does. */
const proseKeys = ['description', 'title', '$comment'];

/** Where keys are names that the server chose, and none of them is a keyword. */
const nameMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * The definition with every hidden character of its prose written out. Schemas stay as they are otherwise: names, constants and patterns
 * are compared with what a caller sends.
 */
export function showHidden(tool: ToolDefinition): ToolDefinition {
  // A walk keeps the keys, and no key of a tool is a name that the server chose.
  return walk(tool, false) as ToolDefinition;
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
