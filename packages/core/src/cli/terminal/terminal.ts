import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '../../failure.ts';
import { formatEvent, type Log } from '../../log.ts';

/** What a command needs of the world; a test hands in its own. */
export interface Terminal {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
  /** Writes to stdout: the requested output, and nothing else. */
  print(text: string): void;
  /** Prints to stderr what went wrong, and what a person should know meanwhile. */
  printError(text: string): void;
  /** A person's answer, or undefined without a terminal. Throws when they press Ctrl-C or Ctrl-D, as `askSecret` does. */
  ask(question: string): Promise<string | undefined>;
  /** A person reads what is printed. */
  readonly isTerminal: boolean;
  /** Characters of a line on the terminal; undefined elsewhere. */
  readonly width: number | undefined;
  /** What is piped in, to its end; undefined when that is a terminal. */
  readInput(): Promise<string | undefined>;
  /** Shows that something is under way, where a person may wonder. The function it returns ends that. */
  busy(what: string): () => void;
  /** Calls the listener on Ctrl-C, a closed window, or a closed pipe. Returns how to stop listening. */
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
  // The terminal itself may be gone, and then there is nowhere to report it.
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
    width: (process.stdout.isTTY && process.stdout.columns) || undefined,
    readInput,
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
export async function askUnseen(question: string, { input, output }: Unseen): Promise<string> {
  // First, so that nothing that is typed at the question is shown.
  input.setRawMode(true);
  input.setEncoding('utf8');
  output.write(question);
  const typed = new TypedLine();
  try {
    // It stays open, as there may be another question.
    for await (const chunk of input.iterator({ destroyOnReturn: false })) if (typed.take(String(chunk))) break;
    if (typed.text === undefined) throw gaveUp();
    return typed.text;
  } finally {
    input.setRawMode(false);
    input.pause();
    output.write('\n');
  }
}

interface Unseen {
  input: Readable & { setRawMode(isRaw: boolean): unknown };
  output: Writable;
}

async function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  return stdin.isTTY ? await askUnseen(question, { input: stdin, output: stderr }) : undefined;
}

/** What the keys make of a line. */
export class TypedLine {
  /** Undefined until it is finished, and when it was given up. */
  text: string | undefined;
  readonly #letters: string[] = [];

  /** True when the line is over. */
  take(chunk: string): boolean {
    for (const letter of chunk) {
      if (letter === keys.interrupt || letter === keys.end) return true;
      if (letter === '\r' || letter === '\n') {
        this.text = this.#letters.join('');
        return true;
      }
      if (letter === keys.backspace || letter === keys.delete) this.#letters.pop();
      else this.#letters.push(letter);
    }
    return false;
  }
}

async function readInput(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function askPerson(question: string): Promise<string | undefined> {
  return process.stdin.isTTY ? await askLine(question, { input: process.stdin, output: process.stderr }) : undefined;
}

/** Ctrl-C or Ctrl-D instead of an answer ends the command. */
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
  return new Failure('cancelled', 'cancelled');
}

export interface Notes {
  /** The same terminal, which also notes what is printed. */
  terminal: Terminal;
  log: Log;
  /** Prints at the end what the user has not seen yet. */
  tell(): void;
}

/**
 * The log of a command, for the person who waits for it. A notice is shown at once. A warning waits until the end: most
 * commands say themselves what is wrong with the configuration, with the next step, and once is enough.
 */
export function createNotes(terminal: Terminal, program: string): Notes {
  const waiting = new Set<string>();
  const said = (text: string) => {
    for (const note of waiting) if (text.includes(note)) waiting.delete(note);
    return text;
  };
  return {
    terminal: {
      ...terminal,
      print: (text) => terminal.print(said(text)),
      printError: (text) => terminal.printError(said(text)),
    },
    log(level, message, fields) {
      const note = formatEvent(message, fields);
      if (level === 'notice') terminal.printError(`${program}: ${note}`);
      else if (level === 'warn' || level === 'error') waiting.add(note);
    },
    tell() {
      for (const note of waiting) terminal.printError(`${program}: ${note}`);
      waiting.clear();
    },
  };
}
