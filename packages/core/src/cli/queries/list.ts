import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import { formatParam } from '../../queries/param-line.ts';
import type { QueryEntry } from '../../queries/query-library.ts';
import { formatVisible } from '../../text.ts';
import type { CommandCall } from '../command.ts';
import { exitCodes } from '../command.ts';
import { formatColumns, saidColumns } from '../terminal/table.ts';

const columns = ['name', 'state', 'effect', 'connection', 'params', 'file'];

/** Every file in the folders, and what it is: a tool, or why not. */
export async function list<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { app, terminal, definition } = call;
  const entries = app.queries?.library.read() ?? [];
  if (entries.length === 0) {
    terminal.print(`There are no saved queries. \`${definition.program.name} queries new NAME\` begins one.`);
    return exitCodes.ok;
  }
  const views: Record<string, string>[] = entries.map(describeEntry);
  const said = saidColumns(columns, views);
  const rows = views.map((view) => said.map((column) => view[column] ?? ''));
  terminal.print(formatColumns(said, rows));
  for (const { path, problem, state } of entries)
    if (problem !== undefined && state !== 'disabled') terminal.printError(`${formatVisible(path)}: ${formatVisible(problem)}`);
  return exitCodes.ok;
}

function describeEntry({ name = '?', state, query, path }: QueryEntry): Record<string, string> {
  return {
    name,
    state,
    effect: query?.effect === 'write' ? 'write' : '',
    connection: query?.connection ?? '',
    params: (query?.params ?? []).map(formatParam).join(', '),
    file: path,
  };
}
