/** In the binary of an id each index stands as the length of its name, the name, 22, and its identifier of 22 characters. */
const identifierLength = 22;
const longestName = 255;
/** In UTF-8. A character outside of the first plane takes two units of three bytes each here, and four where the limit counts. */
const longestBytes = 2 * longestName;
const isIndexName = /^[^\p{Cc}\p{Lu}\s\\/*?"<>|,#:%;_+-][^\p{Cc}\p{Lu}\s\\/*?"<>|,#:%;]*$/u;

/**
 * The indices that the id of a point in time names. The formats of all versions have this in common. May find a name that is none,
 * never misses one.
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

/** The length counts units of UTF-16; one of 128 and more takes two bytes. */
function* namesBefore(bytes: Buffer, end: number): Generator<string> {
  let name = '';
  let next = end;
  while (next > 1 && end - next < longestBytes) {
    const start = unitStart(bytes, next);
    const unit = readUnit(bytes.subarray(start, next));
    if (unit === undefined) return;
    name = String.fromCharCode(unit) + name;
    next = start;
    const { length } = name;
    const isNamed =
      length < 128
        ? bytes[start - 1] === length
        : bytes[start - 1] === length >> 7 && bytes[start - 2] === ((length & 127) | 128);
    if (isNamed && name !== '.' && isIndexName.test(name)) yield name;
  }
}

/** What continues a unit begins with 10. */
function unitStart(bytes: Buffer, end: number): number {
  let start = end - 1;
  while (start > 0 && end - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

/** Half of a pair is a unit as any other. Undefined when it is none: no name goes on there. */
function readUnit(bytes: Buffer): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes;
  if (bytes.length === 1) return first < 0x80 ? first : undefined;
  if (bytes.length === 2) return (first & 0xe0) === 0xc0 ? ((first & 0x1f) << 6) | (second & 0x3f) : undefined;
  return (first & 0xf0) === 0xe0 ? ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f) : undefined;
}

function isIdentifier(bytes: Buffer): boolean {
  return /^[\w-]+$/.test(bytes.toString('latin1'));
}
