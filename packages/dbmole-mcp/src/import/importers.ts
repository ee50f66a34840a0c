import type { Importer } from '@dbmole/core';
import { myCnfImporter } from './my-cnf.ts';
import { pgServiceImporter } from './pg-service.ts';
import { pgpassImporter } from './pgpass.ts';
import { dotEnvImporter, environmentImporter } from './url-variables.ts';

/** Of one connection that several know, the first counts: files are there whoever starts the server, variables may not be. */
export const importers: readonly Importer[] = [
  pgServiceImporter,
  pgpassImporter,
  myCnfImporter,
  environmentImporter,
  dotEnvImporter,
];
