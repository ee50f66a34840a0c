import { type ColumnAction, columnActions, findStrictest } from '@dbmole/core/match-columns';
import type { ColumnVerdict } from '../../../../guard/read-statement.ts';

/** A protected column. The same object wherever it is found. */
export interface ProtectedColumn {
  readonly action: ColumnAction;
  /** For messages: `email`. */
  readonly label: string;
}

/** What is known of the values of an expression. */
export interface Value {
  /** The protected columns that the values are made of. */
  readonly sources: readonly ProtectedColumn[];
  /** Each value is one of a source, unchanged. */
  readonly isPlain: boolean;
  /** They may be made of protected columns that were not found. */
  readonly isUnknown: boolean;
  /** The fields, if it is a row and they are known. */
  readonly row?: readonly NamedValue[];
}

export interface NamedValue {
  /** Undefined for an expression that the server names itself. */
  readonly name: string | undefined;
  readonly value: Value;
}

export const clean: Value = { sources: [], isPlain: true, isUnknown: false };
export const unknown: Value = { sources: [], isPlain: false, isUnknown: true };

export function isClean({ sources, isUnknown }: Value): boolean {
  return sources.length === 0 && !isUnknown;
}

export function protectedValue(column: ProtectedColumn): Value {
  return { sources: [column], isPlain: true, isUnknown: false };
}

/** The value of an expression over these. */
export function combine(values: readonly Value[]): Value {
  const soiled = values.filter((value) => !isClean(value));
  if (soiled.length === 0) return clean;
  const sources = [...new Set(soiled.flatMap((value) => value.sources))];
  return { sources, isPlain: false, isUnknown: soiled.some((value) => value.isUnknown) };
}

/** Each value is one of these, as in UNION. */
export function merge(values: readonly Value[]): Value {
  return { ...combine(values), isPlain: values.every(({ isPlain }) => isPlain) };
}

/** A row with these fields. */
export function makeRow(fields: readonly NamedValue[]): Value {
  return { ...combine(fields.map(({ value }) => value)), isPlain: false, row: fields };
}

/** The strictest action of the sources; `refuse` is for the caller. Undefined: there is no source. */
export function findAction({ sources }: Value): ColumnAction | undefined {
  return findStrictest(sources.map(({ action }) => action));
}

export function isStricter(one: ColumnAction, other: ColumnAction): boolean {
  return columnActions.indexOf(one) < columnActions.indexOf(other);
}

/** Null where it is shown, undefined where the source is unknown. An expression is hidden as a whole, so nothing of it is shown. */
export function judge(value: Value): ColumnVerdict | null | undefined {
  const action = findAction(value);
  if (action === undefined) return value.isUnknown ? undefined : null;
  const label = [...new Set(value.sources.map((source) => source.label))].join(', ');
  return { action: chooseAction(action, value), label };
}

function chooseAction(action: ColumnAction, { isPlain, isUnknown }: Value): ColumnVerdict['action'] {
  if (action === 'refuse' || isUnknown) return 'mask';
  return isPlain || action === 'pseudonym' ? action : 'mask';
}
