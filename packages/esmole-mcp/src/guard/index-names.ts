import { askUser, Failure, nearestNames } from '@dbmole/core';

/** The rules of a connection for indices. */
export interface IndexRules {
  /** The only ones that may be named, as names or patterns; undefined means all. */
  readonly indices?: readonly string[] | undefined;
  /** Whether hidden ones, those of the cluster itself among them, may be read. */
  readonly systemIndices: boolean;
  /** Whether requests may ask models, which may be services outside the cluster. */
  readonly models?: boolean | undefined;
}

/** A template's slot only asks whether this can be meant as names of indices at all. */
export function looksLikeIndices(text: string): boolean {
  return text === '_all' || text.split(',').every((part) => part !== '' && !part.startsWith('_'));
}

/** Names of other things than indices, which may be patterns. */
export function isResourceList(text: string): boolean {
  return text === '_all' || text.split(',').every((part) => /^(?!_)[^\s\\/?#"<>|]+$/.test(part));
}

/**
 * Everything that is not hidden: a plain `*` finds hidden indices as well. Data streams keep their documents in indices that are
 * hidden too.
 */
export const everythingVisible = '*,-.*,.ds-*,-.ds-.*';

/** The depth of a read: documents, or only the existence and settings of indices. */
export type Depth = 'documents' | 'descriptions';

/**
 * The names to send. Undefined, `_all` and `*` mean everything, and are narrowed to what this connection may read. Throws
 * `E_INDEX_REFUSED` when they name something else.
 */
export function narrowNames(text: string | undefined, rules: IndexRules, depth: Depth): string | undefined {
  if (text === undefined || text === '_all') return formatEverything(rules, depth) ?? text;
  const names = text.replace(everythingVisible, '*').split(',');
  return names.map((name, at) => narrowName(name, at, rules, depth)).join(',');
}

function narrowName(name: string, at: number, rules: IndexRules, depth: Depth): string {
  if (name === '*') return formatEverything(rules, depth) ?? name;
  checkNameAt(name, at, rules, depth);
  return name;
}

/** The names of one list, in a text that is sent as it is: what means everything is refused there. */
export function checkNames(names: readonly string[], rules: IndexRules): void {
  for (const [at, name] of names.entries()) checkNameAt(name, at, rules, 'documents');
}

/** After another name, a minus excludes from the patterns before it. */
function checkNameAt(name: string, at: number, rules: IndexRules, depth: Depth): void {
  if (at === 0 || !name.startsWith('-')) checkName(name, rules, depth);
  else if (findShapeProblem(name.slice(1)) !== undefined) throw nameFailure(name, 'excludes an invalid index name');
}

/** Checks a single name that a body mentions, such as the index of a lookup. */
export function checkName(name: string, rules: IndexRules, depth: Depth): void {
  const problem = findShapeProblem(name) ?? findHiddenProblem(name, rules, depth);
  if (problem !== undefined) throw nameFailure(name, problem);
  if (rules.indices === undefined || isCovered(name, rules.indices)) return;
  throw new Failure('refused', `${JSON.stringify(name.slice(0, 100))} is not among the indices that this connection may read`, {
    code: 'E_INDEX_REFUSED',
    hint: [`Use ${formatSome(rules.indices)}.`, askUser('add it to `indices` of the connection')],
    nearest: nearestNames(name, rules.indices),
  });
}

/** Whether an answer may name this index: a connection speaks of no others than it may read. */
export function mayName(name: string, rules: IndexRules): boolean {
  if (findHiddenProblem(name, rules, 'descriptions') !== undefined) return false;
  return rules.indices === undefined || isCovered(name, rules.indices);
}

function formatSome(names: readonly string[]): string {
  return names.length <= 8 ? names.join(', ') : `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`;
}

/** Checks the value of a key like `index` inside of a query. It may be a value of the user's instead of a name. */
export function checkMention(text: string, rules: IndexRules): void {
  for (const name of text.split(',')) {
    if (rules.indices !== undefined) checkName(name, rules, 'documents');
    const suspicious = /^\s*(?:<|\.)|:\s*\./.test(name);
    const problem = suspicious ? findHiddenProblem(name.trim(), rules, 'documents') : undefined;
    if (problem !== undefined) throw nameFailure(name, problem);
  }
}

/** Whether the pattern takes all that the name, which may be a pattern too, can mean. No `*` reaches over a `:`. */
export function covers(pattern: string, name: string): boolean {
  let [at, from] = [0, 0];
  // The position of the last star, and how far it reaches.
  let [star, reach] = [-1, 0];
  while (at < name.length || from < pattern.length) {
    if (pattern[from] === '*') [star, reach, from] = [from, at, from + 1];
    else if (at < name.length && pattern[from] === name[at]) [at, from] = [at + 1, from + 1];
    else if (star === -1 || reach === name.length || name[reach] === ':') return false;
    else [reach, at, from] = [reach + 1, reach + 1, star + 1];
  }
  return true;
}

function formatEverything({ indices, systemIndices }: IndexRules, depth: Depth): string | undefined {
  const visible = systemIndices || depth === 'descriptions' ? undefined : everythingVisible;
  if (indices === undefined) return visible;
  if (indices.length === 0) throw nameFailure('*', 'matches nothing: this connection may read no index');
  const several = indices.find(meansSeveralClusters);
  if (several !== undefined) throw nameFailure(several, severalClusters);
  const unclear = visible && indices.find((pattern) => pattern !== '*' && findLeadingStar(pattern));
  if (unclear) throw nameFailure(unclear, leadingStar);
  return indices.map((pattern) => (pattern === '*' ? (visible ?? '*') : pattern)).join(',');
}

/** The limit includes a cluster prefix and date math. */
const maxNameLength = 512;

export function isIndexName(name: string): boolean {
  return findShapeProblem(name) === undefined;
}

function findShapeProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > maxNameLength) return `is too long (${name.length} characters, at most ${maxNameLength})`;
  if (/[\s\\"?#%;,]|\p{Cc}/u.test(name)) return 'has a character that an index name cannot contain';
  if (name.startsWith('<')) return findDateProblem(name);
  if (/[<>{}/|]/.test(name)) return 'has a character that an index name cannot contain';
  // Of a remote cluster, `_all` has the hidden indices as well.
  const [, first] = /^(?:[^:]*:)?([_+])/.exec(name) ?? [];
  if (first !== undefined) return `begins with ${first}`;
  if (!/^(?:[^:.][^:]*:)?[^:]+$/.test(withoutSelector(name))) return 'has a colon that does not follow the name of a cluster';
  return name.startsWith('-') ? 'begins with -: an exclusion must follow a pattern' : undefined;
}

/**
 * Braces contain a date, unless a quoted text or a backslash makes it something else. Some versions look for the colon of a cluster in
 * what the date becomes.
 */
function findDateProblem(name: string): string | undefined {
  const plain = /^<[^\W_][^<>{}\\'"*:|]*(?:\{now[^<>{}\\'"*:|]*(?:\{[^<>{}\\'"*:|]*(?:\|[+:\w/-]*)?\})?\}[^<>{}\\'"*:|]*)*>$/u;
  return plain.test(name)
    ? undefined
    : 'is invalid date math: expected a letter first, no quotes or backslashes, and a colon only in a time zone';
}

const leadingStar = 'also matches hidden indices; begin it with a letter, or use a plain *';

/** If no cluster matches, no names are left, and an empty list means every index of this cluster. */
const severalClusters =
  'has a pattern for the cluster: if none matches it, all indices of this cluster would be read; name the cluster';

function meansSeveralClusters(name: string): boolean {
  return splitCluster(name).cluster?.includes('*') === true;
}

function findHiddenProblem(name: string, { indices, systemIndices }: IndexRules, depth: Depth): string | undefined {
  const { index } = splitCluster(name);
  if (systemIndices && indices === undefined) return undefined;
  if (meansSeveralClusters(name)) return severalClusters;
  if (indices?.some((pattern) => pattern.startsWith('.') && covers(pattern, index)) || systemIndices) return undefined;
  if (name.startsWith('<')) return findDateProblem(name);
  if (index.startsWith('.') && !isBacking(index))
    return 'is a hidden index: names that begin with a dot belong to the cluster itself';
  if (depth !== 'documents' || !findLeadingStar(name)) return undefined;
  return index === '*' ? 'also matches hidden indices; name the ones that you need' : leadingStar;
}

function findLeadingStar(name: string): boolean {
  return splitCluster(name).index.startsWith('*');
}

/** A backing index of a data stream that is not hidden itself: its documents are those of the stream. */
function isBacking(index: string): boolean {
  return /^\.[df]s-[^.*]/.test(index);
}

/** What every one of these lists allows. Two patterns that only overlap allow nothing together. */
export function intersectLists(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const [first, ...others] = lists.filter((list) => list !== undefined);
  return first && others.reduce((a, b) => intersect(a, b), first);
}

function intersect(a: readonly string[], b: readonly string[]): readonly string[] {
  const within = (inner: readonly string[], outer: readonly string[]) => inner.filter((one) => isCovered(one, outer));
  return [...new Set([...within(a, b), ...within(b, a)])];
}

function isCovered(name: string, patterns: readonly string[]): boolean {
  const { cluster, index } = splitCluster(withoutSelector(name));
  const stream = /^\.[df]s-([^*]+?)(?:-\d{4}\.\d{2}\.\d{2})?-\d{6}$/.exec(index)?.[1];
  const known = [index, ...(stream === undefined ? [] : [stream])].map(widenDate);
  return known.some((text) => patterns.some((pattern) => covers(pattern, cluster === undefined ? text : `${cluster}:${text}`)));
}

/** A date can be anything, so whatever takes it must take any text in its place. */
function widenDate(name: string): string {
  return name.startsWith('<') ? name.slice(1, -1).replace(/\{[^{}]*(?:\{[^{}]*\})?\}/g, '*') : name;
}

function splitCluster(name: string): { cluster: string | undefined; index: string } {
  const at = name.startsWith('<') ? -1 : withoutSelector(name).indexOf(':');
  return at === -1 ? { cluster: undefined, index: name } : { cluster: name.slice(0, at), index: name.slice(at + 1) };
}

/** The selector names one half of a data stream. */
function withoutSelector(name: string): string {
  return name.replace(/::(?:data|failures)$/, '');
}

function nameFailure(name: string, problem: string): Failure {
  return new Failure('refused', `the index name ${JSON.stringify(name.slice(0, 100))} ${problem}`, {
    code: 'E_INDEX_REFUSED',
    hint: /hidden|cluster/.test(problem)
      ? askUser('set `systemIndices` to true on the connection')
      : 'Name indices, aliases or data streams, separated by commas.',
  });
}
