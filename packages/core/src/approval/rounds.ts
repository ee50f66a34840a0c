import type { OpenQuestion } from '../answer/respond.ts';
import type { Person, PersonAnswer, Round } from './person.ts';

interface Asking {
  person: Person | undefined;
  signal: AbortSignal;
  /** What came with the call itself. */
  round: Round | undefined;
}

/**
 * Runs a call, round by round: after each question of it, with the answer. Nothing of the call is under way while a person thinks. Where
 * the answer comes with another call, the result is the question.
 */
export async function runRounds<R extends { question?: OpenQuestion }>(
  { person, signal, round }: Asking,
  run: (round: Round | undefined) => Promise<R>,
): Promise<R> {
  let result = await run(round);
  while (result.question !== undefined && person?.ask !== undefined && !signal.aborted) {
    const { state, message } = result.question;
    result = await run({ state, ...(await askSafely(() => person.ask?.(message, signal))) });
  }
  return result;
}

async function askSafely(ask: () => ReturnType<NonNullable<Person['ask']>> | undefined): Promise<PersonAnswer> {
  try {
    const answer = (await ask()) ?? 'unable';
    return typeof answer === 'string' ? { action: answer } : answer;
  } catch {
    return { action: 'unable' };
  }
}
