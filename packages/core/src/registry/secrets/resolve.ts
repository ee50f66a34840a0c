import type { BaseConnection, SecretRef, SourceRef } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Resolved } from '../entry.ts';
import type { ConnectionReading } from '../read-connection.ts';
import type { SecretPlace } from '../schema-fields.ts';
import { absolutePath } from '../sources/paths.ts';
import type { Listed } from '../sources/snapshot.ts';
import type { Candidate } from '../sources/sources.ts';
import { type Fields, formatPath, replaceAt, valueAt } from '../tree.ts';
import { invalidFailure, isInlineKey, type Reader, shownTexts, unsetFailure } from './evaluate.ts';
import type { SecretUse } from './secret-memory.ts';
import { resolveSecret } from './secrets.ts';

/** The connection as it is used: variables expanded, every secret read, and validated again as a whole. */
export async function resolveListed<C extends BaseConnection>(
  listed: Listed<C>,
  reader: Reader<C>,
  signal: AbortSignal | undefined,
): Promise<Resolved<C>> {
  const { candidate, entry } = listed;
  if (!candidate) throw entry.problem ?? new Failure('internal', `connection "${entry.name}" cannot be used`);
  const reading = reader.connections.read(candidate);
  const blamed = reading.placeholders.find(({ unset }) => unset.length > 0);
  if (blamed) throw unsetFailure(candidate, blamed, reading.places);
  const uses: SecretUse[] = [];
  const use = { candidate, reading, reader, signal, uses };
  const config = validate(await readSecrets(use), use);
  // The entry has the policies of the connections that it hides.
  const { readonly = config.readonly, alsoHolds } = entry.config ?? {};
  return { config: { ...config, readonly, ...(alsoHolds && { alsoHolds }) }, version: entry.version, uses };
}

interface Use<C extends BaseConnection> {
  candidate: Candidate;
  reading: ConnectionReading<C>;
  reader: Reader<C>;
  signal: AbortSignal | undefined;
  uses: SecretUse[];
}

/** What holds no reference was validated as it is. */
function validate<C extends BaseConnection>(input: Fields, { candidate, reading, reader }: Use<C>): C {
  const { value, placeholders, full } = reading;
  const fit = full && input === value ? full : reader.connections.validate(input, placeholders, candidate.base);
  if (fit.ok) return fit.config;
  throw invalidFailure(candidate, fit.issues, fit.input, reader.schema);
}

/** One after the other: a command may ask the person to unlock something, and two of them would ask twice. */
async function readSecrets<C extends BaseConnection>(use: Use<C>): Promise<Fields> {
  let result = use.reading.value;
  for (const place of use.reading.places) {
    const secret = await readPlace(place, use);
    if (secret !== valueAt(result, place.path)) result = replaceAt(result, place.path, secret);
  }
  return result;
}

async function readPlace<C extends BaseConnection>(place: SecretPlace, use: Use<C>): Promise<string> {
  const { candidate, reading, reader, signal } = use;
  const { env, home, memory } = reader;
  const { origin, base, name: connection } = candidate;
  // The schema has accepted this value at this place.
  const ref = valueAt(reading.value, place.path) as SecretRef;
  const isPath = place.kind === 'key' && typeof ref === 'string' && !isInlineKey(ref);
  if (isPath) return absolutePath(ref, { base, home });
  const field = formatPath(place.path);
  const shown = shownTexts(reading);
  const onUse = (one: SecretUse) => void use.uses.push(one);
  const lookUp = async ({ from, name }: SourceRef) =>
    await reader.sources[from]?.(validate(reading.value, use), { env, home, name });
  return resolveSecret(ref, { env, origin, connection, field, base, home, signal, shown, memory, onUse, lookUp });
}
