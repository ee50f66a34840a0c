import type { Answer, AnswerLimits } from '../answer/answer.ts';
import type { DocumentRead, ReadRequest } from '../call/cluster-request.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { listTexts, valueAt } from '../guard/body/walk-json.ts';
import { readPitNames } from '../guard/pit-id.ts';
import { checkQueryText, listQuerySources } from './check-query-text.ts';
import { checkSearch } from './check-search.ts';
import type { AskCluster, FieldPolicy } from './field-policy.ts';
import { FieldTable } from './field-table.ts';
import { listDocumentIndices, listMentionedIndices } from './mentioned-indices.ts';
import { type AggregationPlan, hasUnplacedHits, listHitIndices, protectAnswer } from './protect-answer.ts';
import { readLines } from './read-lines.ts';
import { refuseField } from './refuse-field.ts';

type Plans = ReadonlyMap<string, AggregationPlan>;

interface ProtectedRead {
  request: ReadRequest;
  send(request: ReadRequest, limits?: AnswerLimits): Promise<Answer>;
  ask: AskCluster;
}

type Check = (request: Pick<ReadRequest, 'params'> & { body: unknown }, table: FieldTable) => Plans;

const harmless: Check = () => new Map();
const asSearch: Check = ({ body, params }, table) => checkSearch(body, params, table);

/** How a request is checked, by the words of its path. What is not here shows documents in a form that is not traced. */
const checks: Readonly<Record<string, Check>> = {
  _search: asSearch,
  _knn_search: asSearch,
  _count: asSearch,
  _field_caps: asSearch,
  _pit: asSearch,
  '_search/point_in_time': harmless,
  '_cat/count': harmless,
  '_sql/translate': harmless,
  _doc: harmless,
  _source: harmless,
  _mget: harmless,
  '_eql/search': ({ body }, table) => checkEvents(body, table),
  _query: ({ body }, table) => checkQueryText('_query', body, table),
  _sql: ({ body }, table) => checkQueryText('_sql', body, table),
  _terms_enum({ body }, table) {
    if (listTexts(valueAt(body, 'field')).some((field) => table.findNamed(field) !== undefined))
      throw refuseField('the request would show values of a protected field');
    return checkSearch({ query: valueAt(body, 'index_filter') }, new Map(), table);
  },
  '_validate/query'({ body, params }, table) {
    if (!['explain', 'rewrite'].some((name) => params.has(name))) return checkSearch(body, params, table);
    throw refuseField('"explain" and "rewrite" would show terms of protected fields');
  },
};

/** Sends a read and shows its documents as the policy says, or refuses it. */
export async function readProtected(
  policy: FieldPolicy,
  { request, send, ask }: ProtectedRead,
  limits?: AnswerLimits,
): Promise<Answer> {
  const { reads } = request;
  if (reads === undefined) return await send(request, limits);
  const given = request.params.get('expand_wildcards');
  const openTable: OpenTable = (names, expand = given) => policy.readTable({ names, expand }, ask);
  const { table, aggregations } = await checkRead(request, reads, openTable);
  const answer = await send(request, limits);
  if (reads.words === '_field_caps') return answer;
  const unread = listHitIndices(answer.json).filter((index) => !table.has(index));
  // Hits of indices that were created meanwhile, or that the request named by an id alone.
  const whole = unread.length === 0 ? table : table.with(await openTable(unread.join(',')));
  const isUnknown = unread.some((index) => !whole.has(index)) || (whole.isEmpty && hasUnplacedHits(answer.json));
  if (isUnknown) throw refuseField('the index of some documents is not known; leave "filter_path" out');
  return protect(answer, { policy, request, reads, table: whole, aggregations });
}

/** Query texts, whose answers may be tables. */
const textWords: ReadonlySet<string> = new Set(['_query', '_sql']);

interface Shown {
  policy: FieldPolicy;
  request: ReadRequest;
  reads: DocumentRead;
  table: FieldTable;
  aggregations: readonly Plans[];
}

function protect(answer: Answer, { policy, request, reads, table, aggregations }: Shown): Answer {
  if (answer.json === undefined) {
    const isTable = reads.words === '_cat/count' || (textWords.has(reads.words) && !table.hasProtected);
    if (answer.text === '' || answer.status >= 400 || isTable) return answer;
    throw refuseField('the answer is not JSON, so that its fields cannot be traced; leave "format" out');
  }
  const sourceOf = reads.words === '_source' && answer.status === 200 ? request.segments[0] : undefined;
  const { json, note } = protectAnswer(answer.json, { table, protect: policy.protect, aggregations, sourceOf });
  return { ...answer, json, text: '', ...(note !== undefined && { policyNote: note }) };
}

interface Checked {
  table: FieldTable;
  aggregations: readonly Plans[];
}

type OpenTable = (names: string | undefined, expand?: string) => Promise<FieldTable>;

async function checkRead(request: ReadRequest, reads: DocumentRead, openTable: OpenTable): Promise<Checked> {
  const { words } = reads;
  // It continues a search that was checked; its hits say which index they are of.
  if (words === '_search/scroll') return { table: new FieldTable(new Map(), false), aggregations: [] };
  if (words === '_msearch') return await checkSearches(request, reads, openTable);
  const { body: given, params } = request;
  const body = typeof given === 'string' ? parseStrict(given) : given;
  const sources = textWords.has(words) ? listQuerySources(words, body) : undefined;
  if (sources?.length === 0) return { table: new FieldTable(new Map(), false), aggregations: [] };
  const names = findPitNames(body) ?? reads.names ?? sources?.join(',');
  const table = await openWhole(names, body, openTable);
  if (words === '_query') checkKnown(sources, table);
  const check = checks[words];
  // Without names, hidden indices could be read as well.
  if (check === undefined && (table.hasProtected || names === undefined))
    throw refuseField(`${words} shows values in a form that cannot be traced, and fields of the index are protected`);
  return { table, aggregations: check === undefined || !table.hasProtected ? [] : [check({ body, params }, table)] };
}

/** With the indices that the body names: those of its documents, and those in which a query looks up values. */
async function openWhole(names: string | undefined, body: unknown, openTable: OpenTable): Promise<FieldTable> {
  const documents = listDocumentIndices(body).join(',');
  const mentioned = listMentionedIndices(body).join(',');
  // Without an index in the path, each document has one of its own.
  const table = await openTable(names ?? (documents === '' ? undefined : documents));
  const more = names === undefined || documents === '' ? [mentioned] : [documents, mentioned];
  const tables = await Promise.all(more.filter((each) => each !== '').map((each) => openTable(each)));
  return tables.reduce((all, each) => all.with(each), table);
}

/** A name that no index has may belong to a view, which reads others. */
function checkKnown(sources: readonly string[] = [], table: FieldTable): void {
  const unknown = sources.find((name) => !/^-|[*<]/.test(name) && !table.knows(name.replace(/::(?:data|failures)$/, '')));
  if (unknown === undefined) return;
  throw refuseField(
    `there is no index, alias or data stream ${JSON.stringify(unknown.slice(0, 100))}; fields of views cannot be traced`,
  );
}

/** Each search has a header that may name indices of its own. */
async function checkSearches({ body, params }: ReadRequest, { names }: DocumentRead, openTable: OpenTable): Promise<Checked> {
  const lines = readLines(body);
  let table = new FieldTable(new Map(), false);
  const aggregations: Plans[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const header = lines[at];
    const own = [...listTexts(valueAt(header, 'index')), ...listTexts(valueAt(header, 'indices'))].join(',');
    const named = findPitNames(lines[at + 1]) ?? (own === '' ? names : own);
    const expand = listTexts(valueAt(header, 'expand_wildcards')).join(',');
    const one = await openWhole(named, lines[at + 1], (each) => openTable(each, expand === '' ? undefined : expand));
    aggregations.push(one.hasProtected ? checkSearch(lines[at + 1], params, one) : new Map());
    table = table.with(one);
  }
  return { table, aggregations };
}

/** The keys of a sequence are values of the fields that join it. */
function checkEvents(body: unknown, table: FieldTable): Plans {
  if (valueAt(body, 'runtime_mappings') !== undefined)
    throw refuseField('"runtime_mappings" can compute values from protected fields');
  const query = String(valueAt(body, 'query') ?? '');
  const quoted = query.split('`').map((part) => part.trim());
  const words = [...(query.match(/[\p{L}\p{N}_@$.*-]+/gu) ?? []), ...quoted];
  const found = words.find((word) => table.findNamed(word) !== undefined);
  if (found === undefined) return checkSearch({ query: valueAt(body, 'filter') }, new Map(), table);
  throw refuseField(`the query names the protected field ${found}, which would be a key of its sequences`);
}

/** A point in time has the names of its indices in its id. */
function findPitNames(body: unknown): string | undefined {
  const id = valueAt(valueAt(body, 'pit'), 'id');
  if (typeof id !== 'string') return undefined;
  const names = readPitNames(id);
  if (names === undefined)
    throw refuseField('the indices of the point in time cannot be read, and this connection protects fields');
  return names.join(',');
}
