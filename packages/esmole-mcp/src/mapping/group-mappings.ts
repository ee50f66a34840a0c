import { createHash } from 'node:crypto';
import { groupBy } from '../group-by.ts';
import { isObject } from '../search/hit-table.ts';
import { createNameRoom, type Field, flattenMapping } from './flatten.ts';

/** Indices of which all that is shown is the same. */
export interface MappingGroup {
  indices: readonly string[];
  fields: readonly Field[];
}

/** The names in an answer are those of the indices behind what was asked for, never what was asked for itself. */
export function groupMappings(json: unknown): MappingGroup[] {
  const mappings = Object.entries(isObject(json) ? json : {}).map(([index, value]) => ({
    index,
    mapping: isObject(value) ? value.mappings : undefined,
  }));
  const room = createNameRoom();
  // Most are the same to the letter, and are not taken apart again.
  const groups = [...groupBy(mappings, ({ mapping }) => keyOf([mapping])).values()].map((alike) => ({
    indices: alike.map(({ index }) => index),
    fields: flattenMapping(alike[0]?.mapping, room),
  }));
  // What made others different is nothing that we show.
  return [...groupBy(groups, ({ fields }) => keyOf(fields)).values()].map((alike) => ({
    indices: alike.flatMap(({ indices }) => indices),
    fields: alike[0]?.fields ?? [],
  }));
}

function keyOf(parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${JSON.stringify(part)}\n`);
  return hash.digest('base64');
}
