import type { CheckedRequest } from '../call/cluster-request.ts';

/** What a write is, as its path says: how it can be measured, and whether it changes documents (`dml`) or structure (`ddl`). */
export interface ChangeKind {
  readonly kind: 'dml' | 'ddl' | 'other';
  readonly form: 'query' | 'copy' | 'bulk' | 'document' | 'settings' | 'mapping' | 'creation' | 'indices' | 'unknown';
  /** The indices as the path names them. */
  readonly names?: string;
  readonly id?: string;
}

const byQuery: ReadonlySet<string> = new Set(['_delete_by_query', '_update_by_query']);
const documentWords: ReadonlySet<string> = new Set(['_doc', '_create', '_update']);
const mappingWords: ReadonlySet<string> = new Set(['_mapping', '_mappings']);
/** Words after an index, or in the first place, that change structure. */
const structureWords: ReadonlySet<string> = new Set(
  (
    '_mapping _mappings _settings _alias _aliases _open _close _rollover _shrink _split _clone _block _index_template ' +
    '_component_template _template _data_stream'
  ).split(' '),
);

/** What is not known here is of neither kind, and is not measured. */
export function readChangeKind({ method, segments }: Pick<CheckedRequest, 'method' | 'segments'>): ChangeKind {
  const [names = '', word = '', id] = segments;
  if (names.startsWith('_')) return readApi(names, segments);
  if (segments.length === 1) return readWhole(method, names);
  if (documentWords.has(word) && isDocument(segments))
    return { kind: 'dml', form: 'document', names, ...(id !== undefined && { id }) };
  const known = segments.length === 2 ? findForm(method, word) : undefined;
  return known === undefined ? { kind: structureWords.has(word) ? 'ddl' : 'other', form: 'indices', names } : { ...known, names };
}

function readWhole(method: string, names: string): ChangeKind {
  if (method === 'DELETE') return { kind: 'ddl', form: 'indices', names };
  return method === 'PUT' ? { kind: 'ddl', form: 'creation', names } : { kind: 'other', form: 'unknown', names };
}

function findForm(method: string, word: string): Pick<ChangeKind, 'kind' | 'form'> | undefined {
  if (byQuery.has(word)) return { kind: 'dml', form: 'query' };
  if (word === '_bulk') return { kind: 'dml', form: 'bulk' };
  if (word === '_settings' && method === 'PUT') return { kind: 'ddl', form: 'settings' };
  return mappingWords.has(word) ? { kind: 'ddl', form: 'mapping' } : undefined;
}

function readApi(first: string, { length, 1: second = '' }: readonly string[]): ChangeKind {
  if (length === 1 && first === '_bulk') return { kind: 'dml', form: 'bulk' };
  if (length === 1 && first === '_reindex') return { kind: 'dml', form: 'copy' };
  if (length === 1 && first === '_settings') return { kind: 'ddl', form: 'settings', names: '_all' };
  if (length === 2 && first === '_cluster' && second === 'settings') return { kind: 'other', form: 'settings' };
  const kind = structureWords.has(first) ? 'ddl' : 'other';
  return length === 2 && first === '_data_stream' ? { kind, form: 'indices', names: second } : { kind, form: 'unknown' };
}

/** Old clusters take a word after a type for a request of its own. */
function isDocument({ length, 2: id }: readonly string[]): boolean {
  return length === 2 || (length === 3 && !/^_[a-z_]*$/.test(id ?? ''));
}
