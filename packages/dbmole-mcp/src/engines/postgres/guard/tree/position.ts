/** Places in a text as JavaScript counts them: in UTF-16 units, starting at 1. */

/** Converts a place that the parser counted in bytes of UTF-8 from 0. */
export function positionAt(sql: string, bytes: number): number {
  let index = 0;
  for (let left = bytes; left > 0 && index < sql.length; ) {
    const point = sql.codePointAt(index) ?? 0;
    left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    index += point > 0xffff ? 2 : 1;
  }
  return index + 1;
}

/** Converts a place in code points from 0. */
export function positionOfPoint(sql: string, points: number): number {
  let index = 0;
  for (let left = points; left > 0 && index < sql.length; left--) index += (sql.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index + 1;
}
