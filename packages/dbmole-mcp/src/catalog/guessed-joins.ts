import type { ColumnDetails, TableDetails } from './catalog.ts';
import { parseNameParts } from './name-parts.ts';

type Table = Pick<TableDetails, 'name' | 'columns' | 'keys'>;

const maxGuesses = 5;

/** Joins of two tables by the names and types of columns, as clauses of FROM: straight, or over one of the others. */
export function guessJoins(start: Table, end: Table, others: readonly Table[]): string[] {
  const straight = guessCondition(start, end);
  if (straight !== undefined) return [`${start.name} JOIN ${end.name} ON ${straight}`];
  return others
    .flatMap((middle) => {
      const [first, second] = [guessCondition(start, middle), guessCondition(middle, end)];
      if (first === undefined || second === undefined) return [];
      return [`${start.name} JOIN ${middle.name} ON ${first} JOIN ${end.name} ON ${second}`];
    })
    .slice(0, maxGuesses);
}

/** What a column that refers to a table is usually called, without underscores. */
function listReferenceNames(table: Table): string[] {
  const name = fold(table.name);
  const singular = name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1');
  return [...new Set([name, singular])].flatMap((form) =>
    listKeys(table).map((key) => (fold(key.name).startsWith(form) ? fold(key.name) : form + fold(key.name))),
  );
}

function guessCondition(one: Table, other: Table): string | undefined {
  return findReference(one, other) ?? findReference(other, one);
}

/** `books.id = reviews.book_id`, if a column of the first is called like a key of the second and has its type. */
function findReference(from: Table, to: Table): string | undefined {
  const names = new Set(listReferenceNames(to));
  for (const key of listKeys(to)) {
    const column = from.columns.find(
      ({ name, type }) =>
        readFamily(type) === readFamily(key.type) &&
        (names.has(fold(name)) || (isTelling(name) && fold(name) === fold(key.name))),
    );
    if (column !== undefined) return `${to.name}.${key.name} = ${from.name}.${column.name}`;
  }
  return undefined;
}

/** The columns that are a key alone. */
function listKeys({ columns, keys }: Table): ColumnDetails[] {
  return keys.filter((key) => key.columns.length === 1).flatMap((key) => columns.filter(({ name }) => name === key.columns[0]));
}

/** `customer_id` says what it refers to, `id` and `name` do not. */
function isTelling(name: string): boolean {
  return /^(?:.+(?:id|key|code|no|number)|.*(?:sku|isbn))$/.test(fold(name)) && !/^[gu]uid$/.test(fold(name));
}

/** The last part of a name in lower case, without what people write in different ways. */
function fold(name: string): string {
  return (parseNameParts(name).at(-1)?.text ?? name).toLowerCase().replaceAll('_', '');
}

/** Types that can be compared; others are equal or not. */
function readFamily(type: string): string {
  const [bare = ''] = type.toLowerCase().split('(');
  const word = bare.replace(/ unsigned$/, '').trim();
  if (/^(?:tiny|small|medium|big)?int(?:eger|\d)?$|serial/.test(word)) return 'integer';
  return /char|text/.test(word) ? 'text' : word;
}
