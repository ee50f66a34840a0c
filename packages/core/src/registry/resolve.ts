import type { BaseConnection, SecretRef, SourceRef } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Resolved } from './entry.ts';
import { expandCandidate, invalidFailure, isInlineKey, type Reader, shownTexts, unsetFailure } from './evaluate.ts';
import { type Expanded, fitSchema } from './fit.ts';
import { absolutePath } from './paths.ts';
import { type SecretPlace, secretPlacesIn } from './schema-fields.ts';
import type { SecretUse } from './secret-memory.ts';
import { resolveSecret } from './secrets.ts';
import type { Listed } from './snapshot.ts';
import type { Candidate } from './sources.ts';
import { type Fields, formatPath, replaceAt, valueAt } from './tree.ts';

/** The connection as it is used: variables expanded, every secret read, and validated once more as a whole. */
export async function resolveListed<C extends BaseConnection>(
  listed: Listed<C>,
  reader: Reader<C>,
  signal: AbortSignal | undefined,
): Promise<Resolved<C>> {
  const { candidate, entry } = listed;
  if (!candidate) throw entry.problem ?? new Failure('internal', `connection "${entry.name}" cannot be used`);
  const expanded = expandCandidate(candidate, reader);
  const places = secretPlacesIn(expanded.value, reader.secretFields);
  const blamed = expanded.placeholders.find(({ unset }) => unset.length > 0);
  if (blamed) throw unsetFailure(candidate, blamed, places);
  const uses: SecretUse[] = [];
  const reading = { candidate, expanded, places, reader, signal, uses };
  const config = validated(await readSecrets(reading), reading);
  return { config, version: entry.version, uses };
}

interface ReadingOf<C extends BaseConnection> {
  candidate: Candidate;
  expanded: Expanded;
  places: readonly SecretPlace[];
  reader: Reader<C>;
  signal: AbortSignal | undefined;
  uses: SecretUse[];
}

function validated<C extends BaseConnection>(input: Fields, { candidate, expanded, reader }: ReadingOf<C>): C {
  const result = fitSchema(reader.schema, input, expanded.placeholders);
  if (result.ok) return result.config;
  throw invalidFailure(candidate, result.issues, result.input, reader.schema);
}

/** One after the other: a command may ask the person to unlock something, and two of them would ask twice. */
async function readSecrets<C extends BaseConnection>(reading: ReadingOf<C>): Promise<Fields> {
  let result: Fields = reading.expanded.value;
  for (const place of reading.places) {
    result = replaceAt(result, place.path, await readPlace(place, reading));
  }
  return result;
}

async function readPlace<C extends BaseConnection>(place: SecretPlace, reading: ReadingOf<C>): Promise<string> {
  const { candidate, expanded, reader, signal } = reading;
  const { env, home, memory } = reader;
  const { origin, base, name: connection } = candidate;
  // The schema has accepted this value at this place.
  const ref = valueAt(expanded.value, place.path) as SecretRef;
  const isPath = place.kind === 'key' && typeof ref === 'string' && !isInlineKey(ref);
  if (isPath) return absolutePath(ref, { base, home });
  const field = formatPath(place.path);
  const shown = shownTexts(expanded.value, reading.places);
  const onUse = (use: SecretUse) => void reading.uses.push(use);
  const lookUp = async ({ from, name }: SourceRef) =>
    await reader.sources[from]?.(validated(expanded.value, reading), { env, home, name });
  return resolveSecret(ref, { env, origin, connection, field, base, home, signal, shown, memory, onUse, lookUp });
}
