import { createHash } from 'node:crypto';
import { isObject } from '../search/hit-table.ts';
import { type Field, flattenMapping } from './flatten.ts';

/** Indices of which all that is shown is the same. */
export interface MappingGroup {
  indices: readonly string[];
  fields: readonly Field[];
}

/** The names in an answer are those of the indices behind what was asked for, never what was asked for itself. */
export function groupMappings(json: unknown): MappingGroup[] {
  const groups = new Map<string, { indices: string[]; mapping: unknown }>();
  for (const [index, value] of isObject(json) ? Object.entries(json) : []) {
    const mapping = isObject(value) ? value.mappings : undefined;
    const key = keyOf(mapping);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { indices: [index], mapping });
    else group.indices.push(index);
  }
  return mergeAlike([...groups.values()].map(({ indices, mapping }) => ({ indices, fields: flattenMapping(mapping) })));
}

/** Most are the same to the letter, and are not taken apart again. */
function keyOf(mapping: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(mapping) ?? '')
    .digest('base64');
}

/** What made them different is nothing that we show. */
function mergeAlike(groups: readonly MappingGroup[]): MappingGroup[] {
  const merged = new Map<string, MappingGroup>();
  for (const { indices, fields } of groups) {
    const key = keyOf(fields);
    merged.set(key, { indices: [...(merged.get(key)?.indices ?? []), ...indices], fields });
  }
  return [...merged.values()];
}
