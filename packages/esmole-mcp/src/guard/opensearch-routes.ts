import type { Line } from './route-line.ts';

/**
 * Routes of the plugins that come with OpenSearch. What is not here is refused, also a GET: `_plugins/_knn/warmup` fills the memory of
 * nodes, and `_plugins/_security` shows accounts.
 */
export const openSearchRoutes: readonly Line[] = [
  { allow: 'POST /_plugins/_sql', tells: 'documents', body: 'openSearchSql', where: 'os 1.0+' },
  { allow: 'POST /_plugins/_ppl', tells: 'documents', body: 'ppl', where: 'os 1.0+' },
  { allow: 'POST /_plugins/_sql/_explain', tells: 'documents', body: 'openSearchSql', where: 'os 1.0+' },
  { allow: 'POST /_plugins/_ppl/_explain', tells: 'documents', body: 'ppl', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_sql/stats', tells: 'nothing', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_ppl/stats', tells: 'nothing', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_ism/explain/{index}', tells: 'descriptions', params: 'local show_policy', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_ism/policies[/{name}]', tells: 'everywhere', params: 'size from', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_sm/policies[/{name}]', tells: 'everywhere', params: 'size from', where: 'os 2.1+' },
  { allow: 'GET /_plugins/_sm/policies/{name}/_explain', tells: 'everywhere', where: 'os 2.1+' },
  { allow: 'GET /_plugins/_knn/stats[/{name}]', tells: 'nothing', params: 'timeout', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_knn/{node}/stats[/{name}]', tells: 'nothing', params: 'timeout', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_knn/models/{name}', tells: 'everywhere', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_neural/stats[/{name}]', tells: 'nothing', where: 'os 3.0+' },
  { allow: 'GET /_plugins/_rollup/jobs/{name}[/_explain]', tells: 'everywhere', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_transform[/{name}]', tells: 'everywhere', params: 'size from', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_transform/{name}/_explain', tells: 'everywhere', where: 'os 1.0+' },
  { allow: 'GET /_plugins/_replication/{index}/_status', tells: 'descriptions', params: 'verbose', where: 'os 1.1+' },
  { allow: 'GET /_plugins/_replication/leader_stats', tells: 'everywhere', where: 'os 1.1+' },
  { allow: 'GET /_plugins/_replication/follower_stats', tells: 'everywhere', where: 'os 1.1+' },
  { allow: 'GET /_plugins/_replication/autofollow_stats', tells: 'everywhere', where: 'os 1.1+' },
];
