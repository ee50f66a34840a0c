import { describeTunnelled } from '@dbmole/core/testing';
import { type ServerId, useEngine, useTopology } from '@dbmole/engines';
import { describe } from 'vitest';
import { bin } from './bin.ts';

const engines: readonly [ServerId, 'postgres' | 'mysql', RegExp][] = [
  ['postgres18', 'postgres', /PostgreSQL 18/],
  ['mysql97', 'mysql', /MySQL 9\.7/],
  ['mariadb1011', 'mysql', /MariaDB 10\.11/],
];

describe.each(engines)('%s', (id, type, answers) => {
  const engine = useEngine(id, { shared: true });
  const topology = useTopology();

  describeTunnelled({
    name: 'dbmole-mcp',
    file: bin,
    envVar: 'DBMOLE_CONNECTIONS',
    answers,
    connection() {
      const { host, port, user, password } = engine();
      return { type, host, port, user, password };
    },
    topology,
  });
});
