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

/** The engine cannot tell what a write leads to, so it could copy what is outside. */
export function refuseScopedWrite({ text }: Scope): Failure {
  return outOfScope(`nothing can be written through a connection with a scope, which is ${text}; nothing was run`);
}

/** What it does to others is shown by their names. */
export function refuseScopedDefinition({ text }: Scope): Failure {
  return outOfScope(`the effects of a definition can show what is outside of the scope of this connection, which is ${text}`);
}

/** Every statement is checked before the first one runs, so none may change what another one leads to. */
export function refuseScopedList(statements: readonly string[], { scope, grammar }: ScopedList): void {
  if (scope === undefined || statements.length < 2) return;
  if (statements.every((sql) => grammar.readWriteKind(sql) === 'dml' || grammar.isQuery(sql))) return;
  throw outOfScope(
    `a list takes only changes of rows where the connection has a scope, which is ${scope.text}; nothing was run`,
    undefined,
    'Run each definition with a call of its own.',
  );
}

interface ScopedList {
  scope: Scope | undefined;
  grammar: Pick<SqlGrammar, 'readWriteKind' | 'isQuery'>;
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
