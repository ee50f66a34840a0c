import type { BaseConnection } from '../../connection.ts';
import { type ListedProject, listProjects } from '../../doors/project/list-projects.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { stateFolderFor } from '../../registry/sources/paths.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { formatColumns } from '../terminal/table.ts';

/** Every project that was ever served: its port, and what its server is doing. */
export async function projects<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, options } = call;
  const { app, name } = definition.program;
  const listed = await listProjects(stateFolderFor(findStorePath(app, terminal)));
  if (options.json) terminal.print(JSON.stringify(listed, null, 2));
  else if (listed.length > 0) terminal.print(formatColumns(['project', 'port', 'state', 'clients', 'url'], listed.map(toRow)));
  else terminal.printError(`No project has been served yet. Start a server in its folder: ${name} serve`);
  return exitCodes.ok;
}

function toRow({ root, port, state, clients, url }: ListedProject): string[] {
  return [root, `${port}`, state, clients === undefined ? '' : `${clients}`, url ?? ''];
}
