import { outOfScope, type Scope, type ScopeDialect } from '../../../policy/scope.ts';
import { noToken, type Token } from '../../../statement/tokens.ts';
import { toKey } from '../catalog/schema-facts.ts';
import type { Schema } from './columns/schema.ts';
import { findTables, isTable, readTable, type TableUse } from './text/table-uses.ts';

/** A file has the schemas main and temp, which are called databases as well. */
export const scopeDialect: ScopeDialect = { systemSchemas: /^$/, hasOneLevel: true };

/** Tables of SQLite itself, which show what there is. */
const ownTables = /^(?:sqlite_|pragma_|dbstat$)/;
/** They read a table that is named by a text. */
const namingFunctions: ReadonlySet<string> = new Set(['rtreecheck']);
/** These read nothing but their arguments. */
const tableFunctions: ReadonlySet<string> = new Set(['json_each', 'json_tree', 'jsonb_each', 'jsonb_tree']);

/** Refuses what a statement names outside of the scope. What a view inside reads is its own. */
export function refuseOutside(tokens: readonly Token[], schema: Schema, scope: Scope): void {
  for (const use of findTables(tokens)) if (!isInside(use, schema, scope)) throw refuseTable(use, scope);
  const call = tokens.find((token, at) => tokens[at + 1]?.word === '(' && namingFunctions.has(toKey(token.name)));
  if (call !== undefined) throw outOfScope(`${call.name}() reads any table by its name`, call.start + 1);
}

function refuseTable({ schema, name, at }: TableUse, scope: Scope) {
  return scope.refuse(schema === undefined ? name : `${schema}.${name}`, at + 1);
}

function isInside({ schema: place, name, isCall }: TableUse, schema: Schema, scope: Scope): boolean {
  const key = toKey(name);
  if (ownTables.test(key)) return false;
  if (isCall && tableFunctions.has(key) && findName(schema, name) === undefined) return true;
  return allowsTable(schema, scope, { schema: place, name });
}

/** Case does not count in SQLite, and counts in a scope, so the name is taken as the file has it. */
export function allowsTable(
  schema: Schema,
  scope: Scope,
  { schema: place = 'main', name }: { schema?: string | undefined; name: string },
) {
  return scope.allows(toKey(place), findName(schema, name) ?? name);
}

function findName({ objects }: Schema, name: string): string | undefined {
  return objects.find(({ type, name: other }) => (type === 'table' || type === 'view') && toKey(other) === toKey(name))?.name;
}

/** The names of tables in a definition: behind these words, and what they are followed by. */
export function findDefined(tokens: readonly Token[]): readonly TableUse[] {
  const found: TableUse[] = [];
  for (const [at, { word }] of tokens.entries()) {
    if (!places.has(word) || (word === 'ON' && tokens[0]?.word !== 'CREATE')) continue;
    let next = at + 1;
    while (['IF', 'NOT', 'EXISTS'].includes(tokens[next]?.word ?? '')) next += 1;
    const first = tokens[next] ?? noToken;
    const isAction = word === 'ON' && actions.has(first.word);
    if (!isAction && isTable(first)) found.push(readTable(tokens, next).use);
  }
  return found;
}

const places: ReadonlySet<string> = new Set(['TABLE', 'VIEW', 'REFERENCES', 'ON']);
/** `ON DELETE CASCADE` and `ON CONFLICT` name no table. */
const actions: ReadonlySet<string> = new Set(['DELETE', 'UPDATE', 'CONFLICT']);
