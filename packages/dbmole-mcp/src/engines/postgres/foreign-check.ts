import { statement, sync } from './messages.ts';
import { Segment } from './segment.ts';
import { OwnRows, type UserRows } from './user-rows.ts';

/** Whether this database has foreign tables: only then are reads followed by a check. */
export const hasForeignSql = 'exists (select from pg_catalog.pg_foreign_table)';

/** What a transaction has read is locked until its end, also where a view or a function read it. */
const bytes = Buffer.concat([
  statement(
    `select exists (select from pg_catalog.pg_locks l join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) l.relation
      where l.pid operator(pg_catalog.=) pg_catalog.pg_backend_pid() and c.relkind operator(pg_catalog.=) 'f')`,
    [],
    1,
  ),
  sync,
]);

/** Of BEGIN and the settings, in front of the caller's statement. */
const tagsBefore = 2;

/**
 * A foreign data wrapper keeps its connection to the other server as long as the session lives, and no reset takes that back. So a
 * read is followed by the question whether it touched a foreign table, while its transaction is still open.
 */
export class ForeignCheck {
  readonly bytes = bytes;
  readonly segment: Segment;
  readonly #answer = new OwnRows();

  constructor() {
    this.segment = new Segment(this.#answer);
  }

  /** Once both are answered. After an error the server answers no question, so anything may have been read. */
  mayBeConnected(read: Segment, { fields }: UserRows): boolean {
    const isUnknownName = fields === undefined && read.error?.code.startsWith('42') === true;
    if (isUnknownName || (read.error !== undefined && read.tags.length < tagsBefore)) return false;
    return this.#answer.rows[0]?.[0] !== 'f';
  }
}
