import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { CutString } from '@dbmole/core';
import { describe, expect, it, vi } from 'vitest';
import { answerLimits, decompress, parseWarnings, readAnswer } from './answer.ts';

const json = { string: 20, list: 200, total: 1_000 };
const limits = { bytes: 100, json };

describe('readAnswer', () => {
  it('reads text and JSON', async () => {
    expect(await readAnswer(Readable.from([Buffer.from('{"a":'), Buffer.from('"é"}')]), limits)).toEqual({
      text: '{"a":"é"}',
      json: { a: 'é' },
      cut: undefined,
    });
    expect(await readAnswer(Readable.from([Buffer.from('green 1')]), limits)).toMatchObject({ text: 'green 1', json: undefined });
    expect(await readAnswer(Readable.from([]), limits)).toEqual({ text: '', json: undefined, cut: undefined });
    expect((await readAnswer(Readable.from([Buffer.alloc(100, '1')]), limits)).cut).toBeUndefined();
  });

  it('stops at the limit, says so, and lets go of the sender', async () => {
    let sent = 0;
    const endless = new Readable({
      read() {
        sent += 40;
        this.push(Buffer.alloc(40, 'é'));
      },
    });
    const { text, json, cut } = await readAnswer(endless, limits);
    expect(text).toBe('é'.repeat(50));
    expect(json).toBeUndefined();
    expect(cut).toEqual({ bytes: 100 });
    expect(endless.destroyed).toBe(true);
    expect(sent).toBeLessThan(200_000);
  });

  it('leaves out half a character', async () => {
    const { text } = await readAnswer(Readable.from([Buffer.from(`x${'é'.repeat(60)}`)]), limits);
    expect(text).toBe(`x${'é'.repeat(49)}`);
  });
});

describe('JSON that is longer than what is kept', () => {
  const pieces = (text: string) => Readable.from(text.match(/[\s\S]{1,33}/g)?.map((piece) => Buffer.from(piece)) ?? []);

  it('is kept in part, and says where something is missing', async () => {
    const hits = Array.from({ length: 200 }, (_, id) => ({ id }));
    const { json: value, cut } = await readAnswer(pieces(JSON.stringify({ a: 'é'.repeat(90), hits, total: 200 })), limits);
    expect(value).toMatchObject({ a: new CutString('é'.repeat(20), 90), total: 200 });
    expect(JSON.stringify(value).length).toBeLessThan(1_000);
    expect(cut).toEqual({ bytes: 100 });
  });

  it('is a text when it turns out to be none', async () => {
    const { json: value, text } = await readAnswer(pieces(`{"a":1}${'x'.repeat(300)}`), limits);
    expect(value).toBeUndefined();
    expect(text).toMatch(/^\{"a":1\}x/);
  });

  it('costs no memory, however long it is', async () => {
    const hit = Buffer.from(`{"_id":"1","text":"${'x'.repeat(65_000)}"},`);
    const endless = async function* () {
      yield Buffer.from('{"hits":[');
      for (let i = 0; i < 1_500; i++) yield hit;
      yield Buffer.from('{}],"total":1501}');
    };
    const before = process.memoryUsage().rss;
    const { json: value } = await readAnswer(Readable.from(endless()), answerLimits);
    expect(value).toMatchObject({ total: 1_501 });
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
  }, 60_000);
});

describe('decompress', () => {
  it('bounds what comes out, not what comes in', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(300_000);
    const body = Readable.from([bomb]);
    const before = process.memoryUsage().rss;
    const { text, cut } = await readAnswer(decompress(body, 'gzip'), { bytes: 1_000, json });
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
    expect([text.length, cut]).toEqual([1_000, { bytes: 1_000 }]);
    await vi.waitFor(() => expect(body.destroyed).toBe(true), 5_000);
  });

  it('stops the sender, and hears when the sender is lost', async () => {
    const half = gzipSync(Buffer.alloc(10_000, 'x'), { level: 0 }).subarray(0, 5_000);
    const endless = new PassThrough();
    endless.write(half);
    expect((await readAnswer(decompress(endless, 'gzip'), limits)).text).toBe('x'.repeat(100));
    await vi.waitFor(() => expect(endless.destroyed).toBe(true), 5_000);
    const lost = new PassThrough();
    lost.write(half);
    const reading = readAnswer(decompress(lost, 'gzip'), { bytes: 1_000_000, json });
    lost.destroy(new Error('the socket is gone'));
    await expect(reading).rejects.toThrow('the socket is gone');
  });

  it('fails on what is not gzip, or not all of it', async () => {
    const broken = gzipSync('{"a":1}').subarray(0, 15);
    await expect(readAnswer(decompress(Readable.from([broken]), 'gzip'), limits)).rejects.toThrow();
    await expect(readAnswer(decompress(Readable.from([Buffer.from('plain')]), 'gzip'), limits)).rejects.toThrow();
  });

  it('refuses what was not asked for', () => {
    const body = Readable.from([Buffer.from('x')]);
    expect(() => decompress(body, 'br')).toThrow(expect.objectContaining({ code: 'E_NOT_HTTP' }));
    expect(body.destroyed).toBe(true);
    expect(decompress(Readable.from(['x']), '')).toBeInstanceOf(Readable);
  });
});

it('reads warnings, once each', () => {
  const header =
    '299 Elasticsearch-7.17.29-580aff1a0 "Elasticsearch built-in security features are not enabled.", 299 Elasticsearch-7.17.29-580aff1a0 "say \\"x\\", please" "Wed, 18 Nov 2026 10:00:00 GMT", 299 Elasticsearch-7.17.29-580aff1a0 "say \\"x\\", please"';
  expect(parseWarnings(header)).toEqual(['Elasticsearch built-in security features are not enabled.', 'say "x", please']);
  expect(parseWarnings('')).toEqual([]);
});
