/** What the list shows of an index or a data stream. Unknown values are undefined. */
export interface IndexItem {
  name: string;
  health: Health | undefined;
  /** The number of indices that it represents, and how many of them are closed. */
  indices: number;
  closed: number;
  docs: number | undefined;
  bytes: number | undefined;
  aliases: readonly string[];
  /** Set for a data stream: its indices, in their order. */
  backing?: readonly string[] | undefined;
}

export const healths = ['green', 'yellow', 'red'] as const;
export type Health = (typeof healths)[number];

export function worstHealth(items: readonly Pick<IndexItem, 'health'>[]): Health | undefined {
  return healths.findLast((health) => items.some((item) => item.health === health));
}

/** The sum; undefined when no number is known. Closed indices have none. */
export function sumUp(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}

/** Three digits are enough to see what is large. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const size = bytes / 1024 ** step;
  const digits = step === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${Number(size.toFixed(digits))} ${units[step]}`;
}

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
