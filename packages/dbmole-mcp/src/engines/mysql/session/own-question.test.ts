import { expect, it } from 'vitest';
import { formatQuestion } from './own-question.ts';

it.each([
  ['select ?, ?', ['plain', "it's"], "select 'plain', _utf8mb4 x'69742773'\nlimit 9"],
  ["select '?', `?`, ? from t limit ? offset ?", ['a', 5, 0], "select '?', `?`, 'a' from t limit 5 offset 0"],
  ['select ?, ?, ?', [null, true, -1.5], 'select NULL, true, -1.5\nlimit 9'],
  ['select 1 from (select 2 limit 3) t', [], 'select 1 from (select 2 limit 3) t\nlimit 9'],
  ['SHOW GRANTS', [], 'SHOW GRANTS'],
])('writes the values and a limit into %s', (sql, params, text) => {
  expect(formatQuestion(sql, params, 9)).toBe(text);
});

it.each([['#mysql50#t'], ['["#mysql50#t"]']])('looks up no file name: %s', (name) => {
  expect(() => formatQuestion('select * from information_schema.tables where table_name = ?', [name], 9)).toThrow('#mysql50#');
});
