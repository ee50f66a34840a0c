import { rememberSecret } from '@dbmole/core';
import type { Connection, ServerConnection } from '../connection/schema.ts';
import { createDemoEngine } from './demo-engine.ts';
import type { Sample, SampleOptions } from './sample-shop.ts';
import { shop } from './sample-template.ts';

/** A placeholder for the address in the configuration; by its ending it can never be one of a real server. */
const demoHost = 'demo.invalid';

/** The sample shop on a PostgreSQL, which npm fetches at the first call. There is no engine, and no address, before it. */
export function createPostgresSample(options: SampleOptions): Sample {
  const engine = createDemoEngine(options);
  const shown = { type: 'postgres', host: demoHost, database: shop.database } as const;
  return {
    dialect: 'postgres',
    connections: [
      { name: 'demo', ...shown, user: shop.reader, readonly: true },
      { name: 'demo-rw', ...shown, user: shop.owner, readonly: false },
    ],
    isOwn,
    shownPlace: { host: 'embedded', port: undefined },
    engine: 'a PostgreSQL that starts at the first call',
    async reach(target, signal) {
      const { config: asked } = target;
      if (!isOwn(asked)) return target;
      const { port, password } = await engine.address(signal);
      rememberSecret(password);
      const host = '127.0.0.1';
      const config: ServerConnection = { ...asked, host, port, password, tls: 'disable' };
      return { config, connectHost: host, connectPort: port, serverName: host };
    },
    dispose: () => engine.dispose(),
  };
}

function isOwn(config: Connection): config is ServerConnection {
  return config.host === demoHost;
}
