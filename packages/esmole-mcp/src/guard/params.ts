/** The names of parameters that go together. Never here: what changes something, `source`, which is a body, and names of indices. */
const wait = 'master_timeout cluster_manager_timeout local';
const pick = 'ignore_unavailable allow_no_indices expand_wildcards ignore_throttled';
const query = `q df analyzer analyze_wildcard default_operator lenient ${pick}`;
const source = '_source _source_includes _source_excludes stored_fields';
const totals = 'typed_keys rest_total_hits_as_int';
const fanOut = 'max_concurrent_shard_requests pre_filter_shard_size ccs_minimize_roundtrips search_type routing';
const search = `${query} ${source} ${totals} ${fanOut} from size sort timeout terminate_after track_total_hits track_scores docvalue_fields explain version seq_no_primary_term preference request_cache allow_partial_search_results batched_reduce_size min_compatible_shard_node suggest_field suggest_mode suggest_size suggest_text include_named_queries_score force_synthetic_source cancel_after_time_interval phase_took scroll`;
const lines = `${pick} ${totals} ${fanOut} max_concurrent_searches`;
const document = `${source} preference realtime routing version version_type force_synthetic_source`;
const vectors =
  'fields offsets payloads positions term_statistics field_statistics preference realtime routing version version_type';
const describe = `${pick} ${wait} flat_settings include_defaults include_type_name`;
const cat = `v h s help bytes time ${wait}`;
const catIndices = `${cat} ${pick}`;
const templates = `${wait} flat_settings include_defaults include_type_name`;

/** The lists are keyed by the request that takes them. */
export const lists = {
  wait,
  totals,
  pick,
  search,
  lines,
  document,
  vectors,
  describe,
  templates,
  cat,
  catSegments: catIndices,
  count: `${query} min_score preference routing terminate_after`,
  validate: `${query} explain rewrite all_shards`,
  fieldCaps: `${pick} fields filters types include_unmapped include_empty_fields`,
  ratings: `${pick} search_type`,
  shards: `${pick} ${wait} preference routing`,
  events: `${pick} ccs_minimize_roundtrips allow_partial_search_results allow_partial_sequence_results`,
  rows: 'delimiter drop_null_columns allow_partial_results',
  kept: 'wait_for_completion_timeout',
  structure:
    'charset column_names delimiter ecs_compatibility explain grok_pattern has_header_row line_merge_size_limit lines_to_sample quote should_trim_fields timeout timestamp_field timestamp_format',
  connectors: 'from size index_name connector_name service_type query include_deleted',
  sync: 'from size status connector_id job_type',
  keys: 'id name username realm_name owner with_limited_by active_only with_profile_uid',
  scroll: 'scroll scroll_id rest_total_hits_as_int',
  pit: `${pick} keep_alive preference routing allow_partial_search_results max_concurrent_shard_requests`,
  pitOfOpenSearch: 'keep_alive preference routing expand_wildcards allow_partial_pit_creation',
  explain: `${query} ${source} preference routing`,
  vectorsOfMany: `${vectors} ids`,
  index: `${describe} features`,
  aliases: `${pick} ${wait}`,
  statistics: `${pick} level fields completion_fields fielddata_fields groups include_segment_file_sizes include_unloaded_segments forbid_closed_indices`,
  segments: `${pick} verbose`,
  recovery: `${pick} active_only detailed`,
  stores: `${pick} status`,
  usage: `${pick} fields`,
  ilm: `${wait} only_errors only_managed`,
  lifecycle: `${wait} include_defaults`,
  streams: `${wait} expand_wildcards include_defaults verbose`,
  streamStats: `${wait} expand_wildcards`,
  resolve: `${pick} timeout`,
  page: 'from size allow_no_match',
  health: `${wait} level timeout expand_wildcards wait_for_status wait_for_nodes wait_for_active_shards wait_for_no_relocating_shards wait_for_no_initializing_shards wait_for_events`,
  allocation: 'include_yes_decisions include_disk_info master_timeout',
  state: `${pick} ${wait} flat_settings`,
  nodeStatistics: 'timeout level fields completion_fields fielddata_fields groups include_segment_file_sizes types',
  hotThreads: 'timeout interval snapshots threads ignore_idle_threads type sort',
  tasks: 'actions nodes parent_task_id group_by timeout detailed',
  snapshots:
    'ignore_unavailable verbose index_details index_names sort size order after offset from_sort_value slm_policy_filter master_timeout',
  catIndices: `${catIndices} health pri include_unloaded_segments`,
  catRecovery: `${cat} active_only detailed`,
  catReplication: `${cat} active_only detailed shards`,
  catTasks: `${cat} actions nodes parent_task_id detailed`,
  catJobs: `${cat} from size allow_no_match`,
  catNodes: `${cat} full_id include_unloaded_segments timeout`,
  listIndices: `${catIndices} health pri next_token size sort`,
  listShards: `${cat} next_token size sort`,
};

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
