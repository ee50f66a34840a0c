import { formatFileSize } from '@dbmole/core';
import { buildPath } from '../call/path.ts';
import { listTexts, valueAt } from '../guard/body/walk-json.ts';
import { formatCount, formatIndices, type Measured, type Measuring, unmeasured } from './measured.ts';

/** The indices that a request reaches, however its path names them, with their documents and sizes. */
export async function measureIndices(measuring: Measuring): Promise<Measured> {
  const { request, change, count, mayName } = measuring;
  const expand = request.params.get('expand_wildcards') ?? 'open,closed';
  const params = { format: 'json', bytes: 'b', h: 'index,status,docs.count,store.size', expand_wildcards: expand };
  const answer = await count({ path: buildPath('_cat', 'indices', change.names), params });
  const { status, json, cut } = answer;
  if (status === 404 && !isRemoval(measuring)) return unmeasured(change, 'there is no such index yet');
  if (status === 404) throw await measuring.failureOf(answer);
  if (status !== 200 || cut !== undefined || !Array.isArray(json))
    return unmeasured(change, 'the cluster does not list the indices');
  const indices = json.map((row) => ({
    name: String(valueAt(row, 'index')),
    isOpen: valueAt(row, 'status') === 'open',
    documents: Number(listTexts(valueAt(row, 'docs.count'))[0] ?? 0),
    bytes: Number(listTexts(valueAt(row, 'store.size'))[0] ?? 0),
  }));
  const sorted = indices.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const total = indices.reduce((sum, { documents }) => sum + documents, 0);
  const bytes = indices.reduce((sum, one) => sum + one.bytes, 0);
  const counts = sorted.map(
    ({ name, isOpen, documents }) => [name, isOpen ? documents.toLocaleString('en-US') : 'closed'] as const,
  );
  const size = `${formatCount(indices.length, 'index', 'indices')} with ${formatCount(total, 'document')}, ${formatFileSize(bytes)}`;
  return {
    summary: indices.length === 0 ? 'no index has such a name' : `${size}: ${formatIndices(counts, mayName)}`,
    // Sizes change by themselves.
    basis: sorted.map(({ name, isOpen, documents }) => [name, isOpen, isRemoval(measuring) ? documents : null]),
    documents: change.kind === 'other' ? undefined : 0,
    details: [],
  };
}

/** The documents are gone. */
function isRemoval({ request: { method, segments } }: Measuring): boolean {
  return method === 'DELETE' && (segments.length === 1 || segments[0] === '_data_stream');
}
