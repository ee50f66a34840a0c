import { askUser, Failure } from '@dbmole/core';
import {
  acceptWrite,
  type ClusterRequest,
  parseTarget,
  type ReadRequest,
  type RequestBody,
  type WriteRequest,
} from '../../call/cluster-request.ts';
import { parseStrict } from '../body/strict-json.ts';
import { isObject, valueAt } from '../body/walk-json.ts';
import { type GuardContext, guardRequest } from '../guard.ts';
import { checkName, type IndexRules } from '../index-names.ts';
import { checkBodySize, checkTargetSize } from '../request-size.ts';

const documentPaths: ReadonlySet<string> = new Set(['_doc', '_create', '_update', '_bulk']);

/** A pipeline may send a document to another index. */
const params: ReadonlySet<string> = new Set(
  (
    'refresh routing version version_type if_seq_no if_primary_term timeout wait_for_active_shards op_type require_alias ' +
    'require_data_stream retry_on_conflict _source _source_includes _source_excludes pretty human filter_path error_trace'
  ).split(' '),
);

const actions: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete']);
const actionKeys: ReadonlySet<string> = new Set(
  (
    '_index _id _type routing _routing version _version version_type _version_type if_seq_no if_primary_term retry_on_conflict ' +
    '_source require_alias require_data_stream dynamic_templates'
  ).split(' '),
);

/**
 * Accepts a request on a writable connection that a person has narrowed to some indices. Reads are guarded as everywhere; other requests
 * may only write documents of the index in their path, because it is unknown which indices further ones read or change.
 */
export function acceptNarrowed(request: ClusterRequest, name: string, context: GuardContext): ReadRequest | WriteRequest {
  checkTargetSize(request);
  if (!isDocuments(request)) return readOrRefuse(request, context);
  const { segments, params: given } = parseTarget(request);
  checkIndex(segments[0] ?? '', context);
  const unknown = [...given.keys()].find((param) => !params.has(param));
  if (unknown !== undefined) throw beyond(`the parameter ${unknown} may lead to other indices`);
  if (segments[1] === '_bulk') checkBulk(request.body, context);
  return acceptWrite(request, { name, readonly: context.readonly !== false });
}

/**
 * On versions with document types, `_doc` and `_bulk` may be one, and a word after it a request of its own: `/INDEX/_doc/_mget` reads
 * what its body names.
 */
function isDocuments(request: ClusterRequest): boolean {
  const { segments } = parseTarget(request);
  const [, kind = '', id] = segments;
  const isPlain = id === undefined || (kind !== '_bulk' && !/^_[a-z_]*$/.test(id));
  return segments.length <= 3 && documentPaths.has(kind) && isPlain;
}

function readOrRefuse(request: ClusterRequest, context: GuardContext): ReadRequest {
  try {
    return guardRequest(request, context);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'E_NOT_A_READ') throw error;
    throw beyond(error.message);
  }
}

/** A document has exactly one index. */
function checkIndex(index: unknown, rules: IndexRules): void {
  if (typeof index !== 'string' || /[,*<:]/.test(index)) throw beyond('a document needs one index, by its exact name');
  checkName(index, rules, 'documents');
}

/**
 * Versions differ in which lines they take for actions, so every line with the key of an action is checked as one, and a document that
 * looks like an action is refused.
 */
function checkBulk(body: RequestBody | undefined, rules: IndexRules): void {
  checkBodySize(body);
  for (const line of readLines(body)) {
    const [action] = Object.keys(line).filter((key) => actions.has(key) && isObject(line[key]));
    if (action !== undefined) checkAction(line, line[action], rules);
  }
}

function readLines(body: RequestBody | undefined): readonly Readonly<Record<string, unknown>>[] {
  const lines =
    typeof body === 'string'
      ? body
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map(parseStrict)
      : body;
  if (Array.isArray(lines) && lines.every(isObject)) return lines;
  throw beyond('the body of _bulk must be a list of objects, or a text with one JSON object on each line');
}

function checkAction(line: object, about: unknown, rules: IndexRules): void {
  if (Object.keys(line).length > 1) throw beyond('an action of _bulk must be the only key of its line');
  const keys = isObject(about) ? Object.keys(about) : [];
  const unknown = keys.find((key) => !actionKeys.has(key));
  if (unknown !== undefined)
    throw beyond(`the key ${JSON.stringify(unknown.slice(0, 64))} of an action may lead to other indices`);
  if (keys.includes('_index')) checkIndex(valueAt(about, '_index'), rules);
}

function beyond(why: string): Failure {
  return new Failure('refused', `this connection may use only some indices: ${why}`, {
    code: 'E_INDEX_REFUSED',
    hint: ['Write with /INDEX/_doc, _create, _update or _bulk.', askUser('use a connection without `indices`')],
  });
}
