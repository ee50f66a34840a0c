import { homedir } from 'node:os';

/** What a command needs of the world; a test hands in its own. */
export interface Terminal {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
  /** To stdout: what was asked for, and nothing else. */
  print(text: string): void;
  /** To stderr: what went wrong, and what a person should know meanwhile. */
  printError(text: string): void;
  /** A person's answer, or undefined when nobody can be asked. */
  ask(question: string): Promise<string | undefined>;
}

/** The real terminal of this process. */
export function processTerminal(): Terminal {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    print: (text) => void process.stdout.write(`${text}\n`),
    printError: (text) => void process.stderr.write(`${text}\n`),
    ask: askPerson,
  };
}

async function askPerson(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
