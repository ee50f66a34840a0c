import { formatCell } from './cell-text.ts';
import type { DoneMessage, FromProcess, RunRequest, WireCell, WireColumn, WireParam } from './messages.ts';
import type { Database, SqlValue, StatementColumn } from './sqlite-module.ts';

/** How the rows of a statement leave the process. */
interface Outlet {
  send(message: FromProcess): void;
  /** Sends rows; false when no more of them are wanted. */
  sendRows(rows: WireCell[][]): boolean;
}

/** The first batch is small, so that the first rows arrive at once. */
const minBatch = 16 * 1024;
const maxBatch = 256 * 1024;
/** What a cell takes beside its text. */
const cellOverhead = 4;

/** Runs one statement, and sends its columns and rows. */
export function runStatement(db: Database, request: RunRequest, outlet: Outlet): DoneMessage {
  const statement = db.prepare(request.sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns();
  const params = bind(request);
  const before = countAll(db);
  if (columns.length === 0) {
    const { changes } = statement.run(...params);
    return finish(db, before, Number(changes));
  }
  const wanted = columns.slice(0, request.maxColumns ?? undefined);
  outlet.send({
    type: 'columns',
    columns: wanted.map(describeColumn),
    total: columns.length,
  });
  passRows(statement.iterate(...params), { ...request, columns: wanted.length }, outlet);
  return finish(db, before);
}

function describeColumn({ name, type, table, column }: StatementColumn): WireColumn {
  const origin =
    table === null || column === null ? undefined : `${table}.${column}`.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return { name, type: type ?? '', ...(origin !== undefined && { origin }) };
}

interface RowOptions extends Pick<RunRequest, 'keepPerCell' | 'maxRows'> {
  columns: number;
}

function passRows(
  rows: Iterable<readonly SqlValue[]>,
  { keepPerCell, maxRows, columns }: RowOptions,
  { sendRows }: Outlet,
): void {
  let batch: WireCell[][] = [];
  let size = 0;
  let room = minBatch;
  let count = 0;
  for (const row of rows) {
    const cells = row.slice(0, columns).map((value) => formatCell(value, keepPerCell));
    batch.push(cells);
    for (const cell of cells) size += cellOverhead + (typeof cell === 'string' ? cell.length : (cell?.t.length ?? 0));
    count += 1;
    if (size >= room) {
      if (!sendRows(batch)) return;
      batch = [];
      size = 0;
      room = Math.min(room * 2, maxBatch);
    }
    if (count === maxRows) break;
  }
  if (batch.length > 0) sendRows(batch);
}

function finish(db: Database, before: bigint, own?: number): DoneMessage {
  const allChanged = Number(countAll(db) - before);
  const changed = own ?? (allChanged > 0 ? readNumber(db, 'select changes()') : 0n);
  return {
    type: 'done',
    changed: Number(changed),
    allChanged,
  };
}

function countAll(db: Database): bigint {
  return readNumber(db, 'select total_changes()');
}

function readNumber(db: Database, sql: string): bigint {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const [row] = [...statement.iterate()];
  const value = row?.[0];
  return typeof value === 'bigint' ? value : 0n;
}

/** Those with a name are passed by it, and the others in their order. */
function bind({ params, names }: RunRequest): readonly unknown[] {
  const named: Record<string, unknown> = {};
  const others: unknown[] = [];
  for (const [i, param] of params.entries()) {
    const name = names[i];
    if (typeof name === 'string') named[name] = toSqlValue(param);
    else others.push(toSqlValue(param));
  }
  return Object.keys(named).length > 0 ? [named, ...others] : others;
}

/** Without this, a whole number would be bound as a floating-point number. */
function toSqlValue(param: WireParam): string | bigint | number | null {
  if (typeof param === 'boolean') return param ? 1n : 0n;
  return Number.isSafeInteger(param) ? BigInt(param ?? 0) : param;
}
