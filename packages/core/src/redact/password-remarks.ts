import { isOrdinaryWord, spareWord } from './redact.ts';

const shortestGood = 8;

/**
 * Why a password cannot be kept out of answers, one sentence each. A word that is among the names of the schema is no
 * longer removed from data: it would make the names of tables unreadable, and hide nothing.
 */
export function describePassword(password: unknown, names: Iterable<string> = []): string[] {
  if (typeof password !== 'string' || password === '') return [];
  const word = password.toLowerCase();
  const isName = isOrdinaryWord(password) && [...names].some((name) => name.toLowerCase() === word);
  if (isName) spareWord(password);
  const reason = findWeakness(password, isName);
  return reason === undefined
    ? []
    : [`warning: the password ${reason}, so it cannot be recognized in answers and removed from them; choose another one`];
}

function findWeakness(password: string, isName: boolean): string | undefined {
  if (isName) return 'is also a name in the database';
  if (password.length < shortestGood) return `is shorter than ${shortestGood} characters`;
  return isOrdinaryWord(password) ? 'is an ordinary word' : undefined;
}
