import { type CliQuery, type CliSchema, Failure, type ToolCommand } from '@dbmole/core';
import type { SqlBackend } from './backend/backend.ts';
import { withAdvice } from './catalog/unknown-name.ts';
import type { RowSink } from './engine.ts';
import { formats } from './export/row-format.ts';
import { readText } from './read-cell.ts';

/** A person may wait longer than a model. */
const timeoutMs = 3_600_000;
const keepPerCell = 16 * 1024 * 1024;

/** `query` on the command line: what the tool does, without its cuts. */
export const cliQuery: CliQuery<SqlBackend> = {
  usage: '"SQL"',
  about: 'run a read-only query; prints a table, or CSV in a pipe',
  example: '"select count(*) from orders"',
  options: ['format', 'vertical', 'limit', 'database', 'file', 'reveal'],
  async run(backend, { words, limit, database, reveals, signal, answer, note, record }) {
    const sink: RowSink = {
      columns: (columns) =>
        answer.columns(
          columns.map(({ name }) => name),
          formats.jsonl(columns).row,
        ),
      row: (cells) => answer.row(cells.map(readText)),
    };
    const request = { sql: words.join(' '), params: [], timeoutMs, keepPerCell, maxRows: limit };
    const options = { signal, database, reveals };
    const read = async (on: SqlBackend) => {
      const { costNote, protectedColumns } = await on.read(request, sink, options);
      for (const text of [protectedColumns, costNote]) if (text !== undefined) note(text);
    };
    try {
      if (record === undefined) await read(backend);
      else await (await import('./backend/recorded-backend.ts')).recordCall(backend, record, { target: request, work: read });
    } catch (error) {
      throw error instanceof Failure ? await withAdvice(error, { backend, options }, request.sql) : error;
    }
  },
};

export const cliSchema: CliSchema<SqlBackend> = {
  about: 'print the whole schema, one line per table and column',
  example: 'shop --diff schema.txt',
  list: async (backend, where) => await (await import('./catalog/schema-lines.ts')).listSchemaLines(backend, where),
};

/** What the tools for the schema do, at the command line. */
export const toolCommands: readonly ToolCommand[] = [
  {
    name: 'tables',
    tool: 'list_tables',
    takes: '[PATTERN]',
    words: [1, 2],
    about: 'list tables and views, with rows and sizes; * is the wildcard',
    example: 'tables shop "*order*"',
    options: ['database', 'schema', 'limit', 'kind', 'without'],
    argumentsOf: ([pattern]) => ({ pattern }),
    isTable: true,
  },
  {
    name: 'describe',
    tool: 'describe_table',
    takes: 'TABLE…',
    words: [2, 21],
    about: 'show columns, keys, references and indexes of tables',
    example: 'describe shop orders --parts indexes,stats',
    options: ['database', 'schema', 'parts'],
    argumentsOf: (tables) => ({ tables }),
    isTable: false,
  },
  {
    name: 'search',
    tool: 'search_schema',
    takes: 'WORD…',
    words: [2, 9],
    about: 'find tables, columns and routines by words',
    example: 'search shop customer email',
    options: ['database', 'schema', 'limit'],
    argumentsOf: (words) => ({ text: words.join(' ') }),
    isTable: true,
  },
  {
    name: 'joins',
    tool: 'search_schema',
    takes: 'TABLE TABLE',
    words: [3, 3],
    about: 'find the shortest joins between two tables over foreign keys',
    example: 'joins shop order_items customers',
    options: ['database', 'schema'],
    argumentsOf: ([from, to]) => ({ from, to }),
    isTable: false,
  },
  {
    name: 'explain',
    tool: 'explain',
    takes: '"SQL"',
    words: [2, Number.POSITIVE_INFINITY],
    about: 'show the plan of a query, condensed',
    example: 'explain shop "select * from orders where id = 1" --analyze',
    options: ['database', 'analyze'],
    argumentsOf: (words) => ({ sql: words.join(' ') }),
    isTable: false,
  },
  {
    name: 'diagnose',
    tool: 'diagnose',
    takes: '[CHECK [SQL]]',
    words: [1, 3],
    about: 'find what is wrong with the database, worst first',
    example: 'diagnose shop indexes',
    options: ['database', 'schema', 'limit'],
    argumentsOf: ([check, sql]) => ({ check, sql }),
    isTable: false,
  },
  {
    name: 'databases',
    tool: 'list_databases',
    takes: '',
    words: [1, 1],
    about: 'list the databases of the server',
    example: 'databases shop',
    options: ['limit'],
    argumentsOf: () => ({}),
    isTable: true,
  },
];
