import type { PersonQuery } from '@dbmole/core';
import type { SqlBackend } from './backend.ts';
import type { RowSink } from './engine.ts';

/** A person may wait longer than a model. */
const timeoutMs = 3_600_000;
const keepPerCell = 16 * 1024 * 1024;

/** `query` on the command line: what the tool does, without its cuts. */
export const personQuery: PersonQuery<SqlBackend> = {
  usage: '"SQL"',
  async run(backend, { words, limit, database, signal, answer }) {
    const sink: RowSink = {
      columns: (columns) => answer.columns(columns.map(({ name }) => name)),
      row: (cells) => answer.row(cells.map((cell) => (typeof cell === 'object' && cell !== null ? cell.text : cell))),
    };
    const request = { sql: words.join(' '), params: [], timeoutMs, keepPerCell, maxRows: limit };
    await backend.read(request, sink, { signal, database });
  },
};
