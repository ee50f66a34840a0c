import { Failure, forPerson, type PersonQuery } from '@dbmole/core';
import type { SqlBackend } from './backend.ts';
import type { RowSink } from './engine.ts';

/** A person may wait longer than a model. */
const timeoutMs = 3_600_000;
const keepPerCell = 16 * 1024 * 1024;

/** `query` on the command line: what the tool does, without its cuts. */
export const personQuery: PersonQuery<Pick<SqlBackend, 'read'>> = {
  usage: '"SQL"',
  about: 'ask yourself: a table, or CSV in a pipe; Ctrl-C stops it',
  example: '"select count(*) from orders"',
  options: ['format', 'limit', 'database'],
  async run(backend, { words, limit, database, signal, answer }) {
    const sink: RowSink = {
      columns: (columns) => answer.columns(columns.map(({ name }) => name)),
      row: (cells) => answer.row(cells.map((cell) => (typeof cell === 'object' && cell !== null ? cell.text : cell))),
    };
    const request = { sql: words.join(' '), params: [], timeoutMs, keepPerCell, maxRows: limit };
    try {
      await backend.read(request, sink, { signal, database });
    } catch (error) {
      throw withStep(error);
    }
  },
};

const steps: readonly (readonly [words: RegExp, step: string])[] = [
  [/\bexecute\b/, 'This command only ever reads. Change data with a program of the database, or let an agent use `execute`.'],
  [/`export_query`/, 'To save rows in a file, add --format csv and send the output there.'],
  [/`explain`/, 'EXPLAIN ANALYZE in front of a query measures it.'],
  [/in each call/, 'Ask one statement at a time.'],
  [/\bparams\b/, 'There are no params here: values stand in the statement, or in a table.'],
];

/** What is refused is refused to a model first, with a tool as the way out, which a person does not have. */
function withStep(error: unknown): unknown {
  if (!(error instanceof Failure) || error.personHint !== undefined) return error;
  const step = steps.find(([words]) => words.test(error.hint ?? ''))?.[1];
  return step === undefined ? error : forPerson(error, step);
}
