import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Findings, type Importer, type ImportPlace, readSmallFile } from '@dbmole/core';
import { findIn } from './cluster-variables.ts';

const environmentImporter: Importer = { source: 'environment', find: ({ env }) => findIn(env, { env, where: '' }) };

/**
 * Reads the .env file of the working directory. It may have come with a cloned repository: its content is shown, and never followed.
 */
const dotEnvImporter: Importer = { source: '.env', takesPath: true, find: findInDotEnv };

/** If both know a cluster, the first one counts: what is in the environment need not be copied. */
export const importers: readonly Importer[] = [environmentImporter, dotEnvImporter];

function findInDotEnv({ env, cwd, path = join(cwd, '.env') }: ImportPlace): Findings {
  const image = readSmallFile(path);
  return image === undefined ? { found: [], notes: [] } : findIn(parseEnv(image.bytes.toString('utf8')), { env, where: path });
}
