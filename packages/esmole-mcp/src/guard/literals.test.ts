import { describe, expect, it } from 'vitest';
import { withoutLiterals } from './literals.ts';

describe('texts in ES|QL', () => {
  it.each([
    ['FROM a | WHERE m RLIKE ".*x" | LIMIT 1', 'FROM a | WHERE m RLIKE "" | LIMIT 1'],
    ['FROM a | WHERE m like (".x", "y")', 'FROM a | WHERE m like ("", "y")'],
    ['FROM a | WHERE u == "https://x/*" AND v != "\\".b"', 'FROM a | WHERE u == "" AND v != ""'],
    ['FROM a | GROK m "%{WORD:b}.%{WORD:c}"', 'FROM a | GROK m ""'],
    ['FROM a | dissect log.original\n"%{b} .%{c}"', 'FROM a | dissect log.original\n""'],
  ])('are emptied where they are compared: %s', (text, emptied) => {
    expect(withoutLiterals(text, 'esql')).toBe(emptied);
  });

  it.each([
    'FROM ".a"',
    'FROM "a == ",.b,"c"',
    'FROM a, like(*",.b,"c',
    'FROM a<",.b,"c"',
    'FROM a, like\u00a0",.b,"c',
    'FROM grok, ".b"',
    'FROM a, grok b",.c,"d',
    'FROM dissect,b ".c"',
    'FROM a | GROK from ".b"',
    'FROM x`",.b,"` | WHERE y == "c"',
    'FROM x // "\n, .b | WHERE y == "c"',
    'ROW x = """ LIKE """ | FROM .b | WHERE y == """c"""',
    'FROM a | WHERE y == ".b',
    'FROM a | WHERE y == "\\x.b"',
  ])('are left as they are where they may be something else: %j', (text) => {
    expect(withoutLiterals(text, 'esql')).toBe(text);
  });

  it('hide nothing that stands between them', () => {
    expect(withoutLiterals('SET a = " == "; FROM .b | WHERE c == "d"', 'esql')).toContain('.b');
    expect(withoutLiterals('SET a == " == "; FROM .b, "d"', 'esql')).toContain('.b');
  });
});

describe('texts in SQL', () => {
  it('are emptied, and names are not', () => {
    expect(withoutLiterals(`SELECT '.a', 'it''s --' FROM ".b"`, 'sql')).toBe(`SELECT "", "" FROM ".b"`);
  });

  it.each([
    `SELECT a FROM b -- '\n.c '`,
    `SELECT /* ' */ '.c'`,
    "SELECT `'` FROM .b WHERE c = '`'",
    `SELECT '.a`,
    `SELECT \\'.a'`,
  ])('are left as they are where they may be something else: %j', (text) => {
    expect(withoutLiterals(text, 'sql')).toBe(text);
  });

  it('begin where the names end', () => {
    expect(withoutLiterals(`SELECT "'" FROM ".b" WHERE c = '"'`, 'sql')).toContain('".b"');
  });
});
