import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '../failure.ts';

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
  /** A person's answer, or undefined when nobody can be asked. Throws when they would rather stop, as the next one does. */
  ask(question: string): Promise<string | undefined>;
  /** A person reads what is printed. */
  readonly isTerminal: boolean;
  /** Shows that something is under way, where somebody may wonder. Ends when the answer is called. */
  busy(what: string): () => void;
  /** Ctrl-C, a closed window, or nobody who reads on, while somebody listens. Answers how to stop listening. */
  onInterrupt(listener: () => void): () => void;
  /** Why what is printed does not arrive any more: `head` has enough, the disk is full. */
  outputError(): NodeJS.ErrnoException | undefined;
  /** The same for a secret: what is typed is not shown. */
  askSecret(question: string): Promise<string | undefined>;
}

/** The real terminal of this process. */
export function processTerminal(): Terminal {
  const busy = createBusy(process.stderr);
  const output = watchOutput(process.stdout);
  // The terminal itself may be gone, and then nobody can be told.
  process.stderr.on('error', () => undefined);
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    print: (text) => void process.stdout.write(`${text}\n`),
    printError(text) {
      busy.hide();
      process.stderr.write(`${text}\n`);
    },
    ask: askPerson,
    askSecret,
    isTerminal: process.stdout.isTTY === true,
    busy: busy.show,
    onInterrupt(listener) {
      const forgets = [listenForInterrupt(listener), output.onError(listener)];
      return () => forgets.forEach((forget) => void forget());
    },
    outputError: output.error,
  };
}

const frames = ['|', '/', '-', '\\'];
const frameMs = 120;

/** On stderr, so that what is printed stays clean; gone again without a trace. */
export function createBusy(stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  let shown = 0;
  const hide = () => {
    if (shown > 0) stderr.write(`\r${' '.repeat(shown)}\r`);
    shown = 0;
  };
  const show = (what: string) => {
    if (!stderr.isTTY) return () => undefined;
    let frame = 0;
    const timer = setInterval(() => {
      stderr.write(`\r${frames[frame++ % frames.length]} ${what}`);
      shown = what.length + 2;
    }, frameMs);
    return () => {
      clearInterval(timer);
      hide();
    };
  };
  return { show, hide };
}

/** Without a listener it would end the process with a trace, in the middle of a statement. */
function watchOutput(stdout: NodeJS.EventEmitter) {
  let first: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error) => {
    first ??= error;
  });
  return {
    error: () => first,
    onError(listener: () => void): () => void {
      stdout.on('error', listener);
      return () => void stdout.off('error', listener);
    },
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The second time it ends the process, as it does everywhere. */
function listenForInterrupt(listener: () => void): () => void {
  const forget = () => {
    for (const signal of signals) process.off(signal, heard);
  };
  const heard = () => {
    forget();
    listener();
  };
  for (const signal of signals) process.on(signal, heard);
  return forget;
}

const keys = { interrupt: '\u0003', end: '\u0004', backspace: '\b', delete: '\u007f' } as const;

/** Key by key, because a line reader shows what it reads. */
async function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  // First, so that nothing that is typed at the question is shown.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stderr.write(question);
  const typed = new TypedLine();
  try {
    for await (const chunk of stdin) if (typed.take(String(chunk))) break;
    if (typed.text === undefined) throw gaveUp();
    return typed.text;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** What the keys make of a line. */
export class TypedLine {
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
  return process.stdin.isTTY ? await askLine(question, { input: process.stdin, output: process.stderr }) : undefined;
}

/** Whoever presses Ctrl-C or Ctrl-D instead of an answer wants to be out. */
export async function askLine(question: string, streams: { input: Readable; output: Writable; terminal?: boolean }) {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface(streams);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('SIGINT', () => reject(gaveUp())).once('close', () => reject(gaveUp()));
      lines.question(question).then(resolve, reject);
    });
  } finally {
    lines.close();
  }
}

function gaveUp(): Failure {
  return new Failure('cancelled', 'stopped by you');
}
