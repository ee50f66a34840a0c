/** The values of a parameter, and their description for messages. */
interface ParamRule {
  readonly takes: (value: string) => boolean;
  readonly words: string;
}

const anything: ParamRule = { takes: () => true, words: 'text' };
const flag: ParamRule = { takes: (value) => /^(?:|true|false)$/.test(value), words: 'true or false' };
const number: ParamRule = { takes: (value) => /^-?\d{1,12}(?:\.\d{1,12})?$/.test(value), words: 'a number' };
const time: ParamRule = { takes: isTime, words: 'a duration such as 30s, at most one hour' };
/** Open scrolls and points in time cost the cluster memory, and are easily forgotten. */
const shortTime: ParamRule = { takes: isShortTime, words: 'a duration such as 5m, at most one hour' };
/** A node that looks at its threads does nothing else for others that ask about it. */
const moment: ParamRule = { takes: (value) => isShortTime(value, 10), words: 'a duration such as 500ms, at most ten seconds' };
const few: ParamRule = { takes: (value) => /^(?:\d{1,2}|100)$/.test(value), words: 'a number up to 100' };
const words = (list: string): ParamRule => {
  const known = list.split(' ');
  return { takes: (value) => value.split(',').every((word) => known.includes(word)), words: known.join(', ') };
};
const flagOr = (list: string): ParamRule => ({
  takes: (value) => flag.takes(value) || words(list).takes(value),
  words: `true, false or ${words(list).words}`,
});

/** Every answer may be formatted. */
const always = 'pretty human error_trace filter_path format';

/** The parameters whose value matters; every other parameter of the table takes any text. */
const rules: Readonly<Record<string, ParamRule>> = {
  format: words('json text txt csv tsv yaml'),
  scroll: shortTime,
  scroll_id: { takes: isCursor, words: 'an ID returned by a search' },
  keep_alive: shortTime,
  timeout: time,
  master_timeout: time,
  cluster_manager_timeout: time,
  cancel_after_time_interval: time,
  wait_for_completion_timeout: time,
  flush: words('false'),
  interval: moment,
  snapshots: few,
  expand_wildcards: words('open closed none'),
  search_type: words('query_then_fetch dfs_query_then_fetch'),
  from: number,
  size: number,
  terminate_after: number,
  batched_reduce_size: number,
  pre_filter_shard_size: number,
  max_concurrent_searches: number,
  max_concurrent_shard_requests: number,
  track_total_hits: { takes: (value) => flag.takes(value) || number.takes(value), words: 'true, false or a number' },
  level: words('cluster node indices shards'),
  default_operator: words('AND OR and or'),
  verbose: flag,
  features: flagOr('aliases mappings settings'),
  ...Object.fromEntries(
    'pretty human error_trace request_cache realtime ignore_unavailable allow_no_indices ignore_throttled explain local detailed'
      .split(' ')
      .map((name) => [name, flag]),
  ),
};

/** The values for a connection that may read hidden indices. */
const hiddenWildcards = words('open closed none hidden all');

/** Finds a parameter that the request may not take, or a value that it may not have; undefined without one. */
export function findParamProblem(
  params: ReadonlyMap<string, string>,
  allowed: string,
  systemIndices: boolean,
): ParamProblem | undefined {
  const known = listNames(allowed);
  for (const [name, value] of params) {
    if (!known.includes(name)) return { name, problem: `cannot be used with the parameter ${name}`, known };
    const rule = findRule(name, systemIndices);
    if (!rule.takes(value))
      return { name, problem: `cannot be used with ${name}=${value.slice(0, 60)}: expected ${rule.words}`, known };
  }
  return undefined;
}

export interface ParamProblem {
  readonly name: string;
  readonly problem: string;
  readonly known: readonly string[];
}

export function listNames(allowed: string): readonly string[] {
  return [...allowed.split(' '), ...always.split(' ')].filter((name) => name !== '');
}

/** The same rule holds where a body says it. */
export function isShortTime(value: string, mostSeconds = 3600): boolean {
  const [, digits, unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  const seconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
  return digits !== undefined && Number(digits) * (seconds[unit] ?? Infinity) <= mostSeconds;
}

/** Whether the text can be the id of a scroll or a point in time, which only its owner knows. `_all` is not one. */
export function isCursor(value: string): boolean {
  return /^[\w=+/-]{16,}$/.test(value);
}

/** The cluster continues a wait even after the client has disconnected. */
function isTime(value: string): boolean {
  return value === '0' || /^\d{1,9}(?:nanos|micros)$/.test(value) || isShortTime(value);
}

function findRule(name: string, systemIndices: boolean): ParamRule {
  if (name === 'expand_wildcards' && systemIndices) return hiddenWildcards;
  return Object.hasOwn(rules, name) ? (rules[name] ?? anything) : anything;
}
