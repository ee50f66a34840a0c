import type { ScopeDialect } from '../../../policy/scope.ts';

/** A connection with a scope is refused when it is read, so this is never asked. */
export const scopeDialect: ScopeDialect = { systemSchemas: /^$/, hasOneLevel: true };
