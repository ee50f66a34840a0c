import { Failure } from '../../failure.ts';
import type { Terminal } from './terminal.ts';

interface Question {
  question: string;
  /** What a person does without a terminal to be asked in: ends the sentence "Run this in a terminal, or …". */
  instead: string;
}

interface Confirmation {
  question: string;
  instead?: string;
  /** Confirmed in advance with an option. */
  yes: boolean | undefined;
}

/** True after a clear yes, or when it was confirmed in advance. */
export async function confirm(terminal: Pick<Terminal, 'ask'>, { question, yes, instead = 'pass --yes' }: Confirmation) {
  return yes === true || isYes(await askPerson(terminal, { question: `${question} [y/N]`, instead }));
}

/** Without a terminal to ask in, nothing is done. */
export async function askPerson(terminal: Pick<Terminal, 'ask'>, { question, instead }: Question): Promise<string> {
  const answer = await terminal.ask(`${question} `);
  if (answer !== undefined) return answer.trim();
  throw new Failure('refused', 'cannot prompt: standard input is not a terminal', {
    hint: `Run this in a terminal, or ${instead}.`,
  });
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
