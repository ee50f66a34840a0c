/** Words that SQLite takes for a name in no place. */
const reserved: ReadonlySet<string> = new Set(
  `add all alter and as autoincrement between case check collate commit constraint create default deferrable delete distinct drop else
  escape except exists foreign from group having in index insert intersect into is isnull join limit materialized not notnull nothing null on
  or order primary references returning select set table then to transaction union unique update using values when where`.split(
    /\s+/,
  ),
);

/** The same as a keyword is written. */
export const reservedWords: ReadonlySet<string> = new Set([...reserved].map((word) => word.toUpperCase()));

/** The name as a statement has to write it. */
export function formatIdentifier(name: string): string {
  return /^[A-Za-z_][\w$]*$/.test(name) && !reserved.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
