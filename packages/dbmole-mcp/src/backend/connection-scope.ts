import { type Failure, failureWith, listPolicies } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import type { SqlEngine, SqlGrammar } from '../engine.ts';
import { seePlan } from '../next-steps.ts';
import { createScope, outOfScope, type Scope, type ScopeRules } from '../policy/scope.ts';
import type { CallOptions } from './backend.ts';

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

interface PlanCheck {
  call: CallOptions;
  scope: Scope | undefined;
  grammar: Pick<SqlGrammar, 'findUnplannedWord'>;
}

/** A plan shows what is behind views, so a caller gets it only where it is checked: from `explain`. */
export function refuseOwnPlan(sql: string, { call: { readsPlan }, scope, grammar }: PlanCheck): void {
  const word = scope === undefined || readsPlan === true ? undefined : grammar.findUnplannedWord(sql);
  if (scope === undefined || word === undefined || word === 'SHOW') return;
  const message = `${word} can show what is outside of the scope of this connection, which is ${scope.text}`;
  throw failureWith(outOfScope(message), { hint: seePlan });
}
