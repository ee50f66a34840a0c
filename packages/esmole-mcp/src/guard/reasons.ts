/** Explains why a word in a path makes a request more than a read, and what to use instead. */
interface Reason {
  readonly why: string;
  readonly instead?: string;
  /** A GET with this word would be a read, so there it is another part of the path that is wrong. */
  readonly isOfChanges?: true;
  /** It acts as a GET as well; a connection that may write can send it as the POST that it is. */
  readonly asPost?: true;
}

const writes = 'it writes documents';
const secrets = 'it manages users, keys and secrets';
const stores = 'it stores its result in the cluster';

/** The reasons are keyed by a word of the path. The last one in the path that is found counts. */
const reasons: Readonly<Record<string, Reason>> = {
  _bulk: { why: writes },
  _create: { why: writes },
  _doc: { why: 'it changes documents', instead: 'GET /{index}/_doc/{id}', isOfChanges: true },
  _update: { why: writes, instead: 'GET /{index}/_doc/{id}' },
  _update_by_query: { why: writes, instead: 'POST /{index}/_count' },
  _delete_by_query: { why: 'it deletes documents', instead: 'POST /{index}/_count' },
  _reindex: { why: writes, instead: 'POST /{index}/_search' },
  _refresh: { why: 'it changes search results and uses resources of the cluster', asPost: true },
  _flush: { why: 'it forces the cluster to write to disk', instead: 'GET /{index}/_stats', asPost: true },
  _forcemerge: { why: 'it rewrites the files of an index', instead: 'GET /{index}/_segments' },
  _cache: { why: 'it clears caches', instead: 'GET /{index}/_stats' },
  _open: { why: 'it opens an index', instead: 'GET /_cat/indices' },
  _close: { why: 'it closes an index', instead: 'GET /_cat/indices' },
  _freeze: { why: 'it changes an index' },
  _shrink: { why: 'it creates an index' },
  _split: { why: 'it creates an index' },
  _clone: { why: 'it creates an index' },
  _create_from: { why: 'it creates an index' },
  _rollover: { why: 'it creates an index' },
  _block: { why: 'it changes an index' },
  _reload_search_analyzers: { why: 'it changes how text is analyzed', instead: 'GET /{index}/_settings', asPost: true },
  _aliases: { why: 'it changes aliases', instead: 'GET /_alias', isOfChanges: true },
  _alias: { why: 'it changes aliases', instead: 'GET /_alias', isOfChanges: true },
  _dangling: { why: 'it imports or deletes dangling indices', instead: 'GET /_cat/indices', isOfChanges: true },
  _scripts: { why: 'it changes stored scripts', instead: 'POST /_scripts/painless/_execute', isOfChanges: true },
  _ingest: { why: 'it changes pipelines', instead: 'POST /_ingest/pipeline/_simulate', isOfChanges: true },
  _snapshot: {
    why: 'it changes repositories, or creates and restores snapshots',
    instead: 'GET /_cat/repositories',
    isOfChanges: true,
  },
  _searchable_snapshots: { why: 'it mounts snapshots or clears their caches', isOfChanges: true },
  _security: { why: secrets, instead: 'GET /_security/_authenticate' },
  _plugins: { why: 'the effects of a plugin are unknown' },
  _opendistro: { why: 'the effects of a plugin are unknown' },
  _watcher: { why: 'watches run actions and hold secrets' },
  _ml: { why: 'it runs models or jobs' },
  _inference: {
    why: 'it calls external services, or changes how they are called',
    instead: 'GET /_inference',
    isOfChanges: true,
  },
  _connector: { why: 'it changes connectors, or reveals secrets of other systems' },
  _fleet: { why: 'it gives access to secrets of other systems' },
  _logstash: { why: 'it changes pipelines', isOfChanges: true },
  _application: { why: 'it runs stored templates, or changes them', isOfChanges: true },
  _async_search: { why: stores, instead: 'POST /{index}/_search', isOfChanges: true },
  async: { why: stores, instead: 'POST /_query', isOfChanges: true },
  _ccr: { why: 'it changes the replication of indices between clusters' },
  _rollup: { why: 'it controls jobs', isOfChanges: true },
  _transform: { why: 'it controls jobs', instead: 'GET /_transform', isOfChanges: true },
  _enrich: { why: 'it changes or runs policies', instead: 'GET /_enrich/policy', isOfChanges: true },
  _ilm: {
    why: 'it changes policies, or moves indices to another phase',
    instead: 'GET /{index}/_ilm/explain',
    isOfChanges: true,
  },
  _slm: { why: 'it changes policies, or takes snapshots', instead: 'GET /_slm/policy', isOfChanges: true },
  _license: { why: 'it changes the licence', instead: 'GET /_license', isOfChanges: true },
  _cancel: { why: 'it cancels tasks of other users', instead: 'GET /_tasks' },
  reroute: { why: 'it moves shards', instead: 'GET /_cat/shards' },
  voting_config_exclusions: { why: 'it changes which nodes can become master' },
  settings: { why: 'it changes the settings of the cluster', instead: 'GET /_cluster/settings', isOfChanges: true },
  _settings: { why: 'it changes settings', instead: 'GET /{index}/_settings', isOfChanges: true },
  _mapping: { why: 'it changes the mapping', instead: 'GET /{index}/_mapping', isOfChanges: true },
  reload_secure_settings: { why: 'it reloads secrets', instead: 'GET /_nodes/stats' },
  shutdown: { why: 'it stops nodes', isOfChanges: true },
  _monitoring: { why: writes },
  _synonyms: { why: 'it changes how text is analyzed', isOfChanges: true },
  _query_rules: { why: 'it changes search results', isOfChanges: true },
  _nodes: { why: 'the arguments and settings of nodes may hold secrets', instead: 'GET /_nodes/os,process,plugins' },
  _features: { why: 'it resets the state of features', isOfChanges: true },
  _autoscaling: { why: 'it changes policies', isOfChanges: true },
  state: {
    why: 'the complete state includes scripts, pipelines and repositories',
    instead: 'GET /_cluster/state/nodes,routing_table',
  },
  _all: { why: 'it includes what was opened by others', isOfChanges: true },
};

export function findReason(method: string, segments: readonly string[]): Reason | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const found = segments.flatMap((segment) => (Object.hasOwn(reasons, segment) ? (reasons[segment] ?? []) : []));
  return found.findLast(({ isOfChanges }) => !(isRead && isOfChanges));
}
