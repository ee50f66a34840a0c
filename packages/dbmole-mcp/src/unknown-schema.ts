import { Failure, nearestNames } from '@dbmole/core';
import type { Call } from './tool.ts';

/** For an answer without rows: that there is nothing in a schema and that there is no such schema are two things. */
export async function refuseUnknownSchema({ backend, options }: Call, schema: string | undefined): Promise<void> {
  if (schema === undefined) return;
  const names = await backend.catalog.schemaNames(backend.catalogRun(options));
  if (names.includes(schema)) return;
  throw new Failure('unknown', `no schema is called ${schema}`, {
    code: 'E_UNKNOWN_SCHEMA',
    nearest: nearestNames(schema, names),
    hint: 'Pass it without quotes, with its own capitals. list_tables without a schema shows what there is, list_databases the other databases.',
  });
}
