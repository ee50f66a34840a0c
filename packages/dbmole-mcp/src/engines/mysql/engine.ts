import { Failure } from '@dbmole/core';
import type { SqlEngine } from '../../engine.ts';
import { hintFor } from './errors/statement-hint.ts';
import { detectFlavour } from './flavour.ts';
import { createGuard } from './guard/guard.ts';
import { scopeDialect } from './guard/scope.ts';
import { grammar } from './session/grammar.ts';
import { formatQuestion } from './session/own-question.ts';
import { openSession } from './session/session.ts';

/** MySQL and MariaDB. */
export const engine: SqlEngine = {
  openSession,
  createGuard,
  hintFor,
  grammar,
  scopeDialect,
  formatQuestion,
  // The engine has no arrays.
  formatListParam: (value) => JSON.stringify(value),
  async identify(run) {
    const [row] = await run('SELECT version(), current_user(), database()');
    const [version, user, database] = row ?? [];
    if (!version || !user) throw new Failure('engine', 'the server did not report its version');
    return { ...readIdentity(version), user, database: database ?? undefined };
  },
};

function readIdentity(text: string): { product: string; version: string } {
  const { product, version } = detectFlavour(text);
  return { product, version };
}
