import { Failure } from '@dbmole/core';
import type { SqlEngine } from '../../engine.ts';
import { flavourOf } from './flavour.ts';
import { createGuard } from './guard/guard.ts';
import { openSession } from './session.ts';
import { hintFor } from './statement-hint.ts';

/** MySQL and MariaDB. */
export const engine: SqlEngine = {
  defaultPort: 3306,
  openSession,
  createGuard,
  hintFor,
  async identify(run) {
    const [row] = await run('SELECT version(), current_user(), database()');
    const [version, user, database] = row ?? [];
    if (!version || !user) throw new Failure('engine', 'the server did not say what it is');
    return { ...identityOf(version), user, database: database ?? undefined };
  },
};

function identityOf(text: string): { product: string; version: string } {
  const { product, version } = flavourOf(text);
  return { product, version };
}
