/** A place in a result, counted from 0. */
export interface Place {
  row: number;
  column: number;
}

/** Two corners; the first one stays when a selection grows. */
export interface Selection {
  anchor: Place;
  active: Place;
}

interface Pressed {
  key: string;
  isControl: boolean;
}

interface GridSize {
  rows: number;
  columns: number;
  /** Rows that are visible at once. */
  page: number;
}

/** Where a key leads to; undefined for a key that does not move. */
export function movePlace({ row, column }: Place, { key, isControl }: Pressed, size: GridSize): Place | undefined {
  const to: Readonly<Record<string, Place>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - size.page, column },
    PageDown: { row: row + size.page, column },
    Home: { row: isControl ? 0 : row, column: 0 },
    End: { row: isControl ? size.rows - 1 : row, column: size.columns - 1 },
  };
  const place = Object.hasOwn(to, key) ? to[key] : undefined;
  if (place === undefined) return undefined;
  return { row: clamp(place.row, size.rows), column: clamp(place.column, size.columns) };
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}

/** The corners in order. */
export function orderSelection({ anchor, active }: Selection): { from: Place; to: Place } {
  const [rows, columns] = [
    [anchor.row, active.row],
    [anchor.column, active.column],
  ];
  return {
    from: { row: Math.min(...rows), column: Math.min(...columns) },
    to: { row: Math.max(...rows), column: Math.max(...columns) },
  };
}
