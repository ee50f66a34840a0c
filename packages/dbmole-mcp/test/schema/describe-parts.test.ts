import { describe, expect, it } from 'vitest';
import { tableParts } from '../../src/catalog/catalog.ts';
import { runDirect } from '../direct.ts';
import { engines, useBookshop } from './bookshop.ts';

describe.each(engines)('the description of a table on %s', (id) => {
  const shop = useBookshop(id, 'parts');
  const read = async (tables: string | readonly string[], ...parts: string[]) =>
    await shop.call('describe_table', {
      tables: [tables].flat(),
      ...(parts.length === 0 ? {} : { parts }),
    });

  it('groups what refers to a table by what a delete does, with the names of the constraints', async () => {
    const lines = [
      '  <- ON DELETE CASCADE: reviews.book_id [reviews_book]',
      '  <- ON DELETE SET NULL: loans.book_id [loans_book]',
    ];
    expect(await read('books')).toContain(lines.join('\n'));
    expect(await read('books', 'references')).toMatch(
      new RegExp(
        `\n  \\(publisher_id\\) -> publishers\\.id NO ACTION \\[books_publisher\\]\n${lines.join('\n').replaceAll(/[[\]]/g, '\\$&')}$`,
      ),
    );
    expect(await read('publishers')).toContain('  <- ON DELETE NO ACTION: books.publisher_id [books_publisher]');
  });

  it('has every part by its name, and says which has nothing', async () => {
    expect(await read('books', 'keys')).toMatch(/\nbooks: table\n {2}PK \(id\)\n {2}UNIQUE \(isbn\) \[books_isbn_unique\]$/);
    expect(await read('books', 'checks')).toMatch(/\n {2}CHECK \(pages > 0\) \[books_pages_positive\]$/);
    expect(await read('imports', 'keys', 'references', 'indexes', 'checks', 'triggers', 'policies')).toMatch(
      /\nimports: table\n {2}no keys\n {2}no references\n {2}no indexes\n {2}no checks\n {2}no triggers\n {2}no policies$/,
    );
    expect(await read('long_books', 'definition')).toMatch(/\n {2}AS\n(?:.|\n)*pages/i);
    for (const part of tableParts) expect(await read('books', part)).toMatch(/^1 table\./);
    expect(await read('books', 'everything')).toMatch(/^E_\w+: /);
  });

  it('shows indexes with method and uniqueness, also those of keys', async () => {
    const text = await read('books', 'indexes');
    expect(text).toMatch(/\n {2}INDEX books_state btree \(state, pages\)/);
    expect(text).toMatch(/\n {2}INDEX books_isbn_unique UNIQUE btree \(isbn\), of a key/);
    if (shop.isPostgres) expect(text).toMatch(/INDEX books_state btree \(state, pages\), 16 kB, used \d+ times?/);
  });

  it('shows sizes and uses to an account that may see them', async () => {
    if (shop.isPostgres) return;
    await runDirect(shop.engine(), [`grant select on mysql.innodb_index_stats to '${shop.account().user}'@'%'`]);
    expect(await read('books', 'indexes')).toMatch(/INDEX books_state btree \(state, pages\), 16 kB/);
  });

  it('explains the signs that occur, and no others', async () => {
    expect(await read('imports')).toMatch(/^1 table\. `\?` nullable; `~` estimated\. Data/);
    expect(await read('imports', 'indexes')).toMatch(/^1 table\. Data/);
    await shop.exec('create table pairs (a int not null default 1, b int not null default 2)');
    const [whole, brief] = [await read('pairs'), await shop.call('describe_table', { tables: ['pairs'], brief: true })];
    await shop.exec('drop table pairs');
    expect(whole).not.toContain('both int');
    expect(brief).toMatch(/^1 table\. `a, b int` both int\. Data.*\npairs\(a, b int(?:eger|\(11\))?\)$/);
    // The text of a view may look like a sign.
    await shop.exec('create view odd as select id, id = 1 as one from publishers where id > 0');
    const text = await read('odd', 'definition');
    await shop.exec('drop view odd');
    expect(text).toMatch(/^1 table\. Data/);
  });

  it('reads statistics without looking at the rows', async () => {
    if (!shop.isPostgres && !shop.isMaria)
      await shop.exec('analyze table books update histogram on state, pages with 10 buckets');
    if (shop.isMaria) {
      await runDirect(shop.engine(), [`grant select on mysql.column_stats to '${shop.account().user}'@'%'`]);
      await shop.exec('analyze table books persistent for all');
    }
    const text = await read('books', 'stats');
    expect(text).toMatch(/^1 table\. `~` estimated\. .*\nbooks: table\n {2}statistics of /);
    expect(text).toMatch(/\n {2}id: .*~4 distinct/);
    if (shop.isMaria) expect(text).toMatch(/\n {2}pages: 0 % null; ~4 distinct; from '100' to '600'/);
    else expect(text).toMatch(/\n {2}state: 0 % null; ~2 distinct; most common 'in' 75 %/);
    if (!shop.isMaria) expect(text).toMatch(/\n {2}pages: 0 % null; ~4 distinct;.* from '100' to '600'/);
    expect(await read('long_books', 'stats')).toContain('a view has no statistics');
  });

  it('shows three rows with their cells cut short, read like a query', async () => {
    const text = await read('books', 'sample');
    expect(text.split('\n')).toHaveLength(6);
    expect(text).toContain('\n  id,publisher_id,isbn,state,pages\n  1,1,i1,in,600\n');
    await shop.exec(`insert into imports values ('${'long '.repeat(50)}')`);
    expect(await read('imports', 'sample')).toMatch(/\n {2}"?(?:long ){12}⟦1-60 of 250⟧/);
    expect(await read('audit_log', 'sample')).toMatch(/\n {2}no rows$/);
  });

  it('does not sample what the guard refuses', async () => {
    await (shop.isPostgres
      ? shop.exec(
          'create sequence counted',
          "create function harm() returns bigint language plpgsql as $$begin return nextval('counted'); end$$",
          'create view effect as select harm() as n',
        )
      : shop.exec(
          'create table counted (n int)',
          'create function harm() returns int reads sql data begin insert into counted values (1); return 1; end',
          'create view effect as select harm() as n',
        ));
    const text = await read(['effect', 'books'], 'sample');
    expect(text).toMatch(/\neffect: view\n {2}no sample: .*(?:harm|READ ONLY)/);
    expect(text).toContain('\n  1,1,i1,in,600\n');
    const [[count] = []] = await shop.exec(
      shop.isPostgres ? 'select is_called::int from counted' : 'select count(*) from counted',
    );
    expect(Number(count)).toBe(0);
  });

  it('describes functions and triggers, and says what they are', async () => {
    await (shop.isPostgres
      ? shop.exec(
          'create function twice(a int) returns int language sql as $$ select a * 2 $$',
          'create function stamp() returns trigger language plpgsql as $$ begin return new; end $$',
          'create trigger stamped before update on books for each row execute function stamp()',
        )
      : shop.exec(
          'create function twice(a int) returns int deterministic return a * 2',
          'create trigger stamped before update on books for each row set new.pages = 1',
        ));
    const text = await read(['twice', 'stamped', 'books_state', 'nope']);
    expect(text).toMatch(/^1 function, 1 trigger, 1 index\./);
    expect(text).toMatch(/\ntwice: function(?:: |\n {2}AS\n {2})CREATE .*FUNCTION/);
    expect(text).toMatch(/a \* 2/);
    expect(text).toContain('\nnope: no such table');
    expect(await read('books')).toMatch(/\n {2}TRIGGER stamped BEFORE UPDATE /);
    await shop.exec(shop.isPostgres ? 'drop trigger stamped on books' : 'drop trigger stamped');
  });

  if (shop.isPostgres) {
    it('shows policies with their expressions, and whether they apply', async () => {
      const policies = [
        '  row level security',
        "  POLICY diary_no_secrets RESTRICTIVE FOR ALL TO public USING (entry !~~ '%secret%'::text) WITH CHECK (owner = CURRENT_USER)",
        '  POLICY diary_own FOR SELECT TO public USING (owner = CURRENT_USER)',
      ].join('\n');
      expect(await read('diary')).toContain(policies);
      expect(await read('diary', 'policies')).toContain(`\ndiary: table\n${policies}`);
      expect(await read('loans', 'policies')).toContain(
        'row level security is off: its policies have no effect\n  POLICY waiting',
      );
    });
  } else {
    it('has the statement of a table as its definition', async () => {
      expect(await read('books', 'definition')).toMatch(/\n {2}AS\n {2}CREATE TABLE `books`/);
    });
  }

  it('shows a long comment whole where the columns are asked for', async () => {
    const comment = 'word '.repeat(100).trim();
    await shop.exec(
      shop.isPostgres ? `comment on column loans.due is '${comment}'` : `alter table loans modify due date comment '${comment}'`,
    );
    expect(await read('loans')).toMatch(/^1 table\. .*`…` cut: the parts columns and triggers show it all/);
    expect(await read('loans', 'columns')).toContain(`-- ${comment}`);
  });
});
