import { Failure } from '@dbmole/core';
import type { GuardOptions } from '../../../engine.ts';
import { accept, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import { tokenize } from './text/lexer.ts';
import { checkTokens } from './text/statement.ts';

/** The text alone decides, so that no catalog is asked and nothing can change in between. */
const premise = 'text';

/**
 * The first of several walls: the file is opened for reading, `query_only` is on, extensions and ATTACH are off, code in the schema is not
 * trusted, and newer versions of Node ask for each action of a statement. On Node 22 this one alone stops `VACUUM INTO`.
 */
export function createGuard({ scope, columns }: GuardOptions = {}): ReadGuard {
  if (scope !== undefined || columns !== undefined) throw unsupported();
  return {
    async check(sql) {
      checkText(sql);
      checkTokens(tokenize(sql));
      return accept(sql, premise);
    },
    forget: () => undefined,
  };
}

/** Another policy of the same name can hold as well, which the schema of this connection has not seen. */
function unsupported(): Failure {
  return new Failure('config', 'a policy limits tables or columns of this name, which SQLite connections do not support', {
    hint: 'Give the SQLite connection another name, or remove these keys from the other one.',
  });
}
