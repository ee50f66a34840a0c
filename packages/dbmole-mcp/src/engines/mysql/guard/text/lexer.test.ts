import { Failure } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../testing/at-once.ts';
import { tokenize as tokenizeInSteps } from './lexer.ts';
import { parseMode } from './sql-mode.ts';

const tokenize = (...args: Parameters<typeof tokenizeInSteps>) => atOnce(tokenizeInSteps(...args));

/** The tokens as the text has them, those that may be keywords in capitals; a name that can be none in its quotes or with a mark. */
function split(sql: string, mode = ''): string {
  const tokens = tokenize(sql, parseMode(mode));
  return tokens.map(({ kind, word, start, end }) => word || `${kind}:${sql.slice(start, end)}`).join(' ');
}

function createRefusal(sql: string, mode = ''): { code: string; position: number | undefined; message: string } {
  try {
    tokenize(sql, parseMode(mode));
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, position: error.position, message: error.message };
    throw error;
  }
  throw new Error(`it was not refused: ${sql}`);
}

describe('tokenize', () => {
  it.each([
    // Numbers end where they cannot go on.
    ['1e0INTO', 'number:1e0 INTO'],
    ['1.INTO', 'number:1. INTO'],
    ['.1INTO', 'number:.1 INTO'],
    ['1.5e-3INTO', 'number:1.5e-3 INTO'],
    ['1e+1INTO', 'number:1e+1 INTO'],
    ['1INTO', 'word:1INTO'],
    ['1e', 'word:1e'],
    ['0x1F', 'number:0x1F'],
    ['0x1FINTO', 'word:0x1FINTO'],
    ['0b01', 'number:0b01'],
    ['0b012', 'word:0b012'],
    ['0X1F', 'word:0X1F'],
    ['1--1', 'number:1 - - number:1'],
    ['1.2.3', 'number:1.2 number:.3'],
    // A point makes a name of the word after it.
    ['t.into', 'word:t . word:into'],
    ['SELECT.1INTO', 'word:SELECT . word:1INTO'],
    ['a.b.c', 'word:a . word:b . word:c'],
    ['t . into', 'T . INTO'],
    ['t .into', 'T . word:into'],
    ['`t`.into', 'quoted:`t` . word:into'],
    ['`t`.1INTO', 'quoted:`t` number:.1 INTO'],
    ['1e0.into', 'number:1e0 . word:into'],
    // Texts and what may come before them.
    ["'it''s'INTO", "text:'it''s' INTO"],
    ["'\\''INTO", "text:'\\'' INTO"],
    ["'\\\\'INTO", "text:'\\\\' INTO"],
    ["N'x'INTO", "text:N'x' INTO"],
    ["x'41'INTO", "number:x'41' INTO"],
    ["B'01'INTO", "number:B'01' INTO"],
    ["_utf8mb4'x'", "_UTF8MB4 text:'x'"],
    ["q'x'", "Q text:'x'"],
    ["''''", "text:''''"],
    ['"a""b"', 'text:"a""b"'],
    // Names.
    ['`a``b`', 'quoted:`a``b`'],
    ['`\\`INTO', 'quoted:`\\` INTO'],
    ['a$b Größe 名', 'A$B Größe 名'],
    ['a\u00a0b', 'a\u00a0b'],
    ['lıke ſelect INTO', 'lıke ſelect INTO'],
    ['$a', '$A'],
    // Variables.
    ["@a @a.b @$x @'a''b' @`c`", "variable:@a variable:@a.b variable:@$x @ text:'a''b' @ quoted:`c`"],
    ['@@x @@global.y @@`z` @@session . w', 'variable:@@x variable:@@global.y variable:@@ quoted:`z` variable:@@session . W'],
    ['@x:=1INTO@y', 'variable:@x : = word:1INTO variable:@y'],
    // Comments.
    ['1 -- x\n2', 'number:1 number:2'],
    ['1 --\t2', 'number:1'],
    ['1 --', 'number:1'],
    ['1#x\r2\n3', 'number:1 number:3'],
    ['1 /* /* */ 2', 'number:1 number:2'],
    ['1 /*/ 2 */ 3', 'number:1 number:3'],
    ['1 /*+ BKA(`t`) */ 2', 'number:1 number:2'],
    ['a\v\fb', 'A B'],
    ['\\N', 'number:\\N'],
  ])('splits %s', (sql, tokens) => {
    expect(split(sql)).toBe(tokens);
  });

  it.each([
    ["'\\' INTO", 'NO_BACKSLASH_ESCAPES', "text:'\\' INTO"],
    ['"\\" INTO', 'ANSI_QUOTES', 'quoted:"\\" INTO'],
    ['"\\" INTO', 'MSSQL', 'quoted:"\\" INTO'],
    ['"\\" INTO', 'ANSI,NO_BACKSLASH_ESCAPES', 'quoted:"\\" INTO'],
    ["'\\'' INTO", 'ANSI_QUOTES', "text:'\\'' INTO"],
    ["`\\` '\\'", 'NO_BACKSLASH_ESCAPES', "quoted:`\\` text:'\\'"],
  ])('splits %s in mode %s', (sql, mode, tokens) => {
    expect(split(sql, mode)).toBe(tokens);
  });

  it.each([
    ['SELECT [a]', 8],
    ['SELECT a]', 9],
    ['SELECT $$x$$', 8],
    ['SELECT $a$', 8],
    ['1.e-- 2', 1],
    ['SELECT 1e+x', 8],
    ['SELECT .1e', 8],
    ['a..b', 2],
    ["SELECT 'x", 8],
    ['SELECT "x', 8],
    ['SELECT `x', 8],
    ['SELECT 1 /* x', 10],
    ["SELECT x'4", 8],
    ["SELECT x'4g'", 8],
    ['a\u0000', 2],
    ["'a\u0000'", 3],
    ['a\u0001', 2],
    ['1 --\u0001', 5],
    ['SELECT \\a', 8],
    ['SELECT @ a', 8],
    ['SELECT @é', 8],
    ['SELECT @@ a', 8],
    ['SELECT /*+ SET_VAR(a=1) */ 1', 8],
    ["SELECT /*+ BKA('*/ ') */ 1", 8],
    ['SELECT /*+ QB_NAME(`*/` */ 1', 8],
  ])('refuses %s', (sql, position) => {
    expect(createRefusal(sql)).toMatchObject({ code: 'E_NOT_A_READ', position });
  });

  it.each([
    '1 /*! , 2 */',
    '1 /*!*/',
    '1 /*!50000 , 2*/',
    '1 /*!080000 , 2 */',
    '1 /*M!100000 , 2 */',
    "1 /*m! '*/' */",
    '1 /*!',
  ])('refuses the executable comment of %s', (sql) => {
    expect(createRefusal(sql)).toMatchObject({ position: 3, message: expect.stringContaining('executable comment') });
  });

  it('refuses the grammar of sql_mode ORACLE', () => {
    expect(() => parseMode('PIPES_AS_CONCAT,ANSI_QUOTES,Oracle,NO_KEY_OPTIONS')).toThrow('sql_mode ORACLE is refused');
  });
});

/** Pieces that mean something to a lexer, in an unusual order. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      "'",
      '"',
      '`',
      '\\',
      '--',
      '-- ',
      '#',
      '\n',
      '/*',
      '*/',
      '/*!',
      '/*!50000 ',
      '/*+ ',
      '.',
      '1',
      '1e',
      '0x',
      'INTO',
      'é',
      '名',
    ],
    ...[
      '😀',
      '\ud83d',
      '@',
      '@@',
      ' ',
      '\t',
      '(',
      ')',
      ',',
      ';',
      '$',
      '$$',
      "N'",
      "x'",
      '[',
      ']',
      'SELECT',
      'e0',
      '\u0000',
      '\u00a0',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
const mode = fc.constantFrom('', 'ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES');

describe('tokenize with random text', () => {
  it('throws only refusals with a position in the text', () => {
    fc.assert(
      fc.property(text, mode, (sql, sqlMode) => {
        try {
          tokenize(sql, parseMode(sqlMode));
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          expect(error).toMatchObject({ code: 'E_NOT_A_READ', position: expect.toSatisfy((at) => at >= 1 && at <= sql.length) });
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('skips only blanks and comments', () => {
    fc.assert(
      fc.property(text, mode, (sql, sqlMode) => {
        const tokens = (() => {
          try {
            return tokenize(sql, parseMode(sqlMode));
          } catch {
            return [];
          }
        })();
        let at = 0;
        for (const { start, end } of [...tokens, { start: tokens.length === 0 ? 0 : sql.length, end: sql.length }]) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(sql.slice(at, start)).toMatch(/^(?:[ \t\n\v\f\r]|(?:#|--(?=\s|$))[^\n]*|\/\*[\s\S]*?\*\/)*$/);
          at = end;
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('tokenize with a megabyte', () => {
  it.each([
    ['quotes', '`'.repeat(999_000)],
    ['comments', '/**/'.repeat(249_000)],
    ['minus', '-'.repeat(999_000)],
    ['executable comments', '/*!1*/'.repeat(166_000)],
    ['a hint', `/*+ ${'`a` '.repeat(249_000)}*/`],
  ])('takes linear time for %s', (_, sql) => {
    const start = performance.now();
    try {
      tokenize(sql, parseMode(''));
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
    }
    // What is not linear takes minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it.each(["'#mysql50#t'", '"#mysql50#t"', "'\\#mysql\\50#t'", "_utf8'#mysql50#'", "n'#mysql50#'"])(
    'refuses the file name %s',
    (text) => {
      expect(createRefusal(`select 1 from information_schema.tables where table_name = ${text}`).code).toBe('E_NOT_A_READ');
    },
  );

  it.each(['`#mysql50#t`', 'db.`#mysql50#t`', '`#mysql50#db`.t', '`#mysql50#`'])('refuses the file name %s', (name) => {
    expect(createRefusal(`select * from ${name}`)).toMatchObject({
      code: 'E_NOT_A_READ',
      message: expect.stringContaining('#mysql50#'),
    });
    expect(createRefusal(`select * from ${name.replaceAll('`', '"')}`, 'ANSI_QUOTES').code).toBe('E_NOT_A_READ');
    expect(split(`select ${name.replaceAll('#mysql50#', 'mysql50#')}`)).toContain('SELECT');
  });
});
