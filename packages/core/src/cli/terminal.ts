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
  /** A person reads what is printed. */
  readonly isTerminal: boolean;
  /** Shows that something is under way, where somebody may wonder. Ends when the answer is called. */
  busy(what: string): () => void;
  /** Ctrl-C, while somebody listens. Answers how to stop listening. */
  onInterrupt(listener: () => void): () => void;
  /** The same for a secret: what is typed is not shown. */
  askSecret(question: string): Promise<string | undefined>;
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
    askSecret,
    isTerminal: process.stdout.isTTY === true,
    busy: showBusy,
    onInterrupt: listenForInterrupt,
  };
}

const frames = ['|', '/', '-', '\\'];
const frameMs = 120;

/** On stderr, so that what is printed stays clean; gone again without a trace. */
function showBusy(what: string): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) return () => undefined;
  let frame = 0;
  const draw = () => void stderr.write(`\r${frames[frame++ % frames.length]} ${what}`);
  const timer = setInterval(draw, frameMs);
  return () => {
    clearInterval(timer);
    if (frame > 0) stderr.write(`\r${' '.repeat(what.length + 2)}\r`);
    frame = 0;
  };
}

/** The second time it ends the process, as it does everywhere. */
function listenForInterrupt(listener: () => void): () => void {
  process.once('SIGINT', listener);
  return () => void process.off('SIGINT', listener);
}

const keys = { interrupt: '\u0003', end: '\u0004', backspace: '\b', delete: '\u007f' } as const;

/** Key by key, because a line reader shows what it reads. */
async function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  const typed = new TypedLine();
  try {
    for await (const chunk of stdin) if (typed.take(String(chunk))) break;
    return typed.text;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** What the keys make of a line. */
class TypedLine {
  /** Undefined until it is finished, and when it was given up. */
  text: string | undefined;
  readonly #letters: string[] = [];

  /** True when the line is over. */
  take(chunk: string): boolean {
    for (const letter of chunk) {
      if (letter === keys.interrupt) return true;
      if (letter === '\r' || letter === '\n' || letter === keys.end) {
        this.text = this.#letters.join('');
        return true;
      }
      if (letter === keys.backspace || letter === keys.delete) this.#letters.pop();
      else this.#letters.push(letter);
    }
    return false;
  }
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
