import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import { engineUser, isExecutable } from '@dbmole/local-engine';

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Default: our own. */
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly asEngineUser?: boolean;
}

const tailLength = 1_200;

/** Runs to the end and returns what was written to stdout; anything but success is a Failure with the end of the output. */
export function runCommand(command: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.command, command.args, {
      cwd: command.cwd,
      env: command.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(command.asEngineUser ? engineUser() : {}),
    });
    let stdout = '';
    let all = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      all += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      all += text;
    });
    // A program that ends early closes its stdin; its exit code tells the story.
    child.stdin.on('error', () => undefined);
    child.stdin.end(command.input ?? '');
    child.on('error', (cause) => reject(broken(command, cause.message, cause)));
    child.on('close', (exitCode, signal) => {
      if (exitCode === 0) resolve(stdout);
      else reject(broken(command, `ended with ${signal ?? exitCode}: ${all.trim().slice(-tailLength)}`));
    });
  });
}

/** The absolute path of a program, or undefined. Looks into the system directories that a plain user's PATH leaves out. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function broken(command: Command, what: string, cause?: unknown): Failure {
  const shown = [command.command, ...command.args].join(' ').slice(0, 200);
  return new Failure('internal', `${shown} ${what}`, { code: 'E_COMMAND', cause });
}
