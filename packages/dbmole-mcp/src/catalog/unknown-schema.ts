import { Failure, nearestNames } from '@dbmole/core';
import { seeDatabases, seeTables } from '../next-steps.ts';
import type { Call } from '../tool.ts';

/** Distinguishes an empty schema from a missing one when an answer has no rows. */
export async function refuseUnknownSchema({ backend, options }: Call, schema: string | undefined): Promise<void> {
  if (schema === undefined) return;
  const names = await backend.catalog.schemaNames(backend.catalogRun(options));
  if (names.includes(schema)) return;
  const { database } = await backend.identify(options);
  const where = database === undefined || database === schema ? '' : ` in database ${database}`;
  throw new Failure('unknown', `there is no schema ${schema}${where}`, {
    code: 'E_UNKNOWN_SCHEMA',
    nearest: nearestNames(schema, names),
    hint: ['Write it without quotes, in its own capitals.', { ...seeTables, to: 'see the tables of all schemas' }, seeDatabases],
  });
}
