import { askUser, Failure, type FailureKind, type FailureOptions, quoteRemote } from '@dbmole/core';
import { seeColumns, seeTables, useExecute } from '../../../next-steps.ts';
import { SqliteError } from '../wire/database-process.ts';
import { describeHolders } from './lock-holders.ts';

interface Meaning extends Pick<FailureOptions, 'code' | 'hint'> {
  kind: FailureKind;
}

/** Meanings by the primary code of SQLite. */
const meanings: Readonly<Record<number, Meaning>> = {
  5: { kind: 'engine', code: 'E_DATABASE_LOCKED', hint: 'Retry when the other process has finished its transaction.' },
  6: { kind: 'engine', code: 'E_DATABASE_LOCKED', hint: 'Retry when the other process has finished its transaction.' },
  8: { kind: 'refused', code: 'E_READONLY', hint: useExecute },
  9: { kind: 'engine', code: 'E_INTERRUPTED', hint: 'Retry.' },
  10: { kind: 'engine', code: 'E_FILE', hint: 'Check the disk and the rights of the file and its folder.' },
  11: {
    kind: 'engine',
    code: 'E_CORRUPT',
    hint: 'Run PRAGMA integrity_check, and restore the file from a backup, or recover it with the .recover command of sqlite3.',
  },
  13: { kind: 'engine', code: 'E_FILE', hint: 'Free some room on the disk.' },
  14: { kind: 'connection', code: 'E_FILE', hint: 'Check that the file and its folder exist and may be read.' },
  18: { kind: 'engine', code: 'E_LIMIT', hint: 'Select a part of the value, as with substr().' },
  19: { kind: 'engine', code: 'E_CONSTRAINT' },
  20: { kind: 'engine', code: 'E_INVALID_VALUE', hint: ['Use a value of the type of the column.', seeColumns] },
  23: { kind: 'refused', code: 'E_NOT_A_READ', hint: useExecute },
  25: { kind: 'input', code: 'E_PARAMS' },
  26: {
    kind: 'connection',
    code: 'E_NOT_A_DATABASE',
    hint: 'Check the path. An encrypted file can only be opened by the program that encrypted it.',
  },
};

const interrupted =
  'A program was interrupted while it wrote. Open the file once with a program that may write it, which completes or undoes that.';

/** Meanings by the extended code, where it says more. */
const extendedMeanings: Readonly<Record<number, Meaning>> = {
  776: {
    kind: 'connection',
    code: 'E_FILE',
    hint: interrupted,
  },
};

/** SQLite has one code for most errors of a statement. */
const byMessage: readonly (readonly [RegExp, Meaning])[] = [
  [/^no such table: /, { kind: 'unknown', code: 'E_UNKNOWN_TABLE', hint: seeTables }],
  [/^no such column: |^table \S+ has no column named /, { kind: 'unknown', code: 'E_UNKNOWN_COLUMN', hint: seeColumns }],
  [/^no such function: /, { kind: 'unknown', code: 'E_UNKNOWN_FUNCTION' }],
  [
    /^ambiguous column name: /,
    { kind: 'engine', code: 'E_AMBIGUOUS_COLUMN', hint: 'Qualify the column with its table or alias.' },
  ],
  [/syntax error$|^incomplete input$|^unrecognized token: /, { kind: 'input', code: 'E_SYNTAX' }],
  [
    /^not authorized|^authorization denied|^access to .* is prohibited$|^unsafe use of /,
    { kind: 'refused', code: 'E_NOT_A_READ', hint: useExecute },
  ],
];

/** The number of characters of SQLite's own text that an error shows. */
const maxMessage = 1_000;
const primaryMask = 0xff;
const lockCodes: ReadonlySet<number> = new Set([5, 6]);

/** Translates every error of SQLite. */
export function toSqliteFailure(error: unknown, file: string, sql?: string): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof SqliteError))
    return new Failure('internal', error instanceof Error ? error.message : String(error), { cause: error });
  if (error.isChanged) return changedFailure(error);
  if (error.isLeft) return leftFailure(file, error);
  if (error.isLink) return linkFailure(file, error);
  const { code } = error;
  const { kind, ...options } = byMessage.find(([pattern]) => pattern.test(error.message))?.[1] ??
    findMeaning(code) ?? { kind: 'engine' };
  const position = sql === undefined ? undefined : findPosition(error.message, sql);
  const holders = isLocked(error) ? describeHolders(file) : '';
  return new Failure(kind, `SQLite says ${quoteRemote(error.message, maxMessage)}${holders}`, {
    ...options,
    ...(position !== undefined && { position }),
    ...(code !== undefined && { engineCode: String(code) }),
    cause: error,
  });
}

function findMeaning(code: number | undefined): Meaning | undefined {
  return code === undefined ? undefined : (extendedMeanings[code] ?? meanings[code & primaryMask]);
}

export function isLocked(error: unknown): boolean {
  return error instanceof SqliteError && lockCodes.has((error.code ?? 0) & primaryMask);
}

/** Reading what the interrupted program wrote would leave a file beside the database. */
function leftFailure(file: string, cause: unknown): Failure {
  return new Failure('connection', `${file}-wal has changes that are not in the file yet, and there is no ${file}-shm`, {
    code: 'E_FILE',
    hint: interrupted,
    cause,
  });
}

function linkFailure(file: string, cause: unknown): Failure {
  return new Failure('refused', `${file} is a link or has another name, and this connection has "noLinks"; nothing was opened`, {
    code: 'E_FILE',
    hint: askUser('set "noLinks" to false where the connection is defined, if it should be used'),
    cause,
  });
}

/** A file in WAL mode that no process had open is read without locks; one did open it meanwhile. */
function changedFailure(cause: unknown): Failure {
  return new Failure('engine', 'the file was changed by another process while it was read; the rows were discarded', {
    code: 'E_FILE_CHANGED',
    hint: 'Retry.',
    cause,
  });
}

const named = /^near "([\s\S]+)": syntax error$|^(?:no such (?:table|column|function)|ambiguous column name): (?:.*\.)?([^.]+)$/;

/** The first place of the word that SQLite names, counted from 1. */
function findPosition(message: string, sql: string): number | undefined {
  const [, near, name] = named.exec(message) ?? [];
  const word = near ?? name;
  if (word === undefined) return undefined;
  const at = sql.toLowerCase().indexOf(word.toLowerCase());
  return at < 0 ? undefined : at + 1;
}
