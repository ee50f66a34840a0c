import { outOfScope, type Scope, type ScopeDialect } from '../../../policy/scope.ts';
import type { Reached } from './catalog/origins.ts';
import type { TableUse, Uses } from './text/find-uses.ts';

export const scopeDialect: ScopeDialect = {
  // MariaDB 11.8 takes the letter ſ for s, as this does in Unicode mode.
  systemSchemas: /^(?:mysql|sys|information_schema|performance_schema|ndbinfo)$/iu,
  hasOneLevel: true,
};

/** Refuses statements that only describe: SHOW, DESCRIBE, CHECKSUM and HELP show what there is, whatever they name. */
export function refuseDescription({ isQuery }: Uses, scope: Scope): void {
  if (isQuery) return;
  throw outOfScope(`this statement can show what is outside of the scope of this connection, which is ${scope.text}`);
}

/** Refuses a table that the statement, or a function that it calls, reads outside. What a view inside leads to is its own. */
export function refuseOutside(uses: readonly Reached<TableUse>[], scope: Scope): void {
  for (const { schema: written, name, origin } of uses) {
    const schema = written ?? origin.schema;
    if (origin.isInside || schema === undefined || scope.allows(schema, name)) continue;
    if (origin.via === '') throw scope.refuse(written === undefined ? name : `${written}.${name}`, origin.at + 1);
    throw refuseFunction('a function that the statement calls reads', scope, origin.at);
  }
}

export function refuseFunction(what: string, { text }: Scope, at: number) {
  return outOfScope(`${what} outside of the scope of this connection, which is ${text}`, at + 1);
}
