import { spawn } from 'node:child_process';
import type { BaseConnection } from '../../connection.ts';
import { PageAccess } from '../../doors/page/page-access.ts';
import { startServer } from '../../doors/page/start-server.ts';
import { findProjectRoot } from '../../doors/project/project-root.ts';
import { readRunning } from '../../doors/project/running-mark.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { stateFolderFor } from '../../registry/sources/paths.ts';
import { type CommandCall, exitCodes } from '../command.ts';

/** Prints a link to the page of this project's server, for one use, and opens it where a person sits at the terminal. */
export async function open<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, serverArgs } = call;
  const { app, name } = definition.program;
  const stateFolder = stateFolderFor(findStorePath(app, terminal));
  const root = findProjectRoot({ cwd: terminal.cwd, projectFileName: `.${app}.json` });
  const running = readRunning(stateFolder, root);
  const { url } = running ?? (await startServer({ name, root, stateFolder, args: serverArgs, env: terminal.env }));
  if (running === undefined) terminal.printError(`Started ${name} serve for ${root}. It runs until it is stopped.`);
  const code = await new PageAccess({ stateFolder, root }).createCode();
  const link = `${new URL('/ui/', url).href}#code=${code}`;
  terminal.print(link);
  if (terminal.isTerminal) openBrowser(link);
  return exitCodes.ok;
}

/** Without a screen, or without the program that finds the browser, the link was printed. */
function openBrowser(link: string): void {
  const { platform, env } = process;
  if (platform === 'linux' && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return;
  const [file = '', ...args] = platform === 'darwin' ? ['open'] : platform === 'win32' ? ['explorer'] : ['xdg-open'];
  const child = spawn(file, [...args, link], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
