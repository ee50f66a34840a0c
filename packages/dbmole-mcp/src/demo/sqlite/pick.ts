/** Below it, each step of a division by parts is a small integer, which is several times as fast. */
const maxSmall = 2 ** 15;
const part = 2 ** 16;

/**
 * A number below `n` for a row, another one for each salt: `(hashint8extended(i, salt) & 9223372036854775807) % n` of PostgreSQL, so that
 * the shop is the same on both engines. It is called 300,000 times, so it makes no objects.
 */
export function pick(i: number, salt: number, n: number): number {
  const seed = seedFor(salt);
  let a = (seed[0] + i) | 0;
  let b = seed[1];
  let c = seed[2];
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  c = ((c ^ b) - rotate(b, 24)) | 0;
  const high = b & 0x7fffffff;
  if (n > maxSmall) return Number(((BigInt(high) << 32n) | BigInt(c >>> 0)) % BigInt(n));
  const upper = ((high % n) * part + (c >>> 16)) % n;
  return (upper * part + (c & (part - 1))) % n;
}

export function pickWord(i: number, salt: number, words: readonly string[]): string {
  return words[pick(i, salt, words.length)] ?? '';
}

type Words = readonly [number, number, number];

const start = (0x9e3779b9 + 4 + 3_923_095) | 0;
const seeds: Words[] = [];

function seedFor(salt: number): Words {
  seeds[salt] ??= mix(start, (start + salt) | 0, start);
  return seeds[salt];
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** A half of Bob Jenkins' hash, which PostgreSQL uses; the other half is in `pick`. */
function mix(first: number, second: number, third: number): Words {
  let [a, b, c] = [first, second, third];
  a = ((a - c) ^ rotate(c, 4)) | 0;
  c = (c + b) | 0;
  b = ((b - a) ^ rotate(a, 6)) | 0;
  a = (a + c) | 0;
  c = ((c - b) ^ rotate(b, 8)) | 0;
  b = (b + a) | 0;
  a = ((a - c) ^ rotate(c, 16)) | 0;
  c = (c + b) | 0;
  b = ((b - a) ^ rotate(a, 19)) | 0;
  a = (a + c) | 0;
  c = ((c - b) ^ rotate(b, 4)) | 0;
  b = (b + a) | 0;
  return [a, b, c];
}
