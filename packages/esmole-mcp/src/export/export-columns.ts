import { Failure } from '@dbmole/core';
import type { ClusterCall } from '../call/cluster-call.ts';
import { readFieldCaps } from '../mapping/read-field-caps.ts';

/** Columns that are too many to be meant. */
const maxColumns = 1_000;
const objects: ReadonlySet<string> = new Set(['object', 'nested']);

/**
 * The columns of a CSV file, which have to be known before its first row: the fields that are named, and for patterns and objects
 * the fields in the mappings that they select. Sorted by name, as they are the same for the same mapping then.
 */
export async function findColumns(
  call: ClusterCall,
  index: string | undefined,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const asked = wanted.length === 0 ? ['*'] : wanted.flatMap((name) => (name.endsWith('*') ? [name] : [name, `${name}.*`]));
  const caps = await readFieldCaps(call, index, { fields: asked.join(','), filter_path: 'fields.*.*.type' });
  if (caps === undefined)
    throw new Failure('unknown', 'the fields of the indices cannot be read', { hint: 'Use a file that ends in .jsonl.' });
  const types = (name: string) => Object.keys(caps.fields.get(name) ?? {});
  const isObjectField = (name: string) => types(name).some((type) => objects.has(type));
  const leaves = [...caps.fields.keys()].filter((name) => !name.startsWith('_') && !isObjectField(name));
  const known = new Set(leaves);
  // A multi-field is below another field, and is not in a document.
  const own = leaves.filter((name) => !listParents(name).some((parent) => known.has(parent)));
  const named = wanted.filter((name) => !name.includes('*') && !isObjectField(name));
  const columns = [...new Set([...named, ...own.sort()])];
  if (columns.length <= maxColumns && caps.isWhole) return columns;
  throw new Failure('input', `a CSV file would have ${columns.length} columns; at most ${maxColumns} are accepted`, {
    hint: 'Name the fields in `source`, or use a file that ends in .jsonl.',
  });
}

function listParents(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'));
}
