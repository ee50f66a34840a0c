import type { CommandCall, CommandRun } from '../cli/command.ts';
import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import { createApp } from '../program/app.ts';

type Call<C extends BaseConnection, B extends Backend> = Pick<CommandCall<C, B>, 'definition' | 'terminal' | 'words'> &
  Partial<Pick<CommandCall<C, B>, 'options'>>;

/** Runs a command as the command line does, and ends what it opened. */
export async function runCommand<C extends BaseConnection, B extends Backend>(
  command: CommandRun,
  call: Call<C, B>,
): Promise<number> {
  const { env, cwd, home } = call.terminal;
  const app = createApp(call.definition, { env, cwd, home, log: () => undefined });
  try {
    return await command({ options: {}, serverArgs: [], ...call, app });
  } finally {
    await app.dispose();
  }
}
