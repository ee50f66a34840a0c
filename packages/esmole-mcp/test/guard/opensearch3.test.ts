import { describeGuardOnNode } from './node-suite.ts';

describeGuardOnNode({
  id: 'opensearch3',
  short: 'os3',
  storesQueries: true,
  unanswered: [
    'POST /_plugins/_sql',
    'POST /_plugins/_ppl',
    'GET /_plugins/_ism/explain/{index}',
    'GET /_snapshot/{name}/_current',
    'GET /_cat/snapshots[/{name}]',
    'GET /_snapshot/{name}/{name}',
    'GET /_snapshot/{name}/{name}/_status',
  ],
});
