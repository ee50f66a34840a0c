import { CutString, Failure, RawNumber, redactData } from '@dbmole/core';
import { formatExact } from '../json/exact-json.ts';
import { isObject } from '../search/hit-table.ts';

/** Characters of one value that an export takes. */
export const maxValueLength = 16_000_000;

/** Removes secrets of this server: readers of answers read files as well. */
export class Cleaner {
  /** Values from which a secret was removed. */
  redacted = 0;

  /** A copy of a value, in which every text is clean. */
  clean(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (value instanceof CutString) throw cellFailure(value.length);
    if (Array.isArray(value)) return value.map((one) => this.clean(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.text(key), this.clean(inner)]));
  }

  text(text: string): string {
    const clean = redactData(text);
    this.redacted += Number(clean !== text);
    return clean;
  }
}

/** One cell of a record; null is an empty one. */
export function formatCsvCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof RawNumber) return value.text;
  return typeof value === 'object' ? formatExact(value) : String(value);
}

function cellFailure(length: number): Failure {
  return new Failure('limit', `a value has ${length} characters; at most ${maxValueLength} are accepted`, {
    code: 'E_EXPORT_CELL',
    hint: 'Leave the field out: of `source`, or of the columns.',
  });
}
