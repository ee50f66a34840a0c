import type { Cell } from '../../../engine.ts';
import { formatLiteral } from '../values/literal.ts';
import { OwnRows, type UserRows } from '../values/user-rows.ts';
import type { RowShape } from '../wire/long-message.ts';
import type { Field } from '../wire/messages.ts';
import type { SegmentRows } from '../wire/segment.ts';

/** This uses no casts: a superuser can make one where the server has none, and then it would run. */
const moment = 'pg_catalog.concat(pg_catalog.txid_current_snapshot(), pg_catalog.current_schemas(false))';

/**
 * Stays the same as long as no transaction has ended or begun to write, and names are looked for in the same schemas. Null on a
 * standby: there, a snapshot does not say which transactions it leaves out.
 */
export const momentSql = `case when not pg_catalog.pg_is_in_recovery() then ${moment} end`;

/** What the server is to be asked of a premise. */
export interface Look {
  /** Must be true. */
  readonly sql: string;
  /** Whether the premise itself is looked at; otherwise, that nothing was changed since it was. */
  readonly full: boolean;
}

/**
 * A premise is expensive to check. Once it was true, it stays true for as long as nothing changes, which takes
 * much less: but only on a quiet server, as otherwise both would have to be asked, one after the other.
 */
export class PremiseWatch {
  #premise: string | undefined;
  /** When the premise was last seen to be true. */
  #moment: string | undefined;
  #quiet = false;

  lookAt(premise: string | undefined): Look | undefined {
    if (!premise) return undefined;
    if (premise !== this.#premise || !this.#quiet || this.#moment === undefined) return { sql: premise, full: true };
    // A server that gave a moment does not become a standby while we are connected to it.
    return { sql: `${moment} operator(pg_catalog.=) ${formatLiteral(this.#moment)}`, full: false };
  }

  /** It was needed twice at the same moment, so it may be needed a third time. */
  sawTrue(premise: string, moment: string | undefined): void {
    this.#quiet = premise === this.#premise && moment !== undefined && moment === this.#moment;
    this.#premise = premise;
    this.#moment = moment;
  }

  sawChange(): void {
    this.#quiet = false;
  }
}

/** Reads the row of a full check; undefined without one. */
export function readKeepsState({ rows: [row] }: OwnRows): boolean | undefined {
  return row === undefined ? undefined : row.at(-2) === 't';
}

/** The row of a full look comes before those of the statement. */
export class LookedRows implements SegmentRows {
  readonly isCallers = true;
  readonly #look = new OwnRows();
  readonly #rows: UserRows;
  #described = 0;

  constructor(rows: UserRows) {
    this.#rows = rows;
  }

  get lead(): number {
    return this.#rows.lead;
  }

  /** The last column. */
  get moment(): string | undefined {
    return this.#look.rows[0]?.at(-1) ?? undefined;
  }

  /** The column before it; undefined when the premise was false. */
  get keepsState(): boolean | undefined {
    return readKeepsState(this.#look);
  }

  describe(fields: readonly Field[]): RowShape | undefined {
    this.#described += 1;
    return this.#described === 1 ? this.#look.describe(fields) : this.#rows.describe(fields);
  }

  row(cells: readonly Cell[]): boolean {
    if (this.#described > 1) return this.#rows.row(cells);
    return this.#look.rows.length === 0 && this.#look.row(cells);
  }
}
