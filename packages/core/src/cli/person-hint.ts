import type { Failure } from '../failure.ts';

/** Commands that a hint may name, as one types them behind the program's name. */
const command = /`(?=(?:connections|query|trust|allow|disallow|install|uninstall|doctor)[ `])/g;

/** The next step for a person in a terminal. What is written for whoever calls tools fits as well where it names none. */
export function personHintOf({ hint, personHint }: Failure, program: string): string | undefined {
  if (personHint !== undefined) return personHint.replace(command, `\`${program} `);
  return hint?.replace(/\b([Cc])all again\b/g, (_, first) => (first === 'C' ? 'Run it again' : 'run it again'));
}

/** What failed and the next step, in one line. */
export function formatPersonAdvice(failure: Failure, program: string): string {
  const hint = personHintOf(failure, program);
  return hint === undefined ? `${failure.message}.` : `${failure.message}. ${hint}`;
}
