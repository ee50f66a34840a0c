import type { GuardOptions } from '../../../engine.ts';
import { accept, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import { createScope } from '../../../policy/scope.ts';
import { openPolicy } from './columns/storage.ts';
import { PolicyGuard } from './policy-guard.ts';
import { textPremise } from './premise.ts';
import { scopeDialect } from './scope.ts';
import { tokenize } from './text/lexer.ts';
import { checkTokens } from './text/statement.ts';

/**
 * The first of several walls: the file is opened for reading, `query_only` is on, extensions and ATTACH are off, code in the schema is not
 * trusted, and newer versions of Node ask for each action of a statement. On Node 22 this one alone stops `VACUUM INTO`.
 */
export function createGuard({ scope: rules, columns: columnRules }: GuardOptions = {}): ReadGuard {
  const scope = rules && createScope(rules, scopeDialect);
  const columns = openPolicy(columnRules);
  const policy = scope === undefined && columns === undefined ? undefined : new PolicyGuard({ scope, columns });
  return {
    async check(sql, run) {
      checkText(sql);
      const tokens = tokenize(sql);
      checkTokens(tokens);
      if (policy === undefined) return accept(sql, textPremise);
      const { stamp, plan } = await policy.checkRead(tokens, sql, run);
      return accept(sql, stamp, { columns: plan });
    },
    checkWrite: async (sql, run) => await policy?.checkWrite(sql, run),
    forget: () => undefined,
  };
}
