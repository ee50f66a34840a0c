import { createColumnPolicy, listColumnLayers } from '@dbmole/core';
import { passSample } from '../approval/changed-rows.ts';
import type { Connection } from '../connection/schema.ts';
import type { CatalogRun, SqlEngine } from '../engine.ts';
import { checkText } from '../guard/read-statement.ts';
import type { Scope } from '../policy/scope.ts';
import type { CallOptions, SqlBackend } from './backend.ts';
import { withTextParams } from './bind-params.ts';
import { refuseScopedList } from './connection-scope.ts';
import type { DatabaseEntry } from './guarded-read.ts';
import { transactGuarded, writeGuarded } from './guarded-write.ts';

interface WritePlace {
  engine: SqlEngine;
  scope: Scope | undefined;
  config: Connection;
}

interface WriteParts {
  /** The error with what the engine says of a way out. */
  hint(error: unknown, sql: string): unknown;
  /** What is remembered of plans may be old. */
  onWritten(): void;
  find(call: CallOptions): { entry: DatabaseEntry; run: CatalogRun };
}

type CallerWrites = Pick<SqlBackend, 'write' | 'transact' | 'bind' | 'passSample' | 'changes'>;

/** How callers write through a backend. */
export function openCallerWrites({ engine, scope, config }: WritePlace, { hint, find, onWritten }: WriteParts): CallerWrites {
  const policy = createColumnPolicy(listColumnLayers(config) ?? []);
  return {
    changes: engine.changes,
    bind: (sql, params) => withTextParams(engine, { sql, params }),
    passSample: (sample, call) => passSample(sample, { policy, protect: find(call).entry.protect }),
    async write(given, sink, call) {
      checkText(given.sql);
      const { entry, run } = find(call);
      const write = { request: withTextParams(engine, given), sink, signal: call.signal };
      const written = writeGuarded(entry, run, write).finally(onWritten);
      return await written.catch((error: unknown) => Promise.reject(hint(error, given.sql)));
    },
    async transact(request, work, call) {
      for (const { sql } of request.statements) checkText(sql);
      refuseScopedList(
        request.statements.map(({ sql }) => sql),
        { scope, grammar: engine.grammar },
      );
      const { entry, run } = find(call);
      return await transactGuarded(entry, run, { request, work, signal: call.signal, hint }).finally(onWritten);
    },
  };
}
