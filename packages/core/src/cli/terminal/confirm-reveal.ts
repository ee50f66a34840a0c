import { Failure } from '../../failure.ts';
import type { Terminal } from './terminal.ts';

/**
 * Whether a person at a terminal wants to see protected columns as they are. A program that runs the command cannot say so: it has no
 * terminal to answer in, and no option answers in advance.
 */
export async function confirmReveal(terminal: Pick<Terminal, 'ask' | 'isTerminal'>, connection: string): Promise<boolean> {
  const question = `This shows the protected columns of ${connection} as they are. Type its name to go on: `;
  const answer = terminal.isTerminal ? await terminal.ask(question) : undefined;
  if (answer === undefined) throw notInTerminal();
  if (answer.trim() === connection) return true;
  throw new Failure('cancelled', 'the name was not typed; nothing was shown');
}

function notInTerminal(): Failure {
  return new Failure('refused', '--reveal needs a terminal for both the question and the answer', {
    hint: 'Run it in a terminal, without a pipe. Leave --reveal out to see the columns as the policy shows them.',
  });
}
