import { openSearchRoutes } from './opensearch-routes.ts';
import { lists } from './params.ts';
import type { Line } from './route-line.ts';
import { parseTemplates, type Template } from './route-template.ts';
import { parseWhere, type Range } from './route-versions.ts';

/**
 * From these versions on, no part of a path can be a document type; before, a build without the module would take it for one, and
 * write.
 */
const untyped = 'es 8.0+, os 2.0+';
/** Before 7.10, a setting could remove the route. For graphs, a setting still can in all of 7. */
const switched = 'xp 7.10+';
/** In these versions, the words are routes of their own, and not document types. */
const named = 'es 7.0+, os 1.0+';

/** All that a read-only connection can do. What is not here is refused. */
export const table: readonly Line[] = [
  // Searching
  { allow: 'GET POST [/{index}]/_search', tells: 'documents', params: lists.search, body: 'search' },
  { allow: 'GET POST [/{index}]/_msearch', tells: 'documents', params: lists.lines, body: 'searches' },
  { allow: 'GET POST [/{index}]/_count', tells: 'documents', params: lists.count, body: 'search' },
  { allow: 'GET POST [/{index}]/_validate/query', tells: 'documents', params: lists.validate, body: 'search', isStrict: true },
  { allow: 'GET POST [/{index}]/_field_caps', tells: 'documents', params: lists.fieldCaps, body: 'search' },
  { allow: 'GET [/{index}]/_rank_eval', tells: 'documents', params: lists.ratings, body: 'ratings' },
  { allow: 'POST [/{index}]/_rank_eval', tells: 'documents', params: lists.ratings, body: 'ratings', where: untyped },
  { allow: 'GET POST [/{index}]/_search_shards', tells: 'descriptions', params: lists.shards },
  { allow: 'GET [/{index}]/_search/template', tells: 'documents', params: lists.search, body: 'template' },
  { allow: 'POST [/{index}]/_search/template', tells: 'documents', params: lists.search, body: 'template', where: untyped },
  { allow: 'GET [/{index}]/_msearch/template', tells: 'documents', params: lists.lines, body: 'templates' },
  { allow: 'POST [/{index}]/_msearch/template', tells: 'documents', params: lists.lines, body: 'templates', where: untyped },
  { allow: 'GET POST /_render/template[/{name}]', tells: 'nothing', body: 'rendering' },
  { allow: 'GET POST /{index}/_terms_enum', tells: 'documents', body: 'search', where: 'es 7.14+' },
  { allow: 'GET POST /{index}/_knn_search', tells: 'documents', params: 'routing', body: 'search', where: 'es 8.0-8' },
  { allow: 'GET /{index}/_graph/explore', tells: 'documents', params: 'routing timeout', body: 'search', where: 'xp 7.0+' },
  { allow: 'POST /{index}/_graph/explore', tells: 'documents', params: 'routing timeout', body: 'search', where: 'es 8.0+' },
  { allow: 'GET /{index}/_rollup_search', tells: 'documents', params: lists.totals, body: 'search', where: 'xp 7.0+' },
  { allow: 'POST /{index}/_rollup_search', tells: 'documents', params: lists.totals, body: 'search', where: switched },
  { allow: 'GET /{index}/_eql/search', tells: 'documents', params: lists.events, body: 'eql', where: 'xp 7.9+' },
  { allow: 'POST /{index}/_eql/search', tells: 'documents', params: lists.events, body: 'eql', where: switched },
  { allow: 'GET POST /_sql', tells: 'documents', params: 'delimiter', body: 'sql', where: 'xp 7.0+' },
  { allow: 'GET POST /_sql/translate', tells: 'documents', body: 'sql', where: 'xp 7.0+' },
  { allow: 'POST /_sql/close', tells: 'nothing', body: 'cursor', where: 'xp 7.0+' },
  { allow: 'POST /_query', tells: 'documents', params: lists.rows, body: 'esql', where: 'xp 8.11+' },
  { allow: 'GET /_query/queries[/{name}]', tells: 'everywhere', where: 'es 8.19+' },
  // Results that are kept in the cluster, by an id that this process was given
  { allow: 'GET /_async_search/{scroll}', tells: 'nothing', params: `${lists.kept} typed_keys`, where: 'xp 7.7+' },
  { allow: 'GET /_async_search/status/{scroll}', tells: 'nothing', where: 'xp 7.11+' },
  { allow: 'GET /_eql/search/{scroll}', tells: 'nothing', params: lists.kept, where: 'xp 7.9+' },
  { allow: 'GET /_eql/search/status/{scroll}', tells: 'nothing', where: 'xp 7.9+' },
  { allow: 'GET /_sql/async/{scroll}', tells: 'nothing', params: `${lists.kept} delimiter`, where: 'xp 7.15+' },
  { allow: 'GET /_sql/async/status/{scroll}', tells: 'nothing', where: 'xp 7.15+' },
  { allow: 'GET /_query/async/{scroll}', tells: 'nothing', params: `${lists.kept} drop_null_columns`, where: 'es 8.13+' },
  // Reading on: what is opened is closed again, here or by its time
  { allow: 'GET POST /_search/scroll[/{scroll}]', tells: 'nothing', params: lists.scroll, body: 'scroll' },
  { allow: 'DELETE /_search/scroll[/{scroll}]', tells: 'nothing', params: 'scroll_id', body: 'closing' },
  { allow: 'POST /{index}/_pit', tells: 'documents', params: lists.pit, body: 'search', where: 'xp 7.10+, es 7.16+' },
  { allow: 'DELETE /_pit', tells: 'nothing', body: 'closing', where: 'es 7.10+' },
  { allow: 'POST /{index}/_search/point_in_time', tells: 'documents', params: lists.pitOfOpenSearch, where: 'os 2.4+' },
  { allow: 'DELETE /_search/point_in_time', tells: 'nothing', body: 'closing', where: 'os 2.4+' },
  // Single documents
  { allow: 'GET HEAD /{one}/_doc/{id}', tells: 'documents', params: lists.document },
  { allow: 'GET HEAD /{one}/_source/{id}', tells: 'documents', params: lists.document },
  { allow: 'GET POST [/{one}]/_mget', tells: 'documents', params: lists.document, body: 'documents' },
  { allow: 'GET /{one}/_explain/{id}', tells: 'documents', params: lists.explain, body: 'search' },
  { allow: 'POST /{one}/_explain/{id}', tells: 'documents', params: lists.explain, body: 'search', where: named },
  { allow: 'GET /{one}/_termvectors[/{id}]', tells: 'documents', params: lists.vectors, body: 'search' },
  { allow: 'POST /{one}/_termvectors[/{id}]', tells: 'documents', params: lists.vectors, body: 'search', where: named },
  { allow: 'GET POST [/{one}]/_mtermvectors', tells: 'documents', params: lists.vectorsOfMany, body: 'documents' },
  { allow: 'GET POST [/{one}]/_analyze', tells: 'nothing', body: 'analysis' },
  // These process only what the request contains.
  { allow: 'GET POST /_scripts/painless/_execute', tells: 'nothing', body: 'script' },
  { allow: 'POST /_text_structure/find_structure', tells: 'nothing', params: lists.structure, body: 'text', where: 'xp 7.13+' },
  {
    allow: 'GET POST /_text_structure/test_grok_pattern',
    tells: 'nothing',
    params: 'ecs_compatibility',
    body: 'grok',
    where: 'es 8.13+',
  },
  // Indices
  { allow: 'GET HEAD /{index}', tells: 'descriptions', params: lists.index },
  { allow: 'GET [/{index}]/_mapping', tells: 'descriptions', params: lists.describe },
  { allow: 'GET [/{index}]/_mappings', tells: 'descriptions', params: lists.describe },
  { allow: 'GET [/{index}]/_mapping/field/{fields}', tells: 'descriptions', params: lists.describe },
  { allow: 'GET [/{index}]/_settings[/{name}]', tells: 'descriptions', params: lists.describe },
  { allow: 'GET HEAD [/{index}]/_alias[/{name}]', tells: 'descriptions', params: lists.aliases },
  { allow: 'GET /_aliases', tells: 'everywhere', params: lists.wait },
  { allow: 'GET [/{index}]/_stats[/{statistic}]', tells: 'descriptions', params: lists.statistics },
  { allow: 'GET [/{index}]/_segments', tells: 'descriptions', params: lists.segments },
  { allow: 'GET [/{index}]/_recovery', tells: 'descriptions', params: lists.recovery },
  { allow: 'GET [/{index}]/_shard_stores', tells: 'descriptions', params: lists.stores },
  { allow: 'GET /{index}/_field_usage_stats', tells: 'descriptions', params: lists.usage, where: 'es 7.15+' },
  // The cluster flushes to disk unless the request forbids it.
  {
    allow: 'POST /{index}/_disk_usage',
    tells: 'descriptions',
    params: `${lists.pick} run_expensive_tasks flush`,
    adds: { flush: 'false' },
    where: 'es 7.15+',
  },
  { allow: 'GET [/{index}]/_searchable_snapshots/stats', tells: 'descriptions', params: 'level', where: 'xp 7.10+' },
  { allow: 'GET /_searchable_snapshots[/{node}]/cache/stats', tells: 'nothing', where: 'xp 7.13+' },
  { allow: 'GET /{index}/_ilm/explain', tells: 'descriptions', params: lists.ilm, where: 'xp 7.0+' },
  { allow: 'GET /{index}/_lifecycle/explain', tells: 'descriptions', params: lists.lifecycle, where: 'es 8.11+' },
  { allow: 'GET /_lifecycle/stats', tells: 'everywhere', params: lists.wait, where: 'es 8.11+' },
  { allow: 'GET /{index}/_ccr/info', tells: 'descriptions', params: lists.wait, where: 'xp 7.0+' },
  { allow: 'GET /{index}/_ccr/stats', tells: 'descriptions', params: 'timeout', where: 'xp 7.0+' },
  { allow: 'GET /_ccr/stats', tells: 'everywhere', params: 'timeout master_timeout', where: 'xp 7.0+' },
  { allow: 'GET /_ccr/auto_follow[/{name}]', tells: 'everywhere', params: lists.wait, where: 'xp 7.0+' },
  { allow: 'GET /{index}/_rollup/data', tells: 'descriptions', where: 'xp 7.0+' },
  { allow: 'GET [/{index}]/_migration/deprecations', tells: 'descriptions', where: 'xp 7.0+' },
  { allow: 'GET /_data_stream[/{index}]', tells: 'descriptions', params: lists.streams, where: 'xp 7.9+, os 1.0+' },
  {
    allow: 'GET /_data_stream[/{index}]/_stats',
    tells: 'descriptions',
    params: lists.streamStats,
    where: 'xp 7.9+, os 1.0+',
  },
  { allow: 'GET /_data_stream/{index}/_lifecycle', tells: 'descriptions', params: lists.streams, where: 'es 8.11+' },
  { allow: 'GET /_data_stream/{index}/_options', tells: 'descriptions', params: lists.streams, where: 'es 8.19+' },
  { allow: 'GET /_data_stream/{index}/_settings', tells: 'descriptions', params: lists.wait, where: 'es 8.19+' },
  { allow: 'GET /_data_stream/{index}/_mappings', tells: 'descriptions', params: lists.wait, where: 'es 8.19+' },
  {
    allow: 'GET /_resolve/index/{index}',
    tells: 'descriptions',
    params: lists.pick,
    mayListHidden: true,
    where: 'es 7.9+, os 1.0+',
  },
  { allow: 'GET /_resolve/cluster/{index}', tells: 'descriptions', params: lists.resolve, where: 'es 8.13+' },
  { allow: 'GET /_resolve/cluster', tells: 'nothing', params: 'timeout', where: 'es 8.18+' },
  // Templates and policies
  { allow: 'GET HEAD /_index_template[/{name}]', tells: 'everywhere', params: lists.templates },
  { allow: 'GET HEAD /_component_template[/{name}]', tells: 'everywhere', params: lists.templates },
  { allow: 'GET HEAD /_template[/{name}]', tells: 'everywhere', params: lists.templates },
  {
    allow: 'POST /_index_template/_simulate[/{name}]',
    tells: 'everywhere',
    params: lists.wait,
    body: 'indexTemplate',
    where: 'es 7.9+, os 1.0+',
  },
  {
    allow: 'POST /_index_template/_simulate_index/{index}',
    tells: 'everywhere',
    params: lists.wait,
    body: 'indexTemplate',
    where: 'es 7.9+, os 1.0+',
  },
  { allow: 'GET POST /_ingest/pipeline[/{name}]/_simulate', tells: 'everywhere', params: 'verbose', body: 'processors' },
  { allow: 'POST /_ingest[/{index}]/_simulate', tells: 'everywhere', body: 'ingest', where: 'es 8.12+' },
  { allow: 'GET /_ingest/pipeline[/{name}]', tells: 'everywhere', params: `${lists.wait} summary` },
  { allow: 'GET /_ingest/geoip/stats', tells: 'nothing', where: 'es 7.13+' },
  { allow: 'GET /_ingest/geoip/database[/{name}]', tells: 'nothing', where: 'es 8.15+' },
  { allow: 'GET /_ingest/ip_location/database[/{name}]', tells: 'nothing', where: 'es 8.15+' },
  { allow: 'GET /_search/pipeline[/{name}]', tells: 'everywhere', params: lists.wait, where: 'os 2.9+' },
  { allow: 'GET /_ingest/processor/grok', tells: 'nothing', params: 's ecs_compatibility' },
  { allow: 'GET /_ilm/policy[/{name}]', tells: 'everywhere', params: lists.wait, where: 'xp 7.0+' },
  { allow: 'GET /_ilm/status', tells: 'nothing', params: lists.wait, where: 'xp 7.0+' },
  { allow: 'GET /_slm/policy[/{name}]', tells: 'everywhere', params: lists.wait, where: 'xp 7.4+' },
  { allow: 'GET /_slm/stats', tells: 'nothing', params: lists.wait, where: 'xp 7.4+' },
  { allow: 'GET /_slm/status', tells: 'nothing', params: lists.wait, where: 'xp 7.4+' },
  { allow: 'GET /_enrich/policy[/{name}]', tells: 'everywhere', params: lists.wait, where: 'xp 7.5+' },
  { allow: 'GET /_enrich/_stats', tells: 'everywhere', params: lists.wait, where: 'xp 7.5+' },
  { allow: 'GET /_transform[/{name}]', tells: 'everywhere', params: lists.page, where: 'xp 7.5+' },
  { allow: 'GET /_transform/_stats', tells: 'everywhere', params: lists.page, where: 'xp 7.5+' },
  { allow: 'GET /_transform/{name}/_stats', tells: 'everywhere', params: lists.page, where: 'xp 7.5+' },
  { allow: 'GET /_rollup/job/{name}', tells: 'everywhere', where: 'xp 7.0+' },
  { allow: 'GET /_ml/{jobs}[/{name}][/_stats]', tells: 'everywhere', params: lists.page, where: 'xp 7.0+' },
  { allow: 'GET /_ml/data_frame/analytics[/{name}][/_stats]', tells: 'everywhere', params: lists.page, where: 'xp 7.3+' },
  { allow: 'GET /_ml/info', tells: 'nothing', where: 'xp 7.0+' },
  { allow: 'GET /_watcher/stats', tells: 'everywhere', where: 'xp 7.0+' },
  { allow: 'GET /_migration/system_features', tells: 'everywhere', params: 'master_timeout', where: 'xp 7.16+' },
  { allow: 'GET /_synonyms[/{name}]', tells: 'nothing', params: 'from size', where: 'es 8.10+' },
  { allow: 'GET /_synonyms/{name}/{name}', tells: 'nothing', where: 'es 8.10+' },
  { allow: 'GET /_query_rules[/{name}]', tells: 'everywhere', params: 'from size', where: 'es 8.10+' },
  { allow: 'GET /_query_rules/{name}/{name}', tells: 'everywhere', where: 'es 8.15+' },
  { allow: 'GET /_application/search_application[/{name}]', tells: 'everywhere', params: 'q from size', where: 'es 8.8+' },
  { allow: 'GET /_application/analytics[/{name}]', tells: 'everywhere', where: 'es 8.8+' },
  // The cluster leaves the keys of services out of what it shows of an endpoint
  { allow: 'GET /_inference[/{name}][/{name}]', tells: 'everywhere', where: 'es 8.11+' },
  { allow: 'GET /_inference/_services[/{name}]', tells: 'nothing', where: 'es 8.16+' },
  { allow: 'GET /_features', tells: 'nothing', params: lists.wait, where: 'es 7.12+' },
  { allow: 'GET /_autoscaling/capacity', tells: 'everywhere', params: lists.wait, where: 'xp 7.11+' },
  { allow: 'GET /_autoscaling/policy/{name}', tells: 'everywhere', params: lists.wait, where: 'xp 7.11+' },
  { allow: 'GET /_script_context', tells: 'nothing' },
  { allow: 'GET /_script_language', tells: 'nothing' },
  // The cluster
  { allow: 'GET HEAD /', tells: 'nothing' },
  { allow: 'GET /_cluster/health[/{index}]', tells: 'descriptions', params: lists.health },
  { allow: 'GET /_cluster/stats[/nodes/{node}]', tells: 'nothing', params: 'timeout flat_settings include_remotes' },
  { allow: 'GET /_cluster/settings', tells: 'everywhere', params: `${lists.wait} timeout flat_settings include_defaults` },
  { allow: 'GET /_cluster/pending_tasks', tells: 'everywhere', params: lists.wait },
  { allow: 'GET POST /_cluster/allocation/explain', tells: 'everywhere', params: lists.allocation, body: 'shard' },
  { allow: 'GET /_cluster/state/{state-part}[/{index}]', tells: 'descriptions', params: lists.state },
  // The blocks are always those of all indices
  { allow: 'GET /_cluster/state/{state-blocks}[/{index}]', tells: 'everywhere', params: lists.state },
  { allow: 'GET /_health_report[/{name}]', tells: 'everywhere', params: 'verbose size timeout', where: 'es 8.7+' },
  {
    allow: 'GET /_nodes[/{node}]/stats[/{node-statistic}][/{statistic}]',
    tells: 'nothing',
    params: lists.nodeStatistics,
    telling: 'level fields completion_fields fielddata_fields groups',
    hides: { requests: ['-**.http.clients'], names: ['-**.pipelines', '-**.shard_indexing_pressure.stats'] },
  },
  { allow: 'GET /_nodes[/{node}]/{node-info}', tells: 'nothing', params: 'timeout flat_settings' },
  { allow: 'GET /_nodes[/{node}]/usage', tells: 'everywhere', params: 'timeout' },
  { allow: 'GET /_nodes[/{node}]/shutdown', tells: 'everywhere', params: 'timeout master_timeout', where: 'es 7.13+' },
  // Threads are called by the index they work for
  { allow: 'GET /_nodes[/{node}]/hot_threads', tells: 'everywhere', params: lists.hotThreads },
  { allow: 'GET /_tasks[/{task}]', tells: 'everywhere', params: lists.tasks },
  { allow: 'GET /_remote/info', tells: 'nothing' },
  { allow: 'GET /_license', tells: 'nothing', params: 'local', where: 'xp 7.0+' },
  { allow: 'GET /_license/{licence}', tells: 'nothing', where: 'xp 7.0+' },
  { allow: 'GET /_xpack[/usage]', tells: 'nothing', params: 'categories master_timeout', where: 'xp 7.0+' },
  { allow: 'GET /_snapshot/_status', tells: 'everywhere', params: 'master_timeout' },
  { allow: 'GET /_snapshot/{name}/{name}', tells: 'everywhere', params: lists.snapshots },
  { allow: 'GET /_snapshot/{name}/_current', tells: 'everywhere', params: lists.snapshots },
  { allow: 'GET /_snapshot/{name}/_status', tells: 'everywhere', params: 'ignore_unavailable master_timeout' },
  { allow: 'GET /_snapshot/{name}/{name}/_status', tells: 'everywhere', params: 'ignore_unavailable master_timeout' },
  // These show the caller's own identity.
  { allow: 'GET /_security/_authenticate', tells: 'nothing', where: 'xp 7.0+' },
  { allow: 'GET /_security/user/_privileges', tells: 'nothing', where: 'xp 7.0+' },
  { allow: 'GET POST /_security/user/_has_privileges', tells: 'nothing', body: 'object', where: 'xp 7.0+' },
  { allow: 'GET /_scripts/{name}', tells: 'everywhere', params: 'master_timeout', sensitive: 'stored scripts' },
  { allow: 'GET /_snapshot[/{name}]', tells: 'everywhere', params: lists.wait, sensitive: 'settings of repositories' },
  { allow: 'GET /_logstash/pipeline[/{name}]', tells: 'everywhere', where: 'xp 7.12+', sensitive: 'pipelines of Logstash' },
  { allow: 'GET /_watcher/watch/{name}', tells: 'everywhere', where: 'xp 7.0+', sensitive: 'watches' },
  {
    allow: 'GET /_connector[/{name}]',
    tells: 'everywhere',
    params: lists.connectors,
    where: 'es 8.12+',
    sensitive: 'connectors',
  },
  {
    allow: 'GET /_connector/_sync_job[/{name}]',
    tells: 'everywhere',
    params: lists.sync,
    where: 'es 8.12+',
    sensitive: 'connectors',
  },
  {
    allow: 'GET /_security/{security}[/{name}]',
    tells: 'everywhere',
    params: 'with_profile_uid',
    where: 'xp 7.0+',
    sensitive: 'users, roles and keys',
  },
  { allow: 'GET /_security/privilege/{name}/{name}', tells: 'everywhere', where: 'xp 7.0+', sensitive: 'users, roles and keys' },
  { allow: 'GET /_security/privilege/_builtin', tells: 'nothing', where: 'xp 7.3+' },
  {
    allow: 'GET /_security/api_key',
    tells: 'everywhere',
    params: lists.keys,
    where: 'xp 7.0+',
    sensitive: 'users, roles and keys',
  },
  // Tables for people
  { allow: 'GET /_cat', tells: 'nothing' },
  { allow: 'GET /_cat/aliases[/{name}]', tells: 'everywhere', params: `${lists.cat} expand_wildcards` },
  { allow: 'GET /_cat/allocation[/{node}]', tells: 'nothing', params: lists.cat },
  { allow: 'GET /_cat/cluster_manager', tells: 'nothing', params: lists.cat, where: 'os 2.0+' },
  { allow: 'GET /_cat/component_templates[/{name}]', tells: 'everywhere', params: lists.cat, where: 'es 8.1+' },
  { allow: 'GET /_cat/count[/{index}]', tells: 'documents', params: lists.cat },
  { allow: 'GET /_cat/fielddata[/{fields}]', tells: 'everywhere', params: `${lists.cat} fields` },
  { allow: 'GET /_cat/health', tells: 'nothing', params: `${lists.cat} ts` },
  { allow: 'GET /_cat/indices[/{index}]', tells: 'descriptions', params: lists.catIndices, mayListHidden: true },
  { allow: 'GET /_cat/master', tells: 'nothing', params: lists.cat },
  { allow: 'GET /_cat/nodeattrs', tells: 'nothing', params: lists.cat },
  { allow: 'GET /_cat/nodes', tells: 'nothing', params: lists.catNodes },
  { allow: 'GET /_cat/pending_tasks', tells: 'everywhere', params: lists.cat },
  { allow: 'GET /_cat/plugins', tells: 'nothing', params: `${lists.cat} include_bootstrap` },
  { allow: 'GET /_cat/recovery[/{index}]', tells: 'descriptions', params: lists.catRecovery },
  { allow: 'GET /_cat/repositories', tells: 'nothing', params: lists.cat },
  { allow: 'GET /_cat/segments[/{index}]', tells: 'descriptions', params: lists.catSegments },
  { allow: 'GET /_cat/segment_replication[/{index}]', tells: 'descriptions', params: lists.catReplication, where: 'os 2.4+' },
  { allow: 'GET /_cat/shards[/{index}]', tells: 'descriptions', params: lists.cat },
  { allow: 'GET /_cat/snapshots[/{name}]', tells: 'everywhere', params: `${lists.cat} ignore_unavailable` },
  { allow: 'GET /_cat/tasks', tells: 'everywhere', params: lists.catTasks },
  { allow: 'GET /_cat/templates[/{name}]', tells: 'everywhere', params: lists.cat },
  { allow: 'GET /_cat/ml/data_frame/analytics[/{name}]', tells: 'everywhere', params: lists.catJobs, where: 'xp 7.7+' },
  { allow: 'GET /_cat/ml/{jobs}[/{name}]', tells: 'everywhere', params: lists.catJobs, where: 'xp 7.7+' },
  { allow: 'GET /_cat/transforms[/{name}]', tells: 'everywhere', params: lists.catJobs, where: 'xp 7.7+' },
  { allow: 'GET /_cat/thread_pool[/{name}]', tells: 'nothing', params: `${lists.cat} size` },
  { allow: 'GET /_list/indices[/{index}]', tells: 'descriptions', params: lists.listIndices, where: 'os 2.18+' },
  { allow: 'GET /_list/shards[/{index}]', tells: 'descriptions', params: lists.listShards, where: 'os 2.18+' },
  ...openSearchRoutes,
];

/** A line for one of its methods and one of its templates. */
export interface Route {
  readonly method: string;
  readonly template: Template;
  readonly line: Line;
  readonly ranges: readonly Range[] | undefined;
}

export const routes: readonly Route[] = table.flatMap((line) => {
  const words = line.allow.split(' ');
  const ranges = line.where === undefined ? undefined : parseWhere(line.where);
  const templatesOfLine = parseTemplates(words.at(-1) ?? '');
  return words.slice(0, -1).flatMap((method) => templatesOfLine.map((template) => ({ method, template, line, ranges })));
});

const byLength = new Map<number, Route[]>();
for (const route of routes) {
  const { length } = route.template.parts;
  byLength.set(length, [...(byLength.get(length) ?? []), route]);
}

/** The routes by the number of parts of their path, in which each request is looked up. */
export const routesByLength: ReadonlyMap<number, readonly Route[]> = byLength;
