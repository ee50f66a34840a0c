import { formatEvent, type Log } from '../log.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Notes {
  /** The same, listening to what is said to the person. */
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
