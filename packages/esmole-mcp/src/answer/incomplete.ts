import { LeftOut, RawNumber } from '@dbmole/core';
import { formatReason, valueAt } from '../call/answer-failure.ts';
import { quoteRemoteName, quoteRemoteText } from '../call/quote-remote-text.ts';
import { isObject } from '../search/hit-table.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Asked {
  /** The request has `terminate_after`. OpenSearch says `terminated_early` also where nothing is missing. */
  terminateAfter: boolean;
  /** The request has `filter_path`: successful items are not in the answer, so their number is meaningless. */
  filtered?: boolean;
}

const partial = 'results are partial.';
/** Characters of a reason, and how many different ones are shown. */
const reasonRoom = 200;
const maxReasons = 3;
/** Clusters and searches that are described one by one. */
const maxDescribed = 3;

/** Describes what a successful answer of any API lacks, as sentences for the first line. */
export function formatIncomplete(answer: unknown, asked: Asked): string[] {
  if (!isObject(answer)) return [];
  const inner = isObject(answer.response) ? [answer, answer.response] : [answer];
  const notes = [...inner.flatMap((one) => formatParts(one, asked)), ...formatItems(answer, asked), ...formatLists(answer)];
  const isPartial = answer.is_partial === true && !notes.some((note) => note.endsWith(partial));
  return [...notes, ...(isPartial ? ['Results are partial.'] : [])];
}

/** Shards, nodes, clusters and time: of an answer, or of one search among several. */
function formatParts(answer: Fields, { terminateAfter }: Pick<Asked, 'terminateAfter'>): string[] {
  const isWait = typeof answer.cluster_name === 'string' && typeof answer.status === 'string';
  const notes = [
    answer.is_running === true ? `It is still running: ${partial}` : '',
    answer.timed_out !== true ? '' : isWait ? 'The wait timed out.' : `It timed out in the cluster: ${partial}`,
    terminateAfter && answer.terminated_early === true ? 'It ended early, as terminate_after asked: counts are partial.' : '',
    formatFailed(answer._shards, 'shards', '_seq_no' in answer),
    formatMissing(answer),
    formatFailed(answer._nodes, 'nodes', false),
    ...formatClusters(answer._clusters),
    answer.complete === false ? `It is not complete: ${partial}` : '',
    answer.acknowledged === false || answer.shards_acknowledged === false
      ? 'The cluster did not acknowledge it in time: it may still take effect.'
      : '',
  ];
  return notes.filter((note) => note !== '');
}

function formatFailed(counts: unknown, what: string, isWrite: boolean, elsewhere?: unknown): string {
  const failed = numberAt(counts, 'failed');
  if (failed === 0) return '';
  const failures = valueAt(counts, ['failures']) ?? elsewhere;
  const why = firstReason(failures) ?? 'no reason';
  return `${failed} of ${numberAt(counts, 'total')} ${what} failed${formatWhere(failures)} (${why})${isWrite ? '.' : `: ${partial}`}`;
}

/** The indices of the shards that failed. */
function formatWhere(failures: unknown): string {
  const list = Array.isArray(failures) ? failures : [];
  const names = [...new Set(list.map((failure) => valueAt(failure, ['index'])).filter((name) => typeof name === 'string'))];
  if (names.length === 0) return '';
  const more = names.length > maxDescribed ? ` and ${names.length - maxDescribed} more` : '';
  return ` in ${names.slice(0, maxDescribed).map(quoteRemoteName).join(', ')}${more}`;
}

/** OpenSearch counts a shard without a copy that works as neither failed nor successful. Elsewhere, copies are counted. */
function formatMissing({ _shards, hits, count, valid }: Fields): string {
  const missing = numberAt(_shards, 'total') - numberAt(_shards, 'successful') - numberAt(_shards, 'failed');
  const isSearch = hits !== undefined || count !== undefined || valid !== undefined;
  return isSearch && isObject(_shards) && 'successful' in _shards && missing > 0
    ? `${missing} of ${numberAt(_shards, 'total')} shards did not answer: ${partial}`
    : '';
}

/** ES|QL and searches over several clusters say it of each one; of the only one there is, its shards say it. */
function formatClusters(clusters: unknown): string[] {
  const details = Object.entries(objectAt(clusters, 'details')).filter(([, one]) => isCut(valueAt(one, ['status'])));
  if (details.length > 0) return details.slice(0, maxDescribed).map(([name, one]) => formatCluster(name, one));
  const missing = ['skipped', 'partial', 'failed'].filter((key) => numberAt(clusters, key) > 0);
  return missing.length === 0
    ? []
    : [`Remote clusters: ${missing.map((key) => `${numberAt(clusters, key)} ${key}`).join(', ')}.`];
}

function isCut(status: unknown): boolean {
  return status === 'partial' || status === 'skipped' || status === 'failed';
}

function formatCluster(name: string, cluster: unknown): string {
  const failures = valueAt(cluster, ['failures']);
  const shards = formatFailed(valueAt(cluster, ['_shards']), 'shards', false, failures);
  if (name === '(local)' && shards !== '') return shards;
  const why = firstReason(failures) ?? 'no reason';
  return `Cluster ${quoteRemoteName(name)}: ${String(valueAt(cluster, ['status']))} (${why}): ${partial}`;
}

/** Each item of a bulk, a search or a document of many has an outcome of its own. */
function formatItems(answer: Fields, asked: Asked): string[] {
  const items = countFailed(answer.items, (item) => (isObject(item) ? Object.values(item)[0] : undefined));
  const isUntold = answer.errors === true && items.failed.length === 0;
  return [
    formatCounted(items, 'item', asked.filtered),
    isUntold ? 'errors is true: not all was done.' : '',
    formatCounted(
      countFailed(answer.responses, (search) => search),
      'search',
    ),
    ...formatSearches(answer.responses, asked),
    formatCounted(countFailed(answer.docs, describeOutcome), 'document', asked.filtered),
  ].filter((note) => note !== '');
}

/** A simulation has it further in. */
function describeOutcome(doc: unknown): unknown {
  const results = valueAt(doc, ['processor_results']);
  const failed = Array.isArray(results) ? results.find((one) => valueAt(one, ['error']) !== undefined) : undefined;
  return failed ?? (valueAt(doc, ['doc', 'error']) === undefined ? doc : valueAt(doc, ['doc']));
}

function formatSearches(responses: unknown, asked: Asked): string[] {
  const searches = Array.isArray(responses) ? responses : [];
  const notes = searches.flatMap((search, at) =>
    isObject(search) ? formatParts(search, asked).map((note) => `Search ${at + 1}: ${note}`) : [],
  );
  return notes.length <= maxDescribed
    ? notes
    : [...notes.slice(0, maxDescribed), `And ${notes.length - maxDescribed} more such notes.`];
}

interface Counted {
  failed: readonly { at: number; outcome: unknown }[];
  total: number;
  areAll: boolean;
}

function countFailed(list: unknown, outcomeAt: (item: unknown) => unknown): Counted {
  const items = Array.isArray(list) ? list : [];
  const last = items.at(-1);
  const kept = last instanceof LeftOut ? items.slice(0, -1) : items;
  const failed = kept
    .map((item, at) => ({ at, outcome: outcomeAt(item) }))
    .filter(({ outcome }) => valueAt(outcome, ['error']) !== undefined);
  return { failed, total: kept.length + (last instanceof LeftOut ? last.items : 0), areAll: kept === items };
}

/** Shows the first of each reason, and where it occurred. */
function formatCounted({ failed, total, areAll }: Counted, what: string, isFiltered = false): string {
  if (failed.length === 0) return '';
  const shown: string[] = [];
  let alike = 0;
  const seen = new Set<string>();
  for (const { at, outcome } of failed) {
    const type = String(valueAt(outcome, ['error', 'type']));
    if (seen.has(type) || shown.length === maxReasons) alike++;
    else shown.push(`${what} ${at + 1}${formatStatus(outcome)} ${readReason(outcome) ?? 'no reason'}`);
    seen.add(type);
  }
  const count = isFiltered ? `${failed.length} ` : `${failed.length}${areAll ? '' : ' or more'} of ${total} `;
  const more = alike === 0 ? '' : `, and ${alike} more${seen.size > shown.length ? '' : ' like it'}`;
  return `${count}${toPlural(what, isFiltered ? failed.length : 2)} failed: ${shown.join('; ')}${more}.`;
}

function formatStatus(outcome: unknown): string {
  const status = valueAt(outcome, ['status']);
  return typeof status === 'number' ? ` (${status})` : '';
}

/** Keys of lists of failures beside a result. */
const lists = ['failures', 'shard_failures', 'node_failures', 'task_failures'] as const;

function formatLists(answer: Fields): string[] {
  return lists.flatMap((key) => {
    const failures = Object.values(isObject(answer[key]) || Array.isArray(answer[key]) ? (answer[key] ?? {}) : {});
    if (failures.length === 0) return [];
    const what = toPlural(key.slice(0, -1).replace('_', ' '), failures.length);
    return [`${failures.length} ${what}: ${firstReason(failures) ?? 'no reason'}.`];
  });
}

function toPlural(noun: string, count: number): string {
  if (count === 1) return noun;
  return noun.endsWith('ch') ? `${noun}es` : `${noun}s`;
}

function firstReason(failures: unknown): string | undefined {
  return Array.isArray(failures) ? readReason(failures[0]) : undefined;
}

/** APIs keep the error in different places. */
const places: readonly (readonly string[])[] = [['error'], ['reason'], ['cause'], ['failure', 'error'], []];

function readReason(failure: unknown): string | undefined {
  for (const place of places) {
    const error = valueAt(failure, place);
    const reason = typeof error === 'object' || place[0] === 'error' ? formatReason({ error }) : undefined;
    if (reason !== undefined) return quoteRemoteText(reason, reasonRoom);
  }
  return undefined;
}

function objectAt(value: unknown, key: string): Fields {
  const found = valueAt(value, [key]);
  return isObject(found) ? found : {};
}

function numberAt(value: unknown, key: string): number {
  const found = valueAt(value, [key]);
  const number = found instanceof RawNumber ? Number(found.text) : found;
  return typeof number === 'number' ? number : 0;
}
