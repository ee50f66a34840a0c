import type { Param } from '../../../engine.ts';

/** Formats a literal that means the same in every `sql_mode`. */
export function formatText(text: string): string {
  return /^[\w$]+$/.test(text) ? `'${text}'` : `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;
}

export function formatLiteral(value: Param): string {
  if (typeof value === 'string') return formatText(value);
  return value === null ? 'NULL' : String(value);
}
