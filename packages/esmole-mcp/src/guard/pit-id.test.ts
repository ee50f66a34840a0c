import { describe, expect, it } from 'vitest';
import { findPitNames } from './pit-id.ts';

/** Of one unit of UTF-16, be it half of a character. */
function bytesOf(unit: number): Buffer {
  if (unit < 0x80) return Buffer.from([unit]);
  if (unit < 0x800) return Buffer.from([0xc0 | (unit >> 6), 0x80 | (unit & 0x3f)]);
  return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
}

/** As nodes write it: length and text, for the name and for its identifier. */
function idOf(...names: readonly string[]): string {
  const texts = names.flatMap((name) => [name, 'Qb2UxpBaRACRMflAPJvkvA']);
  const parts = texts.map((text) => {
    const length = text.length < 128 ? [text.length] : [(text.length & 127) | 128, text.length >> 7];
    return Buffer.concat([Buffer.from(length), ...[...Array(text.length).keys()].map((at) => bytesOf(text.charCodeAt(at)))]);
  });
  return Buffer.concat([Buffer.from([0x83, 0xe3, 0xba, 0x41, 1]), ...parts, Buffer.from([0, 0x16])]).toString('base64url');
}

describe('the id of a point in time', () => {
  it('names its indices, as OpenSearch 3.6 wrote it', () => {
    const written =
      'g-O6QQEELmRvdBZRYjJVeHBCYVJBQ1JNZmxBUEp2a3ZBABY2cnVzaGVQWFNRNkRndXR1ZjdKcUxRAAAAAAAAAAAkFlQyOFJQcGhaUXFDZXlaS016MGpTblEBFlFiMlV4cEJhUkFDUk1mbEFQSnZrdkEAAA==';
    expect(findPitNames(written)).toContain('.dot');
  });

  it('names those with other letters, as OpenSearch 3.6 wrote it', () => {
    const written =
      'g-O6QQEHdGllZi3toL3tuIAWZmtidUplc1dRZmFvN0JrU3pTdkxTUQAWeC1BRTJITnJUdVNaS3pnOEUzU0ttdwAAAAAAAAAAJRZ3X09aa1gtTlNHcUgyQkZpRnF2elhnARZma2J1SmVzV1FmYW83QmtTelN2TFNRAAA=';
    expect(findPitNames(written)).toEqual(['tief-😀']);
  });

  it.each([
    [['a']],
    [['.security-7', 'shop']],
    [['x'.repeat(127)]],
    [[`.${'x'.repeat(200)}`]],
    [['.geheim-ü', '😀-tief', 'ü'.repeat(127), '密码']],
  ])('names %j', (names) => {
    expect(findPitNames(idOf(...names))).toEqual(expect.arrayContaining(names));
  });

  it('names nothing where it is something else', () => {
    for (const id of ['', 'AAAA', 'not base64 !!', 'FGluY2x1ZGVfY29udGV4dF91dWlk']) expect(findPitNames(id)).toEqual([]);
  });
});
