import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openExportFile } from './export-file.ts';
import { parseExportName } from './export-name.ts';

let folder: string;
const place = () => ({ folder, variable: 'X', instead: 'x' });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mole-export-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the name of an export', () => {
  it.each(['orders.csv', 'Orders 2024 (final).csv', 'données.csv', '_x-1.csv', 'a.b.csv'])('may be %s', (name) => {
    expect(parseExportName(name, undefined)).toBe('csv');
  });

  it.each([
    '../a.csv',
    '..',
    '.csv',
    '.a.csv',
    '/tmp/a.csv',
    'sub/a.csv',
    'sub\\a.csv',
    'C:a.csv',
    'a.csv:stream.csv',
    'a\0.csv',
    'a\n.csv',
    'con.csv',
    'CON.csv',
    'Nul.x.csv',
    'com1.csv',
    'lpt².csv',
    'a.csv ',
    'a.csv.',
    'a.CSV',
    'a.sh',
    'a',
    '-rf.csv',
    'a\u202e.csv',
    '~/a.csv',
    '$HOME.csv',
    '',
    `${'x'.repeat(200)}.csv`,
  ])('may not be %j', (name) => {
    expect(() => parseExportName(name, undefined)).toThrow(expect.objectContaining({ code: 'E_EXPORT_NAME' }));
  });

  it('says the format, and may not contradict it', () => {
    expect(parseExportName('a.jsonl', undefined)).toBe('jsonl');
    expect(parseExportName('a.ndjson', undefined)).toBe('jsonl');
    expect(parseExportName('a.jsonl', 'jsonl')).toBe('jsonl');
    expect(() => parseExportName('a.jsonl', 'csv')).toThrow('.csv');
  });
});

describe('the file of an export', () => {
  it('has its name only when it is finished, and then all that was written', () => {
    const file = openExportFile(place(), 'a.csv');
    for (let i = 0; i < 100; i++) file.write('é'.repeat(5_000));
    expect(readdirSync(folder)).not.toContain('a.csv');
    // What is kept in memory does not grow with the file.
    expect(file.bytes).toBeGreaterThan(500_000);
    file.finish();
    file.discard();
    expect(readdirSync(folder)).toEqual(['a.csv']);
    expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('é'.repeat(500_000));
    expect(file.bytes).toBe(1_000_000);
  });

  it('is not there when it was discarded', () => {
    const file = openExportFile(place(), 'a.csv');
    file.write('x');
    file.discard();
    file.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not overwrite a name that was taken meanwhile', () => {
    const file = openExportFile(place(), 'a.csv');
    writeFileSync(join(folder, 'a.csv'), 'theirs');
    expect(() => file.finish()).toThrow(expect.objectContaining({ code: 'E_EXPORT_EXISTS' }));
    file.discard();
    expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['a.csv']);
  });

  it('may lie behind a link that the person named', () => {
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    const file = openExportFile({ ...place(), folder: link }, 'a.csv');
    file.finish();
    rmSync(link);
    expect(file.path).toBe(join(folder, 'a.csv'));
  });
});
