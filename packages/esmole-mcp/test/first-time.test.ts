import { fileURLToPath } from 'node:url';
import { describeFirstTime } from '@dbmole/core/testing';

const secret = 'Kies-72-turm';

describeFirstTime({
  name: 'esmole-mcp',
  folder: fileURLToPath(new URL('..', import.meta.url)),
  tools: { shown: 'es_search' },
  add: {
    url: `http://reader:${secret}@127.0.0.1:1`,
    secret,
    listed: /^shop\s+elasticsearch\s+http\s+127\.0\.0\.1\s+1\s+reader\s.*true/m,
  },
  ask: { tool: 'es_search', args: {} },
});
