import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import type { LoadedQueries } from '../../queries/loaded-queries.ts';
import type { CommandCall } from '../command.ts';

export function requireQueries<C extends BaseConnection, B extends Backend>({
  app,
}: Pick<CommandCall<C, B>, 'app'>): LoadedQueries {
  if (app.queries !== undefined) return app.queries;
  throw new Failure('unknown', 'there is no folder of saved queries', {
    hint: { cli: 'Name one with --queries DIR, or begin a query with `queries new NAME`.' },
  });
}
