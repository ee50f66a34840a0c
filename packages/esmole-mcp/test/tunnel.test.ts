import { describeTunnelled } from '@dbmole/core/testing';
import { useEngine, useTopology } from '@dbmole/engines';
import { describe } from 'vitest';
import { bin } from './bin.ts';

describe('elasticsearch7', () => {
  const engine = useEngine('elasticsearch7', { shared: true });
  const topology = useTopology();

  describeTunnelled({
    name: 'esmole-mcp',
    file: bin,
    envVar: 'ESMOLE_CONNECTIONS',
    answers: /Elasticsearch 7\.17/,
    connection() {
      const { host, port } = engine();
      return { type: 'elasticsearch', scheme: 'http', host, port, auth: 'none' };
    },
    topology,
  });
});
