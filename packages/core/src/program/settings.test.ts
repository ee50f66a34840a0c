import { describe, expect, it } from 'vitest';
import { completeFlags, formatFlag, type ProgramSetting, parseTime, readFlag, readFlagState, readSettings } from './settings.ts';

const settings: ProgramSetting[] = [
  { name: 'out-dir', value: 'DIR', help: 'where to', isPath: true },
  { name: 'word', value: 'WORD', help: 'which', isPath: false },
];
const read = (given: Record<string, string>, env: Record<string, string>) =>
  readSettings(settings, { app: 'demo', given, env, cwd: '/somewhere' });

describe('the settings of a definition', () => {
  it('come from the command line, else from the environment', () => {
    expect(read({ word: 'a' }, { DEMO_WORD: 'b' })).toMatchObject({ word: 'a' });
    expect(read({}, { DEMO_WORD: 'b' })).toMatchObject({ word: 'b' });
    expect(read({}, {})).toEqual({ 'out-dir': undefined, word: undefined });
  });

  it('are not there when they are empty', () => {
    expect(read({ word: '' }, { DEMO_OUT_DIR: '' })).toEqual({ 'out-dir': undefined, word: undefined });
  });

  it('have paths that begin at the working directory', () => {
    expect(read({ 'out-dir': 'sub' }, {})).toMatchObject({ 'out-dir': '/somewhere/sub' });
    expect(read({}, { DEMO_OUT_DIR: '/else' })).toMatchObject({ 'out-dir': '/else' });
  });
});

describe('a flag', () => {
  const flag = { name: 'closed', help: 'closed to all' };
  const findRead = (text?: string, given = false) =>
    readFlag(flag, { app: 'demo', given, env: text === undefined ? {} : { DEMO_CLOSED: text } });

  it.each(['1', 'true', 'YES', ' on '])('is on by the word %j', (word) => expect(findRead(word)).toBe(true));
  it.each(['', '0', 'False', 'no', 'off', undefined])('is off by the word %j', (word) => expect(findRead(word)).toBe(false));
  it('is on when given on the command line', () => expect(findRead('0', true)).toBe(true));
  it.each(['ja', '2', 'constructor', 'toString'])('is an error by the word %j', (word) =>
    expect(() => findRead(word)).toThrow(`invalid DEMO_CLOSED ${JSON.stringify(word)}`),
  );
});

describe('a flag with words', () => {
  const flag = { name: 'kind', help: '', words: ['red', 'blue'] };
  const state = (given: unknown, text = '') => readFlagState(flag, { app: 'demo', given, env: { DEMO_KIND: text } });

  it('is on alone, or has one of them, and the command line wins', () => {
    expect(completeFlags(['--kind', 'x', '--kind=red', '--other'], [flag])).toEqual(['--kind=1', 'x', '--kind=red', '--other']);
    expect([state('1'), state('red'), state('Blue', 'red')]).toEqual([true, 'red', 'blue']);
    expect([state(undefined, 'red'), state(undefined, '1'), state(undefined)]).toEqual(['red', true, false]);
    expect([true, 'red', false].map((one) => formatFlag(flag, one))).toEqual([['--kind'], ['--kind=red'], []]);
  });

  it('is an error with any other word', () => {
    expect(() => state('green')).toThrow('invalid --kind "green": expected red or blue');
    expect(() => state('')).toThrow('invalid --kind ""');
    expect(() => state(undefined, 'green')).toThrow('invalid DEMO_KIND "green": expected 1 or 0 or red or blue');
  });
});

describe('a time', () => {
  it.each([
    ['30', 30_000],
    ['30s', 30_000],
    ['1.5 s', 1_500],
    ['500ms', 500],
    ['5m', 300_000],
    ['60m', 3_600_000],
  ])('is %s', (text, milliseconds) => expect(parseTime(text)).toBe(milliseconds));
  it.each(['', '0', '-1', '1h', '61m', '1e3', 'soon', '0.1ms'])('is not %j', (text) =>
    expect(() => parseTime(text)).toThrow(/invalid timeout/),
  );
});
