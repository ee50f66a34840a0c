import { describePassword, isOrdinaryWord, withDeadline } from '@dbmole/core';
import type { SqlBackend } from '../backend/backend.ts';
import { bareName } from '../catalog/nearest-tables.ts';
import type { Connection } from './schema.ts';

/** The time for looking up names: opening a connection waits for it. */
const lookupMs = 2_000;
/** What is shorter is never removed, so that no name has to be spared for it. */
const shortestRemoved = 6;

/** The backend with what is to be said of its password. An ordinary word is compared with the names of the schema before anything is shown. */
export async function withPasswordWarning(backend: SqlBackend, config: Connection, signal: AbortSignal): Promise<SqlBackend> {
  const { password, user, database } = config;
  const own = [user, database ?? ''];
  const names =
    typeof password === 'string' && password.length >= shortestRemoved && isOrdinaryWord(password)
      ? [...own, ...(await readNames(backend, signal))]
      : own;
  return { ...backend, remarks: [...backend.remarks, ...describePassword(password, names)] };
}

/** Compared here: the server would write down what it is asked for. */
async function readNames({ catalog, catalogRun }: SqlBackend, signal: AbortSignal): Promise<string[]> {
  const read = async (names: Promise<string[]>) => (await names.catch(() => [])).map(bareName);
  return await withDeadline({ signals: [signal], ms: lookupMs }, async (limited) => {
    const run = catalogRun({ signal: limited });
    const found = [
      await read(catalog.tableNames(run)),
      await read(catalog.columnNames(run, [])),
      await read(catalog.schemaNames(run)),
    ];
    return found.flat();
  });
}
