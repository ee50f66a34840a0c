import { expect, it } from 'vitest';
import { readQuoted } from './unknown-name.ts';

it.each([
  ['the server says “relation "custmers" does not exist”', ['custmers']],
  ["the server says “Table 'shop.custmers' doesn't exist”", ['shop.custmers']],
  ['the server says “Unknown column `shop`.`nam` in `where clause`”', ['nam', 'where clause']],
  ['the server says “la relation « custmers » n’existe pas”', ['custmers']],
  ['the server says “Relation „custmers“ existiert nicht”', ['custmers']],
  ['the server says “syntax error”', []],
])('reads what is quoted in %j', (message, quoted) => {
  expect(readQuoted(message)).toEqual(quoted);
});
