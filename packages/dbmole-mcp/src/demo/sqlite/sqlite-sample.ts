import { resolve } from 'node:path';
import type { Connection, FileConnection } from '../../connection/schema.ts';
import type { Sample, SampleOptions } from '../sample-shop.ts';
import { createShopFile } from './shop-file.ts';

/** A placeholder for the file in the configuration; no file is there. */
const placeholder = resolve('/demo.invalid/shop.db');

/** The sample shop in a temporary file, which is made within a quarter of a second. */
export function createSqliteSample({ log }: Pick<SampleOptions, 'log'>): Sample {
  const shop = createShopFile(log);
  const shown = { type: 'sqlite', file: placeholder } as const;
  return {
    dialect: 'sqlite',
    connections: [
      { name: 'demo', ...shown, readonly: true },
      { name: 'demo-rw', ...shown, readonly: false },
    ],
    isOwn,
    shownPlace: { file: 'temporary' },
    engine: 'a temporary SQLite file',
    async reach(target, signal) {
      const { config } = target;
      if (!isOwn(config)) return target;
      const file = await shop.open(signal);
      return { config: { ...config, file }, file };
    },
    prepare: () => shop.prepare(),
    dispose: () => shop.dispose(),
  };
}

function isOwn(config: Connection): config is FileConnection {
  return config.file === placeholder;
}
