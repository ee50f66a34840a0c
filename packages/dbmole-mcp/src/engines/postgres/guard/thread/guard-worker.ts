import { parentPort } from 'node:worker_threads';
import { createColumnPolicy } from '@dbmole/core/match-columns';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Trust } from '../../../../guard/trust.ts';
import { createScope } from '../../../../policy/scope.ts';
import { parseShape } from '../../advice/read-shape.ts';
import { readChange } from '../../change/read-change.ts';
import { readDdl } from '../../ddl/read-ddl.ts';
import { createDryRunChecker } from '../../session/dry-run.ts';
import { type Checker, createChecker } from '../checker.ts';
import { ColumnTracer } from '../columns/column-tracer.ts';
import { scopeDialect } from '../scope.ts';
import {
  dryRuns,
  type FromThread,
  fromPlain,
  type Inspection,
  type PlainTrust,
  type ToThread,
  toPlain,
} from './guard-messages.ts';

/** Parses and checks statements in a thread, so that the main thread stays responsive. */

/** The number of databases whose catalog is cached. */
const maxDatabases = 16;

const port = parentPort;
const checkers = new Map<number, Checker>();
const dryRunChecker = createDryRunChecker();
const questions = new Map<number, { id: number; rows: (string | null)[][]; resolve: Answer; reject: (error: unknown) => void }>();
let lastQuestion = 0;

type Answer = (rows: readonly (readonly (string | null)[])[]) => void;

port?.on('message', (message: ToThread) => {
  if (message.type === 'check') void check(message);
  else if (message.type === 'inspect') void inspect(message);
  else if (message.type === 'forget') checkers.get(message.database)?.forget();
  else if (message.type === 'ping') send({ type: 'pong' });
  else answer(message);
});

async function check({ id, sql, isAlone, isWrite, ...of }: Extract<ToThread, { type: 'check' }>): Promise<void> {
  try {
    const checker = getChecker(of);
    const ask = createQuestion(id);
    const acceptance =
      isWrite === true
        ? { premise: '', leavesState: false, columns: await checker.checkWrite(sql, ask) }
        : await checker.check(sql, ask, isAlone);
    send({ type: 'accepted', id, acceptance });
  } catch (error) {
    send({ type: 'failed', id, failure: toPlain(error) });
  }
}

async function inspect({ id, what, texts }: Extract<ToThread, { type: 'inspect' }>): Promise<void> {
  try {
    const [first = ''] = texts;
    send({ type: 'inspected', id, result: await inspectors[what](first) });
  } catch (error) {
    send({ type: 'failed', id, failure: toPlain(error) });
  }
}

const inspectors: Readonly<Record<Inspection, (text: string) => Promise<unknown>>> = {
  ddl: readDdl,
  shape: parseShape,
  change: readChange,
};

type CheckerOf = Pick<Extract<ToThread, { type: 'check' }>, 'database' | 'trust' | 'scope' | 'columns'>;

function getChecker({ database, trust, scope, columns }: CheckerOf): Checker {
  if (database === dryRuns) return dryRunChecker;
  const policy = columns && createColumnPolicy(columns);
  const checker =
    checkers.get(database) ??
    createChecker({
      trust: trust && openTrust(database, trust),
      scope: scope && createScope(scope, scopeDialect),
      tracer: policy && new ColumnTracer(policy),
    });
  checkers.delete(database);
  checkers.set(database, checker);
  const [oldest] = checkers.keys();
  if (checkers.size > maxDatabases && oldest !== undefined) checkers.delete(oldest);
  return checker;
}

/** Hashes are kept in this thread, and stored by the main thread for the next process. */
function openTrust(database: number, { functions, extensions, known }: PlainTrust): Trust {
  const all: Record<string, string> = { ...known };
  return {
    functions,
    extensions,
    known: () => all,
    remember(found) {
      Object.assign(all, found);
      send({ type: 'remember', database, found });
    },
  };
}

function createQuestion(id: number): CatalogQuestion {
  return async (sql, params = []) =>
    await new Promise((resolve, reject) => {
      const question = ++lastQuestion;
      questions.set(question, { id, rows: [], resolve, reject });
      send({ type: 'ask', id, question, sql, params });
    });
}

function answer(message: Extract<ToThread, { type: 'rows' | 'unanswered' }>): void {
  const asked = questions.get(message.question);
  if (asked === undefined) return;
  if (message.type === 'unanswered') asked.reject(fromPlain(message.failure));
  else {
    for (const row of message.rows) asked.rows.push([...row]);
    if (!message.isLast) return;
    asked.resolve(asked.rows);
  }
  questions.delete(message.question);
}

function send(message: FromThread): void {
  port?.postMessage(message);
}
