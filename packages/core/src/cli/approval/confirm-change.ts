import type { PersonAction } from '../../approval/person.ts';
import { isYes } from '../terminal/confirm.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Shows a change, and asks whether to commit it. No option answers this in advance. */
export async function confirmChange(terminal: Pick<Terminal, 'ask' | 'printError'>, message: string): Promise<PersonAction> {
  terminal.printError(message);
  const answer = await terminal.ask('Commit it? [y/N] ');
  if (answer === undefined) return 'unable';
  return isYes(answer) ? 'accept' : 'decline';
}
