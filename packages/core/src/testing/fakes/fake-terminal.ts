import type { Terminal } from '../../cli/terminal/terminal.ts';

export interface FakeTerminal extends Terminal {
  /** What went to stdout and to stderr, a line for each text. */
  readonly printed: string;
  readonly complained: string;
  readonly asked: readonly string[];
  /** Ctrl-C. */
  interrupt(): void;
}

export interface FakeTerminalOptions {
  argv?: readonly string[];
  env?: Record<string, string>;
  folder?: string;
  /** The person's answers, in turn; the terminal is unattended when they are used up. */
  answers?: readonly (string | undefined)[];
  secrets?: readonly (string | undefined)[];
  isTerminal?: boolean;
  width?: number;
  /** What is piped in. */
  input?: string;
  /** Nothing that is printed arrives. */
  outputError?: NodeJS.ErrnoException;
}

/** A terminal with a person at it who has decided beforehand what to answer. */
export function createFakeTerminal(options: FakeTerminalOptions = {}): FakeTerminal {
  const { argv = [], env = {}, folder = '/nowhere' } = options;
  const written = { printed: '', complained: '' };
  const asked: string[] = [];
  const interrupts: (() => void)[] = [];
  const [answers, secrets] = [[...(options.answers ?? [])], [...(options.secrets ?? [])]];
  const answer = async (question: string, from: (string | undefined)[]) => {
    asked.push(question);
    return from.shift();
  };
  return {
    argv,
    env,
    cwd: folder,
    home: folder,
    asked,
    isTerminal: options.isTerminal ?? true,
    width: options.width,
    readInput: async () => options.input,
    busy: () => () => undefined,
    onInterrupt(listener) {
      interrupts.push(listener);
      return () => interrupts.splice(interrupts.indexOf(listener), 1);
    },
    outputError: () => options.outputError,
    interrupt: () => {
      for (const listener of interrupts) listener();
    },
    get printed() {
      return written.printed;
    },
    get complained() {
      return written.complained;
    },
    print(text) {
      written.printed += `${text}\n`;
    },
    printError(text) {
      written.complained += `${text}\n`;
    },
    ask: (question) => answer(question, answers),
    askSecret: (question) => answer(question, secrets),
  };
}
