import { Failure } from '@dbmole/core';
import { beginning } from './first-words.ts';

/** A transaction that somebody prepared elsewhere can be ended from here, and MariaDB has blocks that begin with BEGIN NOT ATOMIC. */
const control = beginning(
  String.raw`(begin(?!\s+not\b)|start\s+transaction|commit(?!\s+prepared)|rollback(?!\s+prepared)|abort|end|savepoint|release)\b`,
);

const temporary = String.raw`create\s+(?:(?:local|global|or\s+replace)\s+)*temp(?:orary)?`;
/** They change nothing but the session. */
const passing = beginning(String.raw`(?:use|lock|listen|declare|prepare(?!\s+transaction)|handler|set|${temporary})\b`);
/** Of a SET what stays: it is for the whole server, or for an account. */
const staying = /\bset\s+(?:password|default\s+role)\b|\b(?:global|persist|persist_only)\b/i;

/**
 * Each call is a transaction of its own. A BEGIN that answers "done" would make somebody believe that what comes next can be rolled
 * back, and a ROLLBACK that it was.
 */
export function refuseTransactionControl(sql: string): void {
  const word = control.exec(sql)?.[1]?.toUpperCase().replace(/\s+/g, ' ');
  if (word === undefined) return;
  throw new Failure(
    'refused',
    `${word} would have no effect: each call is a transaction of its own and commits when it succeeds`,
    {
      hint: 'Run the change itself; dry_run tries it out and takes it back.',
    },
  );
}

/** Whether what the statement does is gone when its call ends, because the session is. */
export function endsWithCall(sql: string): boolean {
  const found = passing.exec(sql);
  return found !== null && !(/set$/i.test(found[0]) && staying.test(sql));
}
