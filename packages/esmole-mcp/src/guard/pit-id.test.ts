import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPitNames } from './pit-id.ts';

/** A UTF-16 code unit as nodes write it: half of a surrogate pair takes three bytes. */
function encodeUnit(unit: number): number[] {
  if (unit < 0x80) return [unit];
  if (unit < 0x800) return [0xc0 | (unit >> 6), 0x80 | (unit & 0x3f)];
  return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
}

function encodeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encodeNumber(value >>> 7)];
}

function encodeText(text: string): number[] {
  return [
    ...encodeNumber(text.length),
    ...Array.from({ length: text.length }, (_, at) => encodeUnit(text.charCodeAt(at))).flat(),
  ];
}

const encodeOptional = (text: string | undefined) => (text === undefined ? [0] : [1, ...encodeText(text)]);

interface Shard {
  readonly index: string;
  readonly uuid: string;
  readonly shard: number;
  readonly node: string;
  readonly cluster: string | undefined;
  readonly context: readonly number[];
  readonly session: string;
  readonly searcher: string | undefined;
  readonly isMissing: boolean;
}

/** What each version writes for a shard, behind its index and its number. */
const formats = {
  'Elasticsearch 7.10': { version: 7_10_02_99, encode: (one: Shard) => [...encodeTarget(one), ...encodeContext(one)] },
  'Elasticsearch 7.12 to 8.15': {
    version: 7_17_29_99,
    encode: (one: Shard) => [...encodeTarget(one), ...encodeContext(one), ...encodeOptional(one.searcher)],
  },
  'Elasticsearch 8.16': {
    version: 9_112_0_00,
    encode: (one: Shard) =>
      one.isMissing
        ? [0, ...encodeOptional(one.cluster), 0]
        : [1, ...encodeTarget(one), 1, ...encodeContext(one), ...encodeOptional(one.searcher)],
  },
  OpenSearch: { version: 137_277_827, encode: (one: Shard) => [...encodeTarget(one), ...encodeContext(one)] },
} as const;

const encodeTarget = ({ node, cluster }: Shard) => [...encodeText(node), ...encodeOptional(cluster)];
const encodeContext = ({ context, session }: Shard) => [...context, ...encodeText(session)];

type Format = keyof typeof formats;

/** Filters of aliases come last; their bytes are those of queries. */
function encodeId(format: Format, shards: readonly Shard[], filters: readonly number[] = []): string {
  const { version, encode } = formats[format];
  const entries = shards.flatMap((one) => [
    ...encodeText(one.index),
    ...encodeText(one.uuid),
    ...encodeNumber(one.shard),
    ...encode(one),
  ]);
  return Buffer.from([...encodeNumber(version), ...encodeNumber(shards.length), ...entries, ...filters]).toString('base64url');
}

const text = (alphabet: string, lengths: { minLength: number; maxLength: number }) =>
  fc.array(fc.constantFrom(...alphabet), lengths).map((letters) => letters.join(''));
const letters = 'abcdefghijklmnopqrstuvwxyz';
const base64 = `${letters}${letters.toUpperCase()}0123456789-_`;
const identifier = text(base64, { minLength: 22, maxLength: 22 });
const indexName = fc.oneof(
  text(`${letters}0123456789.-_`, { minLength: 0, maxLength: 30 }).map((rest) => `a${rest}`),
  fc.constantFrom('a', '.security-7', '.ds-logs-2026.11.19-000001', 'tief-😀', '密码', 'ü'.repeat(127), 'x'.repeat(255)),
  fc.constantFrom(...letters),
);
const shard: fc.Arbitrary<Shard> = fc.record({
  index: indexName,
  uuid: identifier,
  shard: fc.nat({ max: 300 }),
  node: identifier,
  cluster: fc.option(text(letters, { minLength: 1, maxLength: 8 }), { nil: undefined, freq: 3 }),
  context: fc.array(fc.nat({ max: 255 }), { minLength: 8, maxLength: 8 }),
  session: identifier,
  searcher: fc.option(identifier, { nil: undefined, freq: 3 }),
  isMissing: fc.boolean(),
});
const shards = fc
  .array(shard, { minLength: 1, maxLength: 12 })
  .map(([first, ...more]) => (first === undefined ? [] : [{ ...first, isMissing: false }, ...more]));
const filters = fc.array(fc.nat({ max: 255 }), { maxLength: 120 });

const readName = ({ index, cluster }: Shard) => (cluster === undefined ? index : `${cluster}:${index}`);

describe('readPitNames', () => {
  it.each(Object.keys(formats) as Format[])('reads exactly the indices of any id of %s', (format) => {
    fc.assert(
      fc.property(shards, filters, (given, more) => {
        const expected = [...new Set(given.map(readName))].sort();
        expect([...(readPitNames(encodeId(format, given, more)) ?? [])].sort()).toEqual(expected);
      }),
      { numRuns: 1_500 },
    );
  });

  it('reads no other name from an id that is cut short', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(formats) as Format[])),
        shards,
        fc.double({ min: 0, max: 1 }),
        (format, given, part) => {
          const bytes = Buffer.from(encodeId(format, given), 'base64url');
          const names = readPitNames(bytes.subarray(0, Math.floor((bytes.length - 1) * part)).toString('base64url'));
          if (names !== undefined) expect([...names].sort()).toEqual([...new Set(given.map(readName))].sort());
        },
      ),
    );
  });

  it.each([
    [
      'Elasticsearch 7.17',
      'h-e1AwEGc2hvcC0xFmpQQ3dEZ2FvU01Dc3ZfX1c4Z3N3M3cAFjloSjAyVVZ0UVEyYzZQdmpLS3EyM2cAAAAAAAAABLEWbExUak5EVENRVVcyaTJoT0RJQl93QQABFmpQQ3dEZ2FvU01Dc3ZfX1c4Z3N3M3cAAA==',
      'shop-1',
    ],
    [
      'Elasticsearch 8.19',
      'iM-bBAEGc2hvcC0xFmIzZ05KenNaVFhtSlNJMDVmQnBGY3cAARZrQWdhTTJBN1FPZWtIRUoyRGxobkNRAAEAAAAAAAAEsRZfVFdtTzdpRVJyR1lXdHlpODhFSFdnAAEWYjNnTkp6c1pUWG1KU0kwNWZCcEZjdwAA',
      'shop-1',
    ],
    [
      'Elasticsearch 9.2',
      '6s2wBAEGc2hvcC0xFng5WHNPdV8tU1AtOXM2bzZiM040d0EAARZyN2JDODYyb1NiRzhUcVZjQXZsS29nAAEAAAAAAAAEsRYzZG1JbVRWUVNabU1veWg3dFI2bWlnAAEWeDlYc091Xy1TUC05czZvNmIzTjR3QQAA',
      'shop-1',
    ],
    [
      'OpenSearch 3.6',
      'g-O6QQEGc2hvcC0xFnpqY0EwVXhNUzhHOVV0SG5OcnA4LXcAFlIxYllIQU5MUTBhVTJEMVVyeUVGYkEAAAAAAAAABLEWREpNT0dfdk5TRENnNTN1ODlYU3VqZwEWempjQTBVeE1TOEc5VXRIbk5ycDgtdwAA',
      'shop-1',
    ],
    [
      'OpenSearch 3.6',
      'g-O6QQEHdGllZi3toL3tuIAWZmtidUplc1dRZmFvN0JrU3pTdkxTUQAWeC1BRTJITnJUdVNaS3pnOEUzU0ttdwAAAAAAAAAAJRZ3X09aa1gtTlNHcUgyQkZpRnF2elhnARZma2J1SmVzV1FmYW83QmtTelN2TFNRAAA=',
      'tief-😀',
    ],
  ])('reads an id that %s wrote', (_engine, id, name) => {
    expect(readPitNames(id)).toEqual([name]);
  });

  it('reads nothing from a text that is not an id', () => {
    const others = ['', 'AAAA', 'g-O6QQE', 'not base64 !!', 'FGluY2x1ZGVfY29udGV4dF91dWlk', 'g-O6QQA=', '_'.repeat(60_000)];
    for (const id of others) expect(readPitNames(id), id.slice(0, 40)).toBeUndefined();
  });

  it('reads nothing from an id that a node decodes differently', () => {
    const one: Shard = {
      index: 'shop',
      uuid: 'Qb2UxpBaRACRMflAPJvkvA',
      shard: 0,
      node: '6rushePXSQ6Dgutuf7JqLQ',
      cluster: undefined,
      context: [0, 0, 0, 0, 0, 0, 0, 36],
      session: 'T28RPphZQqCeyZKMz0jSnQ',
      searcher: undefined,
      isMissing: false,
    };
    const id = encodeId('OpenSearch', [one]);
    expect(readPitNames(id)).toEqual(['shop']);
    for (const broken of [`${id} `, `+${id}`, `${id}!`, `${id.slice(0, 8)}=${id.slice(8)}`])
      expect(readPitNames(broken)).toBeUndefined();
  });
});
