import { type RunningEngine, useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { fillCase, readCases } from './case-file.ts';
import { fuzzMysql, isTakenForRead } from './mysql-fuzz.ts';
import { makeStatement } from './mysql-fuzz-statements.ts';
import { guardEngines } from './mysql-guarded.ts';
import { type Mutant, openMutant } from './mysql-mutants.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Any will do; with a fixed one, a red run can be repeated. */
const seed = 20_240_517;
const statements = 21_000;
/** Enough for a defect to show, in one mode of one engine. */
const perMutant = 6_000;
const bothModes = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES';

/** A guard that takes all for reads. */
function* takeAll(): Generator<undefined, void, undefined> {}

const mutants: readonly Mutant[] = [
  {
    name: 'two dashes always begin a comment',
    file: 'text/blanks.ts',
    from: 'sql.charCodeAt(at + 1) === 0x2d && isBlankOrControl(sql, at + 2)',
    to: 'sql.charCodeAt(at + 1) === 0x2d',
    mode: '',
    cases: ['comment-dashes-digit', 'comment-dashes-bracket'],
  },
  {
    name: 'executable comments are comments',
    file: 'text/blanks.ts',
    from: 'if (/^M?!/i.test(sql.slice(at + 2, at + 4))) throw executableComment(at);',
    to: '',
    mode: '',
    cases: ['comment-plain', 'comment-five'],
  },
  {
    name: 'comments nest',
    file: 'text/blanks.ts',
    from: "const end = sql.indexOf('*/', at + 2);",
    to: "const first = sql.indexOf('*/', at + 2); const inner = sql.indexOf('/*', at + 2); const end = inner >= 0 && inner < first ? sql.indexOf('*/', first + 2) : first;",
    mode: '',
    cases: ['comment-nested-end'],
  },
  {
    name: 'a carriage return ends a line',
    file: 'text/blanks.ts',
    from: "const end = sql.indexOf('\\n', at);",
    to: "const end = sql.indexOf('\\n', at) < 0 ? -1 : sql.indexOf('\\n', sql.indexOf('\\n', at) + 1);",
    mode: '',
    cases: ['comment-hash-line'],
  },
  {
    name: 'NO_BACKSLASH_ESCAPES is not known',
    file: 'text/sql-mode.ts',
    from: "plainBackslash: words.has('NO_BACKSLASH_ESCAPES')",
    to: 'plainBackslash: false',
    mode: 'NO_BACKSLASH_ESCAPES',
    cases: ['no-escapes', 'no-escapes-double'],
  },
  {
    name: 'a backslash never escapes',
    file: 'text/sql-mode.ts',
    from: "plainBackslash: words.has('NO_BACKSLASH_ESCAPES')",
    to: 'plainBackslash: true',
    mode: '',
    cases: ['literal-backslash-variable'],
  },
  {
    name: 'ANSI_QUOTES is not known',
    file: 'text/sql-mode.ts',
    from: "ansiQuotes: words.has('ANSI_QUOTES') || groups.some((group) => words.has(group))",
    to: 'ansiQuotes: false',
    mode: 'ANSI_QUOTES',
    cases: ['ansi-quotes'],
  },
  {
    name: 'a number with an exponent goes on as a name',
    file: 'text/numbers.ts',
    from: 'return isExponent ? { end: exponentEnd(sql, whole, start), isName: false }',
    to: 'return isExponent ? { end: exponentEnd(sql, whole, start), isName: true }',
    mode: '',
  },
  {
    name: 'a number with a point goes on as a name',
    file: 'text/numbers.ts',
    from: 'return { end: exponentEnd(sql, locateEnd(digits, sql, whole + 1), start), isName: false };',
    to: 'return { end: exponentEnd(sql, locateEnd(digits, sql, whole + 1), start), isName: true };',
    mode: '',
  },
  {
    name: 'brackets are marks',
    file: 'text/lexer.ts',
    from: "new Set('!%",
    to: "new Set('[]!%",
    mode: 'MSSQL',
    engine: 'mariadb1011',
    cases: ['mssql-brackets'],
  },
  {
    name: 'a backslash escapes in a quoted name',
    file: 'text/lexer.ts',
    from: 'const end = this.#closing(mark, false);',
    to: 'const end = this.#closing(mark, true);',
    mode: '',
    cases: ['literal-backtick-backslash'],
  },
];

describe('the statements of the fuzzer', () => {
  it('are the same for the same seed', () => {
    const make = (first: number) => {
      const random = createSeededRandom(first).below;
      return Array.from({ length: 50 }, () => makeStatement(random));
    };
    expect(make(1)).toEqual(make(1));
    expect(make(1)).not.toEqual(make(2));
    expect(new Set(make(1)).size).toBeGreaterThan(45);
  });
});

describe('the fuzzer', () => {
  const engines = new Map<string, () => RunningEngine>(guardEngines.map((id) => [id, useEngine(id, { shared: true })]));
  const engine = (id: string) => {
    const running = engines.get(id);
    if (running === undefined) throw new Error(`${id} is not one of the test engines`);
    return running();
  };

  it('finds no accepted statement that writes', async () => {
    const all = guardEngines.map(engine);
    const report = await fuzzMysql({ seed, statements, engines: all });
    expect(report.found).toEqual([]);
    expect(report.made).toBeGreaterThanOrEqual(20_000);
    // Else it would try nothing.
    expect(report.accepted).toBeGreaterThan(1_500);
    expect(report.ran).toBeGreaterThan(500);
  });

  it('finds writes in a guard that refuses nothing', async () => {
    const report = await fuzzMysql({
      seed,
      statements: 600,
      engines: [engine('mysql80')],
      modes: [bothModes],
      check: takeAll,
    });
    expect(report.found.length).toBeGreaterThan(20);
  });

  it.for(mutants)('or a case finds the defect: $name', async (mutant) => {
    const { check, dispose } = await openMutant(mutant);
    try {
      for (const id of mutant.cases ?? []) expect(isTakenForRead(check, caseOf(id), modeNow(mutant)), id).toBe(true);
      if (mutant.cases !== undefined) return;
      const engines = [engine(mutant.engine ?? 'mariadb1011')];
      const { found } = await fuzzMysql({ seed, statements: perMutant, engines, modes: [mutant.mode], check });
      expect(found).not.toEqual([]);
    } finally {
      dispose();
    }
  });
});

/** As it is in the case file, where the tests of the attacks say that it is refused. */
function caseOf(id: string): string {
  const found = readCases('mysql-attacks').find((one) => one.id === id);
  if (found?.verdict !== 'refuse') throw new Error(`${id} is no case that is refused`);
  return fillCase(found.sql, { OUT: '/out' });
}

/** The server adds to the group of modes what it consists of. */
function modeNow({ mode }: Mutant): string {
  return mode === 'MSSQL' ? 'PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,MSSQL,NO_KEY_OPTIONS' : mode;
}
