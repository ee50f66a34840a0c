import { createHash } from 'node:crypto';
import { Failure } from '@dbmole/core';
import { jsonText } from '../search/hit-table.ts';
import type { QueryRows } from './query-rows.ts';

/** The most that ES|QL returns, and that SQL and PPL return by default. */
export const maxRows = 10_000;

/** Rows at the end of a page that may come in another order the next time, as they may have equal sort values. */
const maxTail = 24;
/** Characters of the hash of one of them. */
const tailHash = 4;

/** Where a page begins. The rows before it are read again with each page, to see that they are still the same. */
export interface Page {
  readonly offset: number;
  readonly query: string;
  /** Undefined on the first page. */
  readonly before: { readonly shown: string; readonly tail: string } | undefined;
}

const cursorForm = /^(\d{1,5})\.([\w-]{6})\.([\w-]{8})\.((?:[\w-]{4}){1,24})$/;

export function openPage(cursor: string | undefined, parts: readonly unknown[]): Page {
  const query = hash(JSON.stringify(parts)).slice(0, 6);
  if (cursor === undefined) return { offset: 0, query, before: undefined };
  const [, offset = '', of, shown = '', tail = ''] = cursorForm.exec(cursor) ?? [];
  if (of === undefined)
    throw new Failure('input', `invalid cursor ${JSON.stringify(cursor)}`, {
      hint: 'Pass the cursor of the page before, unchanged.',
    });
  if (of !== query) {
    throw new Failure('input', 'the cursor is of another query', {
      hint: 'Repeat query, params and language of the page before, or leave cursor out.',
    });
  }
  return { offset: Number(offset), query, before: { shown, tail } };
}

/** The cursor of the page that begins after so many rows. */
export function formatCursor({ query }: Pick<Page, 'query'>, { columns, list }: QueryRows, offset: number): string {
  const shown = list.slice(0, offset);
  const tail = shown.slice(-maxTail).map((row) => hashRow(columns, row).slice(0, tailHash));
  return `${offset}.${query}.${hashRows(columns, shown)}.${tail.join('')}`;
}

/** The same rows, with those first that were on earlier pages. Throws where the page would skip or repeat rows. */
export function continueRows({ offset, before }: Page, rows: QueryRows): QueryRows {
  if (before === undefined) return rows;
  const { columns, list, isCut } = rows;
  if (isCut && list.length < offset) {
    throw new Failure('limit', `the ${offset} rows before this page are too large to be read again`, {
      hint: 'Select fewer columns, or narrow the query.',
    });
  }
  const known = before.tail.length / tailHash;
  // Rows with equal sort values may have changed places around both ends of the tail.
  const start = Math.max(0, offset - 2 * known);
  const others = list.slice(start);
  const tail = takeTail(others, before.tail, columns);
  const remaining = [...list.slice(0, start), ...others];
  const shown = [...remaining.slice(0, offset - known), ...tail];
  if (list.length < offset || hashRows(columns, shown) !== before.shown) throw changedFailure();
  return { ...rows, list: [...shown, ...remaining.slice(offset - known)] };
}

/** Takes the rows out of the list that have these hashes. */
function takeTail(list: (readonly unknown[])[], tail: string, columns: readonly string[]): readonly (readonly unknown[])[] {
  const hashes = list.map((row) => hashRow(columns, row).slice(0, tailHash));
  return (tail.match(/.{4}/g) ?? []).flatMap((wanted) => {
    const at = hashes.indexOf(wanted);
    if (at === -1) throw changedFailure();
    hashes.splice(at, 1);
    return list.splice(at, 1);
  });
}

function changedFailure(): Failure {
  return new Failure('engine', 'the rows before this page have changed, so it would skip or repeat some', {
    code: 'E_CURSOR_GONE',
    hint: 'Sort by a unique key as well, limit the time range to the past, and start again without cursor.',
  });
}

/** The same for the same rows in any order: which of several equal ones comes first is not known. */
function hashRows(columns: readonly string[], list: QueryRows['list']): string {
  const sum = new Uint32Array(2);
  for (const row of list) {
    const bytes = Buffer.from(hashRow(columns, row), 'base64url');
    for (const at of [0, 1]) sum[at] = (sum[at] ?? 0) + bytes.readUInt32LE(4 * at);
  }
  return hash(sum.join()).slice(0, 8);
}

/** Columns without a value differ from page to page. */
function hashRow(columns: readonly string[], row: readonly unknown[]): string {
  return hash(JSON.stringify(row.flatMap((cell, at) => (cell === null ? [] : [columns[at], jsonText(cell)]))));
}

function hash(text: string): string {
  return createHash('sha1').update(text).digest('base64url');
}
