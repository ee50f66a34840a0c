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
