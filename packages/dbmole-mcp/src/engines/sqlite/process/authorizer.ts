import { argumentPragmas, deniedFunctions, plainPragmas } from '../guard/allowed.ts';
import type { Authorizer } from './sqlite-module.ts';

/** The codes of SQLite for what a statement is about to do. */
const action = { delete: 9, insert: 18, pragma: 19, read: 20, select: 21, update: 23, function: 31, recursive: 33 } as const;

const reading: ReadonlySet<number> = new Set([action.read, action.select, action.recursive]);
const changing: ReadonlySet<number> = new Set([action.delete, action.insert, action.update]);

/** The modules of indexes prepare the statements that keep their own tables when they are opened. The file is open for reading only. */
const shadowTable = /_(?:node|rowid|parent|data|idx|content|docsize|config|segments|segdir|stat)$/;

const allow = 0;
const deny = 1;

/** What a caller's read may do, for those versions of Node that ask. The guard has checked the text already. */
export const authorizeRead: Authorizer = (code, first, second) => {
  if (reading.has(code)) return allow;
  if (code === action.function) return deniedFunctions.has((second ?? '').toLowerCase()) ? deny : allow;
  if (code === action.pragma) return isReadingPragma((first ?? '').toLowerCase(), second) ? allow : deny;
  return changing.has(code) && shadowTable.test(first ?? '') ? allow : deny;
};

function isReadingPragma(name: string, argument: string | null): boolean {
  return argumentPragmas.has(name) || (plainPragmas.has(name) && argument === null);
}
