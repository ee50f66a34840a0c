import { describe, expect, it } from 'vitest';
import { engines, useBookshop } from './bookshop.ts';

describe.each(engines)('the search of the schema on %s', (id) => {
  const shop = useBookshop(id, 'search');
  const search = async (text: string) => (await shop.call('search_schema', { text })).split('\n').slice(1).join('\n');
  const joins = (from: string, to: string) => shop.call('search_schema', { from, to });

  it('finds constraints and indexes by their names', async () => {
    expect(await search('books_publisher')).toMatch(/^foreign key,books_publisher,"?on books/m);
    expect(await search('positive')).toMatch(/^check,books_pages_positive,/m);
    expect(await search('isbn_unique')).toMatch(/^(?:key|unique index),books_isbn_unique,/m);
    expect(await search('books_state')).toMatch(/^kind,name,detail\nindex,books_state,"?on books/);
  });

  it('shows columns before the constraints and indexes that are named after them', async () => {
    expect(await search('books state')).toMatch(/^kind,name,detail\ncolumn,books\.state,/);
  });

  it('does not find those of a table with the table', async () => {
    expect(await search('books')).not.toMatch(/,books_(?:isbn|state|pages)/);
  });

  it('finds columns by the whole name of their type', async () => {
    const dates = await search('date');
    expect(dates).toMatch(/^column,loans\.due,date$/m);
    expect(await search('int')).toMatch(/^column,books\.pages,int/m);
    expect(await search('varcha')).not.toMatch(/^column/m);
    expect(await search('varchar isbn')).toMatch(/^column,books\.isbn,/m);
  });

  it('finds values of enums, and comments', async () => {
    await (shop.isPostgres
      ? shop.exec(
          "create type shelf_mark as enum ('fragile', 'heavy')",
          'alter table loans add mark shelf_mark',
          "comment on table loans is 'who took a tome home'",
        )
      : shop.exec("alter table loans add mark enum('fragile', 'heavy'), comment = 'who took a tome home'"));
    expect(await search('fragile')).toMatch(/^(?:enum,shelf_mark|column,loans\.mark),/m);
    expect(await search('tome')).toMatch(/^table,loans,who took a tome home$/m);
  });

  it('offers the nearest words where nothing is found', async () => {
    const reply = await shop.call('search_schema', { text: 'publishr' });
    expect(reply).toMatch(/^No rows, .*\nnearest to publishr: publishers/);
  });

  it('gives the shortest joins between two tables, as a statement has them', async () => {
    const reply = await joins('reviews', 'publishers');
    expect(reply).toMatch(/^The shortest joins over foreign keys: 1\./);
    const from = reply.split('\n')[1] ?? '';
    expect(from).toBe('reviews JOIN books ON books.id = reviews.book_id JOIN publishers ON publishers.id = books.publisher_id');
    expect((await shop.exec(`select count(*) from ${from}`))[0]?.map(Number)).toEqual([2]);
    expect(await joins('loans', 'reviews')).toContain('\nloans JOIN books ON books.id = loans.book_id JOIN reviews ON');
    expect(await joins('imports', 'books')).toMatch(/^No joins between them in up to 12 steps over the 3 foreign keys/);
    await shop.exec(
      'create table wagon (id int primary key, books_no int)',
      'create table freight (wagon_id int, book_id bigint)',
    );
    expect(await joins('wagon', 'books')).toMatch(
      /^No joins between them .* Guessed by names and types of columns, .*: 1\. .*\nwagon JOIN freight ON wagon\.id = freight\.wagon_id JOIN books ON books\.id = freight\.book_id$/,
    );
    await shop.exec('drop table wagon', 'drop table freight');
    expect(await joins('reviews', 'publisher')).toMatch(/^E_UNKNOWN_TABLE: .*Nearest: publishers/);
    expect(await joins('books', 'books')).toMatch(/^E_INPUT: /);
    expect(await shop.call('search_schema', {})).toMatch(/either text, or from and to/);
    expect(await shop.call('search_schema', { text: 'a', from: 'books', to: 'loans' })).toMatch(/either text, or from and to/);
  });
});
