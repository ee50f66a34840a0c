import { OwnRows, type UserRows } from '../values/user-rows.ts';
import { statement, sync } from '../wire/messages.ts';
import { Segment } from '../wire/segment.ts';

/** Whether reads of this database can leave something in the session: only then are they followed by a check. */
export const keepsStateSql = `exists (select from pg_catalog.pg_foreign_table)
  or exists (select from pg_catalog.pg_language l where l.oid operator(pg_catalog.>=) 16384)`;

/** Settings that appear when the library of a language is loaded. */
const ofLanguages = ['pltcl.start_proc', 'pltclu.start_proc', 'plperl.use_strict', 'plv8.start_proc']
  .map((name) => `pg_catalog.current_setting('${name}', true)`)
  .join(', ');

/** What a transaction has read is locked until its end, also where a view or a function read it. */
const bytes = Buffer.concat([
  statement(
    `select coalesce(${ofLanguages}) is not null or exists (
      select from pg_catalog.pg_locks l join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) l.relation
      where l.pid operator(pg_catalog.=) pg_catalog.pg_backend_pid() and c.relkind operator(pg_catalog.=) 'f')`,
    [],
    1,
  ),
  sync,
]);

/** The tags of BEGIN and the settings before the caller's statement. */
const tagsBefore = 2;

/**
 * A foreign data wrapper keeps its connection to the other server as long as the session lives, and some languages keep variables;
 * no reset takes that back. So a read is followed by the question whether it used either, while its transaction is still open.
 */
export class StateCheck {
  readonly bytes = bytes;
  readonly segment: Segment;
  readonly #answer = new OwnRows();

  constructor() {
    this.segment = new Segment(this.#answer);
  }

  /** Once both are answered. After an error the server answers no question, so anything may have been used. */
  mayLeaveState(read: Segment, { fields }: UserRows): boolean {
    const isUnknownName = fields === undefined && read.error?.code.startsWith('42') === true;
    if (isUnknownName || (read.error !== undefined && read.tags.length < tagsBefore)) return false;
    return this.#answer.rows[0]?.[0] !== 'f';
  }
}
