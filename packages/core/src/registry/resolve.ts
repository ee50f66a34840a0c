import type { BaseConnection, SecretRef } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Resolved } from './entry.ts';
import { expandCandidate, invalidFailure, isInlineKey, type Reader, shownTexts, unsetFailure } from './evaluate.ts';
import { fitSchema } from './fit.ts';
import { absolutePath } from './paths.ts';
import { type SecretPlace, secretPlacesIn } from './schema-fields.ts';
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
  const expanded = expandCandidate(candidate, reader.env);
  const places = secretPlacesIn(expanded.value, reader.secretFields);
  const blamed = expanded.placeholders.find(({ unset }) => unset.length > 0);
  if (blamed) throw unsetFailure(candidate, blamed, places);
  const input = await readSecrets(expanded.value, { candidate, places, reader, signal });
  const fit = fitSchema(reader.schema, input, expanded.placeholders);
  if (!fit.ok) throw invalidFailure(candidate, fit.issues, fit.input, reader.schema);
  return { config: fit.config, version: entry.version };
}

interface ReadingOf<C extends BaseConnection> {
  candidate: Candidate;
  places: readonly SecretPlace[];
  reader: Reader<C>;
  signal: AbortSignal | undefined;
}

/** One after the other: a command may ask the person to unlock something, and two of them would ask twice. */
async function readSecrets<C extends BaseConnection>(value: Fields, reading: ReadingOf<C>): Promise<Fields> {
  let result = value;
  for (const place of reading.places) {
    result = replaceAt(result, place.path, await readPlace(value, place, reading));
  }
  return result;
}

async function readPlace<C extends BaseConnection>(value: Fields, place: SecretPlace, reading: ReadingOf<C>): Promise<string> {
  const { candidate, reader, signal } = reading;
  const { origin, base, name } = candidate;
  // The schema has accepted this value at this place.
  const ref = valueAt(value, place.path) as SecretRef;
  const isPath = place.kind === 'key' && typeof ref === 'string' && !isInlineKey(ref);
  if (isPath) return absolutePath(ref, { base, home: reader.home });
  const field = formatPath(place.path);
  const shown = shownTexts(value, reading.places);
  return resolveSecret(ref, { env: reader.env, origin, connection: name, field, base, home: reader.home, signal, shown });
}
