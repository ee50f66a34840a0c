import { describeGuardOnNode } from './node-suite.ts';

describeGuardOnNode({
  id: 'elasticsearch7',
  short: 'es7',
  unanswered: [
    'GET /_ingest/geoip/stats',
    'GET /_ingest/processor/grok',
    'GET /_scripts/{name}',
    'GET /_snapshot/{name}/{name}/_status',
    'GET POST /_scripts/painless/_execute',
    'GET POST /_render/template[/{name}]',
    'GET [/{index}]/_msearch/template',
    'GET [/{index}]/_rank_eval',
    'GET [/{index}]/_search/template',
  ],
});
