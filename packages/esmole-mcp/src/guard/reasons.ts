/** What stands in a path of a request that is no read, why, and what may be meant instead. */
interface Reason {
  readonly why: string;
  readonly instead?: string;
  /** A GET with this word would be a read, so there it is another part of the path that is wrong. */
  readonly isOfChanges?: true;
}

const writes = 'it writes documents';
const secrets = 'it deals with users, keys and secrets';
const stores = 'it leaves its result in the cluster';

/** By the word of the path that says it. The first that is found from the end counts. */
export const reasons: Readonly<Record<string, Reason>> = {
  _bulk: { why: writes },
  _create: { why: writes },
  _update: { why: writes, instead: 'GET /{index}/_doc/{id}' },
  _update_by_query: { why: writes, instead: 'POST /{index}/_count' },
  _delete_by_query: { why: 'it deletes documents', instead: 'POST /{index}/_count' },
  _reindex: { why: writes, instead: 'POST /{index}/_search' },
  _refresh: { why: 'it changes what searches see, and costs the cluster' },
  _flush: { why: 'it makes the cluster write its files', instead: 'GET /{index}/_stats' },
  _forcemerge: { why: 'it rewrites the files of an index', instead: 'GET /{index}/_segments' },
  _cache: { why: 'it empties caches', instead: 'GET /{index}/_stats' },
  _open: { why: 'it opens an index', instead: 'GET /_cat/indices' },
  _close: { why: 'it closes an index', instead: 'GET /_cat/indices' },
  _freeze: { why: 'it changes an index' },
  _shrink: { why: 'it makes an index' },
  _split: { why: 'it makes an index' },
  _clone: { why: 'it makes an index' },
  _create_from: { why: 'it makes an index' },
  _rollover: { why: 'it makes an index' },
  _block: { why: 'it changes an index' },
  _reload_search_analyzers: { why: 'it changes how searches are analyzed', instead: 'GET /{index}/_settings' },
  _aliases: { why: 'it changes aliases', instead: 'GET /_alias', isOfChanges: true },
  _alias: { why: 'it changes aliases', instead: 'GET /_alias', isOfChanges: true },
  _dangling: { why: 'it brings back or deletes indices', instead: 'GET /_cat/indices' },
  _scripts: { why: 'stored scripts may hold secrets, and can be changed here', instead: 'POST /{index}/_search' },
  _execute: { why: 'it runs a script of its own', instead: 'POST /{index}/_search' },
  _ingest: { why: 'pipelines may hold secrets, and can be changed here', instead: 'POST /_ingest/pipeline/_simulate' },
  _snapshot: { why: 'it shows or changes repositories, or makes and restores snapshots', instead: 'GET /_cat/snapshots' },
  _searchable_snapshots: { why: 'it mounts or empties snapshots' },
  _security: { why: secrets, instead: 'GET /_security/_authenticate' },
  _plugins: { why: 'what a plugin does is not known' },
  _opendistro: { why: 'what a plugin does is not known' },
  _watcher: { why: 'watches act, and hold secrets' },
  _ml: { why: 'it runs models or jobs' },
  _inference: { why: 'it calls services outside, and holds their keys' },
  _connector: { why: 'it holds the secrets of other systems' },
  _fleet: { why: 'it holds the secrets of other systems' },
  _logstash: { why: 'pipelines may hold secrets' },
  _application: { why: 'it runs stored templates, or changes them' },
  _async_search: { why: stores, instead: 'POST /{index}/_search' },
  async: { why: stores, instead: 'POST /_query' },
  _ccr: { why: 'it changes how indices are copied' },
  _rollup: { why: 'it runs jobs', isOfChanges: true },
  _transform: { why: 'it runs jobs', instead: 'GET /_transform', isOfChanges: true },
  _enrich: { why: 'it changes or runs policies', instead: 'GET /_enrich/policy', isOfChanges: true },
  _ilm: { why: 'it changes policies, or moves indices along', instead: 'GET /{index}/_ilm/explain', isOfChanges: true },
  _slm: { why: 'it changes policies, or takes snapshots', instead: 'GET /_slm/policy', isOfChanges: true },
  _license: { why: 'it changes the licence', instead: 'GET /_license', isOfChanges: true },
  _cancel: { why: 'it ends what others have begun', instead: 'GET /_tasks' },
  reroute: { why: 'it moves shards', instead: 'GET /_cat/shards' },
  voting_config_exclusions: { why: 'it changes who may lead the cluster' },
  settings: { why: 'settings of a cluster may hold secrets, and can be changed here', instead: 'GET /_cluster/health' },
  _settings: { why: 'it changes settings', instead: 'GET /{index}/_settings', isOfChanges: true },
  _mapping: { why: 'it changes the mapping', instead: 'GET /{index}/_mapping', isOfChanges: true },
  reload_secure_settings: { why: 'it reloads secrets', instead: 'GET /_nodes/stats' },
  shutdown: { why: 'it stops nodes' },
  _monitoring: { why: writes },
  _synonyms: { why: 'it changes how searches are analyzed' },
  _query_rules: { why: 'it changes what searches find' },
  _nodes: { why: 'the arguments and settings of nodes may hold secrets', instead: 'GET /_nodes/os,process,plugins' },
  _features: { why: 'it resets what features keep' },
  _autoscaling: { why: 'it changes policies' },
  state: {
    why: 'all of the state holds scripts, pipelines and repositories',
    instead: 'GET /_cluster/state/nodes,routing_table',
  },
  _all: { why: 'it means what others have opened as well', isOfChanges: true },
};

export function findReason(method: string, segments: readonly string[]): Reason | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const found = segments.flatMap((segment) => (Object.hasOwn(reasons, segment) ? (reasons[segment] ?? []) : []));
  return found.findLast(({ isOfChanges }) => !(isRead && isOfChanges));
}
