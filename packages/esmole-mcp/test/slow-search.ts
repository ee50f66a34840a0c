import { expect } from 'vitest';
import type { ClusterBackend } from '../src/backend.ts';
import { write } from './open-cluster.ts';

/** Many words, each of them once: every clause has to walk through nearly all of them, and is quick to prepare. */
const documents = 20_000;
const wordsEach = 12;
const clauses = 1_000;

/** An index in which `slowSearch` takes long. */
export async function fillSlowIndex(backend: ClusterBackend, index: string): Promise<void> {
  const signal = AbortSignal.timeout(100_000);
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  const created = await backend.send(
    write('PUT', `/${index}`, { settings, mappings: { properties: { word: { type: 'keyword' } } } }),
    { signal },
  );
  expect(created.status).toBe(200);
  const word = createWords();
  const words = () => Array.from({ length: wordsEach }, () => word(8));
  const lines = Array.from({ length: documents }, () => [{ index: {} }, { word: words() }]).flat();
  const filled = await backend.send(write('POST', `/${index}/_bulk?refresh=true&filter_path=errors`, lines), { signal });
  expect(filled.json).toEqual({ errors: false });
}

/** A search that the cluster can stop. The mark is in it and changes nothing. */
export function slowSearch(mark = 'slow', count = clauses): object {
  const word = createWords();
  const should = Array.from({ length: count }, () => ({ range: { word: { gte: `a${word(3)}`, lt: `z${word(3)}` } } }));
  return { size: 0, query: { bool: { _name: mark, should } } };
}

/** The same words in every run. */
function createWords(): (length: number) => string {
  let state = 7;
  const letter = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return String.fromCharCode(97 + ((state >> 16) % 26));
  };
  return (length) => Array.from({ length }, letter).join('');
}
