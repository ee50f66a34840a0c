import { nearestNames } from '@dbmole/core';

/** A name may be that of a table in each of many schemas. */
const maxTables = 3;

/**
 * The tables that resemble the requested name, in the form that SQL needs. Compared without schema and quotes, for a slip in the
 * name itself should weigh the same wherever the table is.
 */
export function nearestTables(asked: string, names: readonly string[]): string[] {
  const written = new Map<string, string[]>();
  for (const name of names) {
    const bare = bareName(name);
    written.set(bare, [...(written.get(bare) ?? []), name]);
  }
  const near = nearestNames(bareName(asked), written.keys()).flatMap((bare) => written.get(bare) ?? []);
  return near.slice(0, maxTables);
}

/** The name in its schema, without quotes. */
export function bareName(name: string): string {
  const last = /(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^."`]+)$/.exec(name)?.[0] ?? name;
  return last.replace(/^["`]|["`]$/g, '');
}
