import type { Cell, ReadRequest, RowSink } from '../../../engine.ts';
import { readText } from '../../../read-cell.ts';
import { formatTag } from '../../../statement/format-tag.ts';
import type { RowShape } from '../wire/long-message.ts';
import type { Field } from '../wire/messages.ts';
import type { SegmentRows } from '../wire/segment.ts';
import type { TypeCatalog } from './type-names.ts';
import { createRowShape } from './values.ts';

/** Passes the server's rows on to the caller's sink. */
export class UserRows implements SegmentRows {
  readonly isCallers = true;
  /** The number of characters in front of the caller's text. */
  readonly lead: number;
  /** Undefined while nothing was described: the statement returns no rows. */
  fields: readonly Field[] | undefined;
  /** The sink wants no more. */
  enough = false;
  /** The sink failed: it is called from the stream, where its exceptions could not be caught. */
  crash: { error: unknown } | undefined;
  /** Runs once, when the sink wants no more. */
  onEnough: () => void = () => {};
  readonly #sink: RowSink;
  readonly #keepPerCell: number;
  readonly #types: TypeCatalog;

  constructor(sink: RowSink, request: Pick<ReadRequest, 'keepPerCell' | 'tag'>, types: TypeCatalog) {
    this.#sink = sink;
    this.#keepPerCell = request.keepPerCell;
    this.lead = formatTag(request).length;
    this.#types = types;
  }

  describe(fields: readonly Field[]): RowShape | undefined {
    this.fields = fields;
    const columns = fields.map((field) => this.#types.readColumn(field));
    this.#guard(() => {
      this.#sink.columns(columns);
      return true;
    });
    return this.enough ? undefined : createRowShape(fields, this.#keepPerCell);
  }

  row(cells: readonly Cell[]): boolean {
    this.#guard(() => this.#sink.row(cells));
    return !this.enough;
  }

  #guard(wantsMore: () => boolean): void {
    try {
      if (wantsMore()) return;
    } catch (error) {
      this.crash = { error };
    }
    this.enough = true;
    this.onEnough();
  }
}

/** Rows of a question of our own: few, and short. */
export class OwnRows implements SegmentRows {
  readonly rows: (string | null)[][] = [];

  describe(fields: readonly Field[]): RowShape {
    return createRowShape(fields, 1_000);
  }

  row(cells: readonly Cell[]): boolean {
    this.rows.push(cells.map(readText));
    return true;
  }
}
