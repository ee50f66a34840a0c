import { type CliQuery, Failure } from '@dbmole/core';
import type { SqlBackend } from './backend/backend.ts';
import { withAdvice } from './catalog/unknown-name.ts';
import type { RowSink } from './engine.ts';
import { formats } from './export/row-format.ts';

/** A person may wait longer than a model. */
const timeoutMs = 3_600_000;
const keepPerCell = 16 * 1024 * 1024;

/** `query` on the command line: what the tool does, without its cuts. */
export const cliQuery: CliQuery<Pick<SqlBackend, 'read' | 'catalog' | 'catalogRun' | 'grammar'>> = {
  usage: '"SQL"',
  about: 'run a read-only query; prints a table, or CSV in a pipe',
  example: '"select count(*) from orders"',
  options: ['format', 'vertical', 'limit', 'database', 'file'],
  async run(backend, { words, limit, database, signal, answer }) {
    const sink: RowSink = {
      columns: (columns) =>
        answer.columns(
          columns.map(({ name }) => name),
          formats.jsonl(columns).row,
        ),
      row: (cells) => answer.row(cells.map((cell) => (typeof cell === 'object' && cell !== null ? cell.text : cell))),
    };
    const request = { sql: words.join(' '), params: [], timeoutMs, keepPerCell, maxRows: limit };
    const options = { signal, database };
    try {
      await backend.read(request, sink, options);
    } catch (error) {
      throw error instanceof Failure ? await withAdvice(error, { backend, options }, request.sql) : error;
    }
  },
};
