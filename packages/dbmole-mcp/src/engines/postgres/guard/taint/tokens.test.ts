import { describe, expect, it } from 'vitest';
import { tokenize } from './tokens.ts';

const texts = (source: string, comments = false) => tokenize(source, { comments }).map(({ kind, text }) => `${kind} ${text}`);

describe('tokenize', () => {
  it.each([
    ['select Foo."Bar"(1)', ['word select', 'word foo', 'mark .', 'quoted Bar', 'mark (', 'number 1', 'mark )']],
    ["'it''s' 'one'", ["string it'sone"]],
    ["'open", ['string open']],
    [String.raw`e'\x64\u0062\154\\ \'x'`, [String.raw`string dbl\ 'x`]],
    [String.raw`U&"dblink\005fexec" u&'\+00007a'`, ['quoted dblink_exec', 'string z']],
    ["$$ it's $x$ $$ $x$ $$ $x$", ["string  it's $x$  $$ "]],
    ['$1 || $a', ['param $1', 'operator ||', 'mark $', 'word a']],
    ['a -- b\nc /* d /* e */ f */ g', ['word a', 'word c', 'word g']],
    ['1--1', ['number 1']],
    ['a+-- b\n*/* c */d', ['word a', 'operator +', 'operator *', 'word d']],
    ['x:=y::int..2', ['word x', 'mark :=', 'word y', 'mark ::', 'word int', 'mark ..', 'number 2']],
    ['é_1 like"x"', ['word é_1', 'word like', 'quoted x']],
    ['/* open', []],
    [
      'a =-1 ===+b @-c !=d',
      [
        'word a',
        'operator =',
        'operator -',
        'number 1',
        'operator ===',
        'operator +',
        'word b',
        'operator @-',
        'word c',
        'operator <>',
        'word d',
      ],
    ],
    ['SELECT fÉ\u00a0x', ['word select', 'word fÉ\u00a0x']],
    [`${'a'.repeat(70)} "${'é'.repeat(40)}"`, [`word ${'a'.repeat(63)}`, `quoted ${'é'.repeat(31)}`]],
  ])('%s', (source, expected) => {
    expect(texts(source)).toEqual(expected);
  });

  it('reads comments as code where strings may end differently', () => {
    expect(texts("'\\' -- ', f()", true)).toEqual(['string \\', 'operator --', 'string , f()']);
    expect(texts('/* f */', true)).toEqual(['operator /*', 'word f', 'operator */']);
  });

  it('takes long strings', () => {
    expect(texts(`'${"''".repeat(200_000)}' || e'${'\\n'.repeat(200_000)}' /* ${'/* */'.repeat(50_000)} */`)).toHaveLength(3);
  });
});
