import type { CallUse } from '../judge-call.ts';
import type { TableUse, Uses } from '../text/find-uses.ts';
import type { Catalog } from './follow-dependencies.ts';
import { isSystemSchema, resetsCounters } from './known-objects.ts';
import { calledAs, isNative } from './origins.ts';

/** Whether the cache shows that the statement leads to nothing that must be checked. */
export function isPlain({ tables, calls, defaults }: Uses, { known, server, scope }: Omit<Catalog, 'run'>): boolean {
  const { database, maria } = server;
  if (scope !== undefined || (defaults && maria)) return false;
  const isPlainTable = ({ schema = database, name }: TableUse) => {
    if (schema === undefined) return true;
    return isSystemSchema(schema) ? !resetsCounters({ schema, name }) : known.is('table', { schema, name });
  };
  return calls.every((use) => isPlainCall(use, { known, server })) && tables.every(isPlainTable);
}

/** Whether the cache shows that the call means no stored function. */
export function isPlainCall(use: CallUse, { known, server }: Pick<Catalog, 'known' | 'server'>): boolean {
  const { name, schema = server.database } = use;
  if (isNative(use, server)) return known.isKnownBuiltIn(calledAs(use));
  return use.builtIn && schema !== undefined && known.is('no routine', { schema, name });
}
