import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CutString, LeftOut } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { type AnswerBody, type AnswerLimits, AnswerReader, answerLimits, parseWarnings } from './answer.ts';

const json = { string: 20, list: 200, total: 1_000 };
const limits = { bytes: 100, json };

/** What is sent, as far as it is wanted. */
function read(chunks: Iterable<string | Buffer>, given: AnswerLimits = limits): AnswerBody & { sent: number } {
  const reader = new AnswerReader(given);
  let sent = 0;
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    sent += bytes.length;
    if (!reader.push(bytes)) break;
  }
  return { ...reader.end(), sent };
}

function* endless(chunk: string | Buffer): Generator<string | Buffer> {
  for (;;) yield chunk;
}

describe('an answer', () => {
  it('reads an answer as text and JSON', () => {
    const sent = expect.any(Number);
    expect(read(['{"a":', '"é"}'])).toEqual({ text: '{"a":"é"}', json: { a: 'é' }, cut: undefined, sent });
    expect(read(['green 1'])).toMatchObject({ text: 'green 1', json: undefined });
    expect(read([])).toEqual({ text: '', json: undefined, flaw: 'it is not JSON', cut: undefined, sent: 0 });
    expect(read(['1'.repeat(100)]).cut).toBeUndefined();
  });

  it('joins a character that comes in two chunks', () => {
    const bytes = Buffer.from('{"a":"é"}');
    expect(read([bytes.subarray(0, 7), bytes.subarray(7)]).json).toEqual({ a: 'é' });
  });

  it('cuts text that is not JSON at the limit, and says so', () => {
    const { text, json: value, cut, sent } = read(endless('é'.repeat(20)));
    expect(text).toBe('é'.repeat(50));
    expect(value).toBeUndefined();
    expect(cut).toEqual({ bytes: 100 });
    expect(sent).toBe(120);
  });

  it('does not keep the buffers that its chunks are parts of', () => {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    gc();
    const before = process.memoryUsage().arrayBuffers;
    const reader = new AnswerReader(answerLimits);
    for (let at = 0; at < 2_000; at++) reader.push(Buffer.alloc(65_536, '1').subarray(0, 1));
    gc();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
    expect(reader.end().text).toBe('1'.repeat(2_000));
  });

  it('says why it has no value, and whether all of it was kept', () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const bytes of [100, 100_000]) {
      expect(read([nested], { bytes, json: answerLimits.json ?? json })).toMatchObject({
        json: undefined,
        flaw: 'it is nested more than 1000 levels deep',
      });
    }
    expect(read(['{"a":', '1'.repeat(2_000)]).flaw).toContain('more than 1000 characters');
    expect(read([`{"a":[1]}${' '.repeat(200)}`])).toMatchObject({ json: { a: [1] }, isPartial: false });
    expect(read([`{"a":[${'1,'.repeat(200)}1]}`])).toMatchObject({ isPartial: true });
  });

  it('keeps only text where no JSON is wanted', () => {
    const text = `[${'{},'.repeat(500_000)}{}]`;
    expect(read([text], { bytes: 2_000_000 })).toMatchObject({ text, json: undefined, cut: undefined });
    expect(read([text], { bytes: 10 })).toMatchObject({ text: '[{},{},{},', json: undefined, cut: { bytes: 10 } });
    expect(read(['{"a":1}'], { bytes: 100 })).toMatchObject({ json: { a: 1 } });
  });

  it('drops half a character at the limit', () => {
    expect(read([`x${'é'.repeat(60)}`]).text).toBe(`x${'é'.repeat(49)}`);
  });
});

describe('JSON that is longer than what is kept', () => {
  const pieces = (text: string) => text.match(/[\s\S]{1,33}/g) ?? [];
  const hits = Array.from({ length: 200 }, (_, id) => ({ id }));

  it('keeps a part of long JSON, and marks what is missing', () => {
    const { json: value, cut } = read(pieces(JSON.stringify({ a: 'é'.repeat(90), hits, total: 200 })));
    expect(value).toMatchObject({ a: new CutString('é'.repeat(20), 90), total: 200 });
    expect(JSON.stringify(value).length).toBeLessThan(1_000);
    expect(cut).toEqual({ bytes: 100 });
  });

  it('accepts characters that are split where something is left out', () => {
    const odd = Buffer.from(JSON.stringify({ list: Array.from({ length: 90 }, (_, id) => ({ id, é: '€"😀\\' })), total: '€' }));
    for (let size = 1; size < 40; size += 1) {
      const chunks = Array.from({ length: Math.ceil(odd.length / size) }, (_, at) => odd.subarray(at * size, (at + 1) * size));
      const { list, total } = read(chunks).json as { list: unknown[]; total: string };
      expect(total).toBe('€');
      expect(list.at(-1)).toEqual(new LeftOut(90 - (list.length - 1)));
    }
  });

  it('falls back to text when long JSON turns out to be malformed', () => {
    const { json: value, text } = read(pieces(`{"a":1}${'x'.repeat(300)}`));
    expect(value).toBeUndefined();
    expect(text).toMatch(/^\{"a":1\}x/);
  });

  it('takes no memory for JSON of any length', () => {
    const hit = Buffer.from(`{"_id":"1","text":"${'x'.repeat(65_000)}"},`);
    const long = function* () {
      yield '{"hits":[';
      for (let i = 0; i < 1_500; i++) yield hit;
      yield '{}],"total":1501}';
    };
    const before = process.memoryUsage().rss;
    const { json: value } = read(long(), answerLimits);
    expect(value).toMatchObject({ total: 1_501 });
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
  }, 60_000);

  it('stops reading when enough is known, unless the end is near', () => {
    const asked: unknown[] = [];
    const isEnough = (value: unknown) => asked.push(value) > 0 && Object.hasOwn(value as object, 'total');
    const begin = (head: string) => [`{${head}"hits":[`, ...hits.map((hit) => `${JSON.stringify(hit)},`)];
    const rest = `{"text":"${'x'.repeat(10_000)}"}`;
    const enough = read([...begin('"total":1,'), ...Array.from({ length: 1_000 }, () => `${rest},`)], { ...limits, isEnough });
    const { hits: kept } = enough.json as { hits: unknown[] };
    expect(enough.json).toMatchObject({ total: 1 });
    expect(kept.at(-1)).toBeInstanceOf(LeftOut);
    expect(enough.sent).toBeLessThan(700_000);
    const whole = [...Array.from({ length: 100 }, () => `${rest},`), `${rest}],"total":2}`];
    expect(read([...begin(''), ...whole], { ...limits, isEnough })).toMatchObject({
      json: { total: 2 },
      sent: expect.any(Number),
    });
    expect(asked.length).toBeGreaterThan(1);
    const short = read([...begin('"total":1,'), `${rest}],"last":3}`], { ...limits, isEnough });
    expect(short.json).toMatchObject({ total: 1, last: 3 });
  });
});

it('reads warnings, once each', () => {
  const header =
    '299 Elasticsearch-7.17.29-580aff1a0 "Elasticsearch built-in security features are not enabled.", 299 Elasticsearch-7.17.29-580aff1a0 "say \\"x\\", please" "Wed, 18 Nov 2026 10:00:00 GMT", 299 Elasticsearch-7.17.29-580aff1a0 "say \\"x\\", please"';
  expect(parseWarnings(header)).toEqual(['Elasticsearch built-in security features are not enabled.', 'say "x", please']);
  expect(parseWarnings('')).toEqual([]);
});
