/** In the binary of an id each index stands as the length of its name, the name, 22, and its identifier of 22 characters. */
const identifierLength = 22;
const longestName = 255;
const isIndexName = /^[^\p{Cc}\p{Lu}\s\ufffd\\/*?"<>|,#:%;_+-][^\p{Cc}\p{Lu}\s\ufffd\\/*?"<>|,#:%;]*$/u;

/**
 * The indices that the id of a point in time names. The formats of all versions have this in common. May find a name that is none,
 * never misses one of letters that have one byte.
 */
export function findPitNames(id: string): readonly string[] {
  const bytes = Buffer.from(id, 'base64url');
  const names = new Set<string>();
  for (let at = 1; at + identifierLength < bytes.length; at++) {
    if (bytes[at] === identifierLength && isIdentifier(bytes.subarray(at + 1, at + 1 + identifierLength))) {
      for (const name of namesBefore(bytes, at)) names.add(name);
    }
  }
  return [...names];
}

/** A length of 128 and more takes two bytes. */
function* namesBefore(bytes: Buffer, end: number): Generator<string> {
  for (let length = 1; length <= Math.min(longestName, end - 1); length++) {
    const start = end - length;
    const isNamed =
      length < 128
        ? bytes[start - 1] === length
        : bytes[start - 1] === length >> 7 && bytes[start - 2] === ((length & 127) | 128);
    const name = bytes.toString('utf8', start, end);
    if (isNamed && name !== '.' && isIndexName.test(name)) yield name;
  }
}

function isIdentifier(bytes: Buffer): boolean {
  return /^[\w-]+$/.test(bytes.toString('latin1'));
}
