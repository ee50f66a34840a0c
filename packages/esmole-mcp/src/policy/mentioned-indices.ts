import { isObject, listTexts, valueAt, walk } from '../guard/body/walk-json.ts';
import { isIndexName } from '../guard/index-names.ts';

type Value = Readonly<Record<string, unknown>>;

/** The indices that the documents of `_mget` and its like name. */
export function listDocumentIndices(body: unknown): readonly string[] {
  const docs = valueAt(body, 'docs');
  return namesIn((Array.isArray(docs) ? docs : []).map((doc) => valueAt(doc, '_index')));
}

/** The indices in which a search looks up values, beside those that it searches. */
export function listMentionedIndices(body: unknown): readonly string[] {
  const found: unknown[] = [];
  walk(body, 0, (key, value) => {
    if (key === 'target_index') found.push(value);
    // A shape without an index is one of an index that is called so.
    if (key === 'indexed_shape' && isObject(value)) found.push(value.index ?? 'shapes');
    for (const one of [value].flat()) if (isObject(one) && isStored(one)) found.push(one.index, one._index);
  });
  return namesIn(found);
}

/** The path of the field whose values are looked up in a stored document; undefined where nothing is. */
export function findLookupPath(key: string, value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (key === 'indexed_shape') return listTexts(value.path)[0] ?? 'shape';
  return value.index === undefined ? undefined : listTexts(value.path)[0];
}

/** Whether it can name a document of an index. */
function isStored(value: Value): boolean {
  return ['id', '_id', 'path', 'doc'].some((key) => value[key] !== undefined);
}

/** What is no name of an index cannot be looked up, and may be a value of the user's. */
function namesIn(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.flatMap(listTexts).flatMap((text) => text.split(',')))].filter(isIndexName);
}
