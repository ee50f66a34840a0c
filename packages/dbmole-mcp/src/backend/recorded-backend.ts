import { type CallRecord, type EndStatement, Failure, type StatementEnd, type StatementKind } from '@dbmole/core';
import type { Verdict, WriteTransaction } from '../approval/change.ts';
import { systemNames } from '../connection/connection-url.ts';
import type { RowSink, WriteEnd } from '../engine.ts';
import { maskLiterals } from '../statement/mask-literals.ts';
import type { CallOptions, SqlBackend } from './backend.ts';

/** The same backend for one call whose statements are recorded, and tagged if that is wanted. */
function recordBackend(backend: SqlBackend, record: CallRecord): SqlBackend {
  const { tag } = record;
  const begin = (sql: string, kind: StatementKind, options: CallOptions, writes = false) =>
    beginStatement({ backend, record }, { sql, kind, writes, database: options.database });
  return {
    ...backend,
    async check(sql, options) {
      try {
        return await backend.check(sql, options);
      } catch (error) {
        // What it accepts is run next, and recorded then.
        begin(sql, 'read', options)({ error });
        throw error;
      }
    },
    async read(request, sink, options) {
      const end = begin(request.sql, 'read', options);
      const counter = countRows(sink);
      return await ending(backend.read({ ...request, tag }, counter, options), (more) => end({ rows: counter.rows(), ...more }));
    },
    async readAll(openReads, options) {
      const ends: EndStatement[] = [];
      let counters: readonly ReturnType<typeof countRows>[] = [];
      const open = () => {
        const reads = openReads();
        counters = reads.map(({ sink }) => countRows(sink));
        return reads.map(({ request, sink }, i) => {
          ends[i] ??= begin(request.sql, 'read', options);
          return { request: { ...request, tag }, sink: counters[i] ?? sink };
        });
      };
      try {
        const results = await backend.readAll(open, options);
        for (const [i, end] of ends.entries()) {
          const result = results[i];
          end({ rows: counters[i]?.rows(), ...(result instanceof Failure ? { error: result } : {}) });
        }
        return results;
      } catch (error) {
        for (const end of ends) end({ error });
        throw error;
      }
    },
    async transact(request, work, options) {
      const { statements, isDryRun } = request;
      const ends = statements.map(({ sql }) => begin(sql, backend.grammar.readWriteKind(sql), options, !isDryRun));
      return await endingAll(ends, tag, (follow) => backend.transact(request, follow(work), options));
    },
    async write(request, sink, options) {
      const end = begin(request.sql, backend.grammar.readWriteKind(request.sql), options, true);
      const counter = countRows(sink);
      const writing = backend.write({ ...request, tag }, counter, options);
      return await ending(writing, (more, result) => end({ rows: counter.rows(), changed: result?.changed, ...more }));
    },
  };
}

type Work<T> = (transaction: WriteTransaction) => Promise<Verdict<T>>;

/** Ends the records of all statements of a transaction. What was rolled back has changed nothing. */
async function endingAll<T>(
  ends: readonly EndStatement[],
  tag: string | undefined,
  run: (follow: (work: Work<T>) => Work<T>) => Promise<T>,
): Promise<T> {
  const results: WriteEnd[] = [];
  let isCommitted = false;
  const follow = (work: Work<T>) => async (transaction: WriteTransaction) => {
    const verdict = await work({
      ask: (sql, params) => transaction.ask(sql, params),
      tryAsk: (sql, params) => transaction.tryAsk(sql, params),
      settle: () => transaction.settle(),
      async run(statement, sink) {
        const end = await transaction.run({ ...statement, tag }, sink);
        results.push(end);
        return end;
      },
    });
    isCommitted = verdict.commit;
    return verdict;
  };
  try {
    const result = await run(follow);
    for (const [i, end] of ends.entries()) end(isCommitted ? { changed: results[i]?.changed } : { isUndone: true });
    return result;
  } catch (error) {
    for (const end of ends) end({ error });
    throw error;
  }
}

/** Runs the work of a call. One that sent nothing, because it was refused or asks a person first, is recorded with its statements all the same. */
export async function recordCall<T>(backend: SqlBackend, record: CallRecord, { target, work }: RecordedWork<T>): Promise<T> {
  try {
    const result = await work(recordBackend(backend, record));
    if (!record.hasStatements) recordTarget({ backend, record }, target, { isUndone: true });
    return result;
  } catch (error) {
    if (!record.hasStatements) recordTarget({ backend, record }, target, { error });
    throw error;
  }
}

function recordTarget(recorded: Recorded, { sql: given, database }: RecordedWork<unknown>['target'], end: StatementEnd): void {
  for (const sql of [given].flat()) {
    if (typeof sql !== 'string') continue;
    const { grammar } = recorded.backend;
    const kind = grammar.isQuery(sql) ? 'read' : grammar.readWriteKind(sql);
    beginStatement(recorded, { sql, kind, writes: false, database })(end);
  }
}

interface RecordedWork<T> {
  /** The arguments of the call. */
  target: { sql?: unknown; database?: string | undefined };
  work(backend: SqlBackend): Promise<T>;
}

interface Recorded {
  backend: SqlBackend;
  record: CallRecord;
}

interface Begun {
  sql: string;
  kind: StatementKind;
  writes: boolean;
  database: string | undefined;
}

function beginStatement({ backend, record }: Recorded, { sql, kind, writes, database }: Begun): EndStatement {
  const { type, database: own } = backend.place;
  return record.begin({
    kind,
    writes,
    system: systemNames[type],
    database: database ?? own,
    describe: () => maskLiterals(sql, backend.grammar.literals),
  });
}

async function ending<T>(work: Promise<T>, end: (more: { error?: unknown }, result?: T) => void): Promise<T> {
  try {
    const result = await work;
    end({}, result);
    return result;
  } catch (error) {
    end({ error });
    throw error;
  }
}

/** Counts the rows that the sink takes. */
function countRows(sink: RowSink): RowSink & { rows(): number | undefined } {
  let count: number | undefined;
  return {
    ...(sink.maxColumns !== undefined && { maxColumns: sink.maxColumns }),
    rows: () => count,
    columns(columns, total) {
      count ??= 0;
      sink.columns(columns, total);
    },
    row(cells) {
      const wantsMore = sink.row(cells);
      if (wantsMore) count = (count ?? 0) + 1;
      return wantsMore;
    },
  };
}
