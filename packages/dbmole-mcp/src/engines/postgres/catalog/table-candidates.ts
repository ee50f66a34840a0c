import { parseNameParts } from '../../../catalog/name-parts.ts';

/** One reading of a name that the caller wrote. Lower `rank` is nearer to what the engine itself would understand. */
export interface Candidate {
  ord: number;
  rank: number;
  nsp: string | null;
  rel: string;
}

/**
 * Without quotes the engine folds a name to lower case; but a name copied from a list may have lost its quotes, so the
 * exact spelling counts too, and so does a name with dots in it.
 */
export function listCandidates(written: string, ord: number, schema: string | undefined): Candidate[] {
  const parts = parseNameParts(written);
  const table = parts.at(-1);
  const namespace = parts.at(-2) ?? (schema === undefined ? undefined : { text: schema, quoted: true });
  if (table === undefined) return [];
  const readings: Omit<Candidate, 'ord' | 'rank'>[] = [];
  for (const rel of listForms(table)) {
    if (namespace === undefined) readings.push({ nsp: null, rel });
    else for (const nsp of listForms(namespace)) readings.push({ nsp, rel });
  }
  if (parts.length > 1 && parts.every((part) => !part.quoted)) readings.push({ nsp: schema ?? null, rel: written });
  return readings.map((reading, rank) => ({ ord, rank, ...reading }));
}

function listForms({ text, quoted }: { text: string; quoted: boolean }): string[] {
  return quoted || text === text.toLowerCase() ? [text] : [text.toLowerCase(), text];
}
