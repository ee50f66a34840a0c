import { changeFile, readSmallFile } from '@dbmole/core';
import * as z from 'zod';

/** Code in one database that a person vouches for, and the definitions that it had when it was first used. */
export interface Trust {
  /** `shop.report(text)`, perhaps followed by ` sha256:…`. */
  readonly functions: readonly string[];
  readonly extensions: readonly string[];
  /** Hashes of definitions by what they are of. */
  known(): Readonly<Record<string, string>>;
  /** Adds hashes of what was not known. */
  remember(found: Readonly<Record<string, string>>): void;
}

type Hashes = Record<string, string>;

const fileSchema = z.object({ version: z.literal(1), places: z.record(z.string(), z.record(z.string(), z.string())) });

interface TrustOptions {
  readonly functions?: readonly string[] | undefined;
  readonly extensions?: readonly string[] | undefined;
  /** The file of the person's own; undefined: nothing outlives this process. */
  readonly path: string | undefined;
  /** The database, as a text that no other has. */
  readonly place: string;
}

/** Undefined when the person vouches for nothing. */
export function createTrust({ functions = [], extensions = [], path, place }: TrustOptions): Trust | undefined {
  if (functions.length + extensions.length === 0) return undefined;
  const known: Hashes = path === undefined ? {} : { ...readPlaces(path)[place] };
  return {
    functions,
    extensions,
    known: () => known,
    remember(found) {
      Object.assign(known, found);
      // A file that cannot be written must not prevent reads; the next process asks again.
      if (path !== undefined) void save(path, place, found).catch(() => undefined);
    },
  };
}

async function save(path: string, place: string, found: Hashes): Promise<void> {
  await changeFile({
    path,
    edit: (image) => {
      const places = image === undefined ? {} : parsePlaces(image.bytes);
      return `${JSON.stringify({ version: 1, places: { ...places, [place]: { ...places[place], ...found } } }, null, 2)}\n`;
    },
  });
}

function readPlaces(path: string): Record<string, Hashes> {
  const image = readSmallFile(path);
  return image === undefined ? {} : parsePlaces(image.bytes);
}

/** Throws for a file in another format, because it proves nothing to be unchanged. */
function parsePlaces(bytes: Buffer): Record<string, Hashes> {
  return fileSchema.parse(JSON.parse(bytes.toString('utf8'))).places;
}
