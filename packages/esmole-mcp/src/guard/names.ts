import { Failure, nearestNames } from '@dbmole/core';

/** What a connection says about indices. */
export interface IndexRules {
  /** The only ones that may be named, as names or patterns; undefined means all. */
  readonly indices?: readonly string[] | undefined;
  /** Whether hidden ones, those of the cluster itself among them, may be read. */
  readonly systemIndices: boolean;
}

/** A template's slot only asks whether this can be meant as names of indices at all. */
export function looksLikeIndices(text: string): boolean {
  return text === '_all' || text.split(',').every((part) => part !== '' && !part.startsWith('_'));
}

/** Names of other things than indices, which may be patterns. */
export function isResourceList(text: string): boolean {
  return text === '_all' || text.split(',').every((part) => /^(?!_)[^\s\\/?#"<>|]+$/.test(part));
}

/** Everything but the hidden: a plain `*` finds those as well. Data streams keep their documents in indices that are hidden too. */
export const everythingVisible = '*,-.*,.ds-*,-.ds-.*';

/** What may be read of the documents: some of them, or only that there are such indices. */
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

/** Behind another name, a minus takes away from the patterns before it. */
function checkNameAt(name: string, at: number, rules: IndexRules, depth: Depth): void {
  if (at === 0 || !name.startsWith('-')) checkName(name, rules, depth);
  else if (findShapeProblem(name.slice(1)) !== undefined) throw nameFailure(name, 'excludes something that no index is called');
}

/** One name that is not a list and that a body mentions: of a lookup, of a document. */
export function checkName(name: string, rules: IndexRules, depth: Depth): void {
  const problem = findShapeProblem(name) ?? findHiddenProblem(name, rules, depth);
  if (problem !== undefined) throw nameFailure(name, problem);
  if (rules.indices === undefined || isCovered(name, rules.indices)) return;
  throw new Failure('refused', `${JSON.stringify(name.slice(0, 100))} is not among the indices that this connection may read`, {
    code: 'E_INDEX_REFUSED',
    hint: `It may read ${formatSome(rules.indices)}; a person can change that.`,
    nearest: nearestNames(name, rules.indices),
  });
}

function formatSome(names: readonly string[]): string {
  return names.length <= 8 ? names.join(', ') : `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`;
}

/** What stands under a key like `index` in the depth of a query, and may be a value of the user's instead. */
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
  // Where the last star was, and how far it reaches.
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
  if (indices.length === 0) throw nameFailure('*', 'means nothing, as this connection may read no index');
  const several = indices.find(meansSeveralClusters);
  if (several !== undefined) throw nameFailure(several, severalClusters);
  const unclear = visible && indices.find((pattern) => pattern !== '*' && findLeadingStar(pattern));
  if (unclear) throw nameFailure(unclear, leadingStar);
  return indices.map((pattern) => (pattern === '*' ? (visible ?? '*') : pattern)).join(',');
}

/** With a cluster before it, or date math around it. */
const longestName = 512;

function findShapeProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > longestName) return `is longer than a name can be (${name.length} characters, at most ${longestName})`;
  if (/[\s\\"|?#%;,]|\p{Cc}/u.test(name)) return 'has a character that no index can have';
  if (name.startsWith('<')) return findDateProblem(name);
  if (/[<>{}/]/.test(name)) return 'has a character that no index can have';
  if (/^[_+]/.test(name)) return `begins with ${name.charAt(0)}`;
  if (!/^(?:[^:.][^:]*:)?[^:]+$/.test(withoutSelector(name))) return 'has a colon that ends no name of a cluster';
  return name.startsWith('-') ? 'begins with -, which excludes something and can only come after a pattern' : undefined;
}

/** What is written in braces becomes a date, unless a quoted text or a backslash makes it something else. */
function findDateProblem(name: string): string | undefined {
  const plain = /^<[^\W_][^<>{}\\'"*,]*(?:\{now[^<>{}\\'"]*(?:\{[^<>{}\\'"]*\})?\}[^<>{}\\'"*,]*)*>$/u;
  return plain.test(name) ? undefined : 'is date math that does not begin with a letter, or has quotes or backslashes';
}

const leadingStar = 'also finds hidden indices; begin it with a letter, or use a plain *';

/** Where there is no such cluster, what is left are no names at all, and those mean every index of this one. */
const severalClusters = 'has a pattern for the cluster, which means all of this one where it finds none; name the cluster';

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
    return 'is a hidden index: a name that begins with a dot is of the cluster itself';
  if (depth !== 'documents' || !findLeadingStar(name)) return undefined;
  return index === '*' ? 'also finds hidden indices; name those that are meant' : leadingStar;
}

function findLeadingStar(name: string): boolean {
  return splitCluster(name).index.startsWith('*');
}

/** Of a data stream that is not hidden itself: its documents are those of the stream. */
function isBacking(index: string): boolean {
  return /^\.[df]s-[^.*]/.test(index);
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

/** Which half of a data stream is meant. */
function withoutSelector(name: string): string {
  return name.replace(/::(?:data|failures)$/, '');
}

function nameFailure(name: string, problem: string): Failure {
  return new Failure('refused', `the index name ${JSON.stringify(name.slice(0, 100))} ${problem}`, {
    code: 'E_INDEX_REFUSED',
    hint: /hidden|cluster/.test(problem)
      ? 'A person can allow hidden indices with "systemIndices": true; a tool cannot.'
      : 'Name indices, aliases or data streams, separated by commas.',
  });
}
