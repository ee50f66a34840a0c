import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { serve } from '@dbmole/core/stdio-life';
import { createHubDoor } from './hub/door.ts';
import type { StartOptions } from './hub/start-list.ts';
import { disposeMs, flags, program, settings } from './options.ts';
import { ClientSession } from './session/client-session.ts';
import { readStartOptions } from './start-options.ts';

/** Without a command it serves; the commands are for people, and loaded only for them. */
export async function main(): Promise<void> {
  const options = readServerOptions(process.argv.slice(2));
  if (options === undefined) {
    const { runCommandLine } = await import('./commands/command-line.ts');
    const code = await runCommandLine();
    if (code !== undefined) process.exitCode = code;
    return;
  }
  if (process.stdin.isTTY) {
    process.stderr.write(`${program.name}: an MCP server, waiting for a client on standard input. See --help.\n`);
  }
  const door = createHubDoor(options, (line) => process.stderr.write(`${line}\n`));
  process.stderr.on('error', () => undefined);
  serve({
    attach: ({ stdin, stdout }, wake) => void new ClientSession({ stdin, stdout, session: 'stdio', door, onCall: wake }),
    ...{ calls: door.calls, log: door.log, dispose: door.dispose, disposeMs },
  });
}

/** Undefined for everything but a server: commands, `--help`, and options that are wrong, which the command line explains. */
function readServerOptions(args: readonly string[]): StartOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries([
        ...settings.map(({ name }) => [name, { type: 'string' }] as const),
        ...[...flags, { name: 'shared' }].map(({ name }) => [name, { type: 'boolean' }] as const),
      ]),
    });
    return readStartOptions(values, { env: process.env, cwd: process.cwd(), home: homedir() });
  } catch {
    return undefined;
  }
}
