import { fileURLToPath } from 'node:url';
import { describeFirstTime } from '@dbmole/core/testing';

const secret = 'Kies-72-turm';

describeFirstTime({
  name: 'dbmole-mcp',
  folder: fileURLToPath(new URL('..', import.meta.url)),
  tools: { shown: 'query', hidden: 'execute' },
  add: {
    url: `postgres://reader:${secret}@127.0.0.1:1/shop`,
    secret,
    listed: /^shop\s+postgres\s+127\.0\.0\.1\s+1\s+reader\s+shop\s+true/m,
  },
  ask: { tool: 'query', args: { sql: 'select 1' } },
});
