import { parseNameParts } from '../../name-parts.ts';

/** One reading of a name somebody wrote. Lower `rank` is nearer to what the engine itself would understand. */
export interface Candidate {
  ord: number;
  rank: number;
  nsp: string | null;
  rel: string;
}

/**
 * Without quotes the engine folds a name to lower case; but whoever copies one from a list may have left its quotes out, so as
 * it stands it counts too, and so does a name with dots in it.
 */
export function candidatesOf(written: string, ord: number, schema: string | undefined): Candidate[] {
  const parts = parseNameParts(written);
  const table = parts.at(-1);
  const namespace = parts.at(-2) ?? (schema === undefined ? undefined : { text: schema, quoted: true });
  if (table === undefined) return [];
  const readings: Omit<Candidate, 'ord' | 'rank'>[] = [];
  for (const rel of formsOf(table)) {
    if (namespace === undefined) readings.push({ nsp: null, rel });
    else for (const nsp of formsOf(namespace)) readings.push({ nsp, rel });
  }
  if (parts.length > 1 && parts.every((part) => !part.quoted)) readings.push({ nsp: schema ?? null, rel: written });
  return readings.map((reading, rank) => ({ ord, rank, ...reading }));
}

function formsOf({ text, quoted }: { text: string; quoted: boolean }): string[] {
  return quoted || text === text.toLowerCase() ? [text] : [text.toLowerCase(), text];
}
