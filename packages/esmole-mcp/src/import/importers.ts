import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Findings, type Importer, type ImportPlace, readSmallFile } from '@dbmole/core';
import { findIn } from './cluster-variables.ts';

const environmentImporter: Importer = { source: 'environment', find: ({ env }) => findIn(env, { env, where: '' }) };

/** Of the working directory. It may have come with somebody's repository: what it says is shown, and never followed. */
const dotEnvImporter: Importer = { source: '.env', find: findInDotEnv };

/** Of one cluster that both know, the first counts: what is in the environment need not be copied. */
export const importers: readonly Importer[] = [environmentImporter, dotEnvImporter];

function findInDotEnv({ env, cwd }: ImportPlace): Findings {
  const path = join(cwd, '.env');
  const image = readSmallFile(path);
  return image === undefined ? { found: [], notes: [] } : findIn(parseEnv(image.bytes.toString('utf8')), { env, where: path });
}
