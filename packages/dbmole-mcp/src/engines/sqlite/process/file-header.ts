import { closeSync, constants, openSync, readSync } from 'node:fs';

const headerSize = 20;
const walVersion = 2;

/** The beginning of a file; shorter if the file is. */
function readHeader(file: string): Buffer {
  const header = Buffer.alloc(headerSize);
  // A pipe must not keep us waiting.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return header.subarray(0, readSync(handle, header, 0, header.length, 0));
  } finally {
    closeSync(handle);
  }
}

/** Whether the file is in WAL mode: the 19th and 20th bytes are the versions of what writes and reads it. */
export function isWal(file: string): boolean {
  return readHeader(file)[18] === walVersion;
}

/** Whether the file begins like a database of SQLite. */
export function isSqliteFile(file: string): boolean {
  return readHeader(file).toString('latin1').startsWith('SQLite format 3\0');
}
