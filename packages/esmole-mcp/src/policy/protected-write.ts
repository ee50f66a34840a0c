import type { WriteRequest } from '../call/cluster-request.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { isObject } from '../guard/body/walk-json.ts';
import { readLines } from './read-lines.ts';
import { refuseField } from './refuse-field.ts';

/** The parts of an update that change a document by what the request says, and show nothing of it. */
const updateKeys: ReadonlySet<string> = new Set(['doc', 'doc_as_upsert', 'upsert', 'detect_noop']);
const showing = [
  '_source',
  '_source_includes',
  '_source_excludes',
  'fields',
  'pipeline',
  'stored_fields',
  'list_executed_pipelines',
];
const actionKeys: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete']);
const documentWords: ReadonlySet<string> = new Set(['_doc', '_create']);
const upkeepWords: ReadonlySet<string> = new Set(['_refresh', '_flush', '_forcemerge', '_open', '_close']);

/**
 * Accepts only writes of documents that the request itself contains, and upkeep. Others can copy protected values to where they are
 * shown, as `_reindex`, aliases of fields, scripts and pipelines do.
 */
export function checkProtectedWrite({ method, segments, params, body }: WriteRequest): void {
  const shown = showing.find((name) => params.has(name));
  if (shown !== undefined) throw refuseField(`the parameter ${shown} can show or copy protected fields`);
  const [index = '', word = '', id = ''] = segments;
  if (index === '_bulk' || word === '_bulk') checkBulk(body);
  else if (word === '_update' && isDocument(segments)) checkUpdate(body);
  else if (!(isWhole(method, segments) || isUpkeep(segments) || (documentWords.has(word) && isDocument(segments))))
    throw refuseField(`${method} /${[index, word, id].join('/').slice(0, 100)} could copy or show protected fields`);
}

/** An index is made or deleted as a whole. */
function isWhole(method: string, { length, 0: index = '' }: readonly string[]): boolean {
  return length === 1 && !index.startsWith('_') && ['PUT', 'DELETE'].includes(method);
}

function isUpkeep({ length, 0: index = '', 1: word = '' }: readonly string[]): boolean {
  return length === 2 && !index.startsWith('_') && upkeepWords.has(word);
}

/** Old clusters take a word after a type for a request of its own. */
function isDocument({ length, 0: index = '', 2: id = '' }: readonly string[]): boolean {
  return length <= 3 && !index.startsWith('_') && !/^_[a-z_]*$/.test(id);
}

function checkUpdate(body: unknown): void {
  const value = typeof body === 'string' ? parseStrict(body) : body;
  const other = Object.keys(isObject(value) ? value : { body }).find((key) => !updateKeys.has(key));
  if (other !== undefined) throw refuseField(`"${other.slice(0, 60)}" of an update can copy or show protected fields`);
}

/** Any line can be an action or a document, so that each is checked as both. */
function checkBulk(body: unknown): void {
  let isUpdated = false;
  for (const line of readLines(body)) {
    if (isUpdated) checkUpdate(line);
    const key = Object.keys(isObject(line) ? line : {}).find((one) => actionKeys.has(one));
    if (isObject(line) && key !== undefined) checkAction(line[key]);
    isUpdated = !isUpdated && key === 'update';
  }
}

function checkAction(about: unknown): void {
  const shown = isObject(about) ? showing.find((name) => Object.hasOwn(about, name)) : undefined;
  if (shown !== undefined) throw refuseField(`"${shown}" of an action can show or copy protected fields`);
}
