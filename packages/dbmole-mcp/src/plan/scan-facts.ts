import type { TableDetails } from '../catalog/catalog.ts';
import type { TableFacts } from './plan-scan.ts';

/** What says why a scan of the table used no index. */
export function toScanFacts({ rows, columns, keys, indexes }: TableDetails): TableFacts {
  const ofKeys = keys.map(({ word, columns: names }) => ({
    name: `${word} (${names.join(', ')})`,
    definition: `(${names.join(', ')})`,
  }));
  return { rows, columns, indexes: [...ofKeys, ...indexes] };
}
