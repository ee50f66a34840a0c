import type { Step } from '@dbmole/core/failure';

/** Next steps that several tools and engines share. */
export const seeTables: Step = { call: 'list_tables', run: 'tables CONNECTION', to: 'see the tables' };
export const seeColumns: Step = { call: 'describe_table', run: 'describe CONNECTION TABLE', to: 'see the columns' };
export const seeDatabases: Step = {
  call: 'list_databases',
  run: 'databases CONNECTION',
  to: 'see the databases',
  cli: 'Check the name of the database.',
};
export const useQuery: Step = { call: 'query', run: 'query CONNECTION "SQL"', to: 'run it as a read' };
export const seePlan: Step = { call: 'explain', run: 'explain CONNECTION "SQL"', to: 'see the plan' };

/** The next step for a statement that is not a read, without a better one. */
export const useExecute: Step = {
  call: 'execute',
  writes: true,
  to: 'run it',
  tool: 'No tool of this server changes data.',
  cli: 'This command only reads. Use a client of the database, such as psql or mysql, to change data.',
};

export const exportRows: Step = {
  call: 'export_query',
  to: 'write the rows to a file; it needs a server that was started with --export-dir',
  cli: 'To write the rows to a file, add --format csv and redirect the output.',
};

export const measureQuery: Step = {
  call: 'explain',
  run: 'explain CONNECTION "SQL" --analyze',
  to: 'measure a query with analyze',
};

/** The command line has no params. */
export const passParams: Step = { tool: 'Pass values as params.', cli: 'Write the values into the statement.' };

/** The next step for a text with several statements. */
export const passAsList: Step = { tool: 'Pass several statements to query as a list.', cli: 'Run one statement at a time.' };
