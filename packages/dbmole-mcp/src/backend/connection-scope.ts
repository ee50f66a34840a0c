import { type Failure, listPolicies } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import type { SqlEngine } from '../engine.ts';
import { createScope, outOfScope, type Scope, type ScopeRules } from '../policy/scope.ts';

/** The scopes of all policies that hold; undefined where nothing is limited. */
export function listScopes(config: Connection): readonly ScopeRules[] | undefined {
  const scopes = listPolicies(config)
    .map(({ databases, schemas, tables }) => ({ databases, schemas, tables }))
    .filter((rules) => Object.values(rules).some((list) => list !== undefined));
  return scopes.length === 0 ? undefined : scopes;
}

export function openScope(config: Connection, { scopeDialect }: Pick<SqlEngine, 'scopeDialect'>): Scope | undefined {
  return createScope(listScopes(config) ?? [], scopeDialect);
}

/** A call may be made in a database of the scope only. Without a name, PostgreSQL enters the database of the user's name. */
export function refuseDatabase(scope: Scope | undefined, given: string | undefined, place: DatabasePlace): void {
  const database = given ?? (place.scopeDialect.hasOneLevel ? undefined : place.user);
  if (scope === undefined || database === undefined || scope.allowsDatabase(database)) return;
  throw scope.refuse(`database ${database}`);
}

interface DatabasePlace extends Pick<SqlEngine, 'scopeDialect'> {
  user: string | undefined;
}

/** What a write leads to is not checked, so it could copy what is outside. */
export function refuseScopedWrite({ text }: Scope): Failure {
  return outOfScope(`nothing can be written through a connection with a scope, which is ${text}; nothing was run`);
}
