import { type Failure, toFailure } from '../failure.ts';
import { type FileImage, readSmallFile, readStamp } from './read-file.ts';

export interface FileCell {
  readonly path: string;
  /** Costs one stat when nothing changed. */
  read(): FileReading;
}

/** `image` is absent when there is no file or it cannot be read (`failure`). The object is the same until the content changes. */
export interface FileReading {
  image?: FileImage;
  failure?: Failure;
}

/** The last reading of a file, renewed when its stamp changes. */
export function createFileCell(path: string, open: (path: string) => FileImage | undefined = readSmallFile): FileCell {
  let seen: { stamp: string | undefined; reading: FileReading } | undefined;
  return {
    path,
    read() {
      const stamp = readStamp(path);
      if (seen && seen.stamp === stamp && stamp !== 'unknown' && !seen.reading.image?.fresh) return seen.reading;
      const reading = readNow(path, open);
      seen = { stamp: reading.image?.stamp ?? stamp, reading: seen ? keepEqual(seen.reading, reading) : reading };
      return seen.reading;
    },
  };
}

function readNow(path: string, open: (path: string) => FileImage | undefined): FileReading {
  try {
    const image = open(path);
    return image ? { image } : {};
  } catch (error) {
    return { failure: toFailure(error) };
  }
}

/** A file that was rewritten with the same bytes is no news to anyone. */
function keepEqual(before: FileReading, now: FileReading): FileReading {
  const sameBytes = before.image && now.image ? before.image.bytes.equals(now.image.bytes) : before.image === now.image;
  const sameFile = before.image?.path === now.image?.path && before.image?.mode === now.image?.mode;
  const same = sameBytes && sameFile && before.failure?.message === now.failure?.message;
  if (!same) return now;
  // Only the time changed: remember it in place, so that holders keep seeing the same object.
  if (before.image && now.image) Object.assign(before.image, { stamp: now.image.stamp, fresh: now.image.fresh });
  return before;
}
