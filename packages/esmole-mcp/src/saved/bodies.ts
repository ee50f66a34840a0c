import { documentedElsewhere, type QueryBodies } from '@dbmole/core';
import { timeoutArgument } from '../tool.ts';
import { parseTemplate } from './request-template.ts';

export const bodies: QueryBodies = {
  checkBody(query) {
    const parsed = parseTemplate(query);
    return 'method' in parsed ? [] : parsed;
  },
  argumentsFor: () => ({ timeout_ms: timeoutArgument.meta(documentedElsewhere) }),
  example: {
    params: ['service text: name of the service. Example: checkout', 'since timestamp = 2025-01-01T00:00:00Z: first moment'],
    body: `POST /logs-*/_search
{
  "size": 20,
  "query": { "bool": { "filter": [
    { "term": { "service.name": "{{service}}" } },
    { "range": { "@timestamp": { "gte": "{{since}}" } } }
  ] } }
}`,
  },
};
