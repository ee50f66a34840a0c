import { describe, expect, it } from 'vitest';
import { engines, useBookshop } from './bookshop.ts';

describe.each(engines)('the list of tables on %s', (id) => {
  const shop = useBookshop(id, 'list');
  const list = async (args: Record<string, unknown> = {}) => {
    const [head = '', ...lines] = (await shop.call('list_tables', args)).split('\n');
    const [columns = '', ...rows] = lines;
    return { head, columns, rows, names: rows.map((row) => row.split(',')[0]) };
  };
  /** One row of the list by the names of its columns. */
  const find = async (name: string, args: Record<string, unknown> = {}) => {
    const { columns, rows } = await list(args);
    const cells = rows.find((row) => row.startsWith(`${name},`))?.match(/"[^"]*"|[^,"]+|(?<=,)(?=,|$)/g) ?? [];
    return Object.fromEntries(columns.split(',').map((column, i) => [column, cells[i]]));
  };

  it('says how many there are, and leaves out empty columns', async () => {
    const { head, columns } = await list();
    expect(head).toMatch(/^(?:10|7) rows/);
    expect(columns).toBe(`name,kind,rows,size,primary_key${shop.isPostgres ? ',row_security' : ''},references,referenced_by`);
    expect((await list({ pattern: 'imports' })).columns).toBe('name,kind,rows,size,primary_key');
  });

  it('shows primary keys or their absence, and references in both directions', async () => {
    expect(await find('books')).toMatchObject({ rows: '~4', primary_key: 'id', references: '1', referenced_by: '2' });
    expect(await find('publishers')).toMatchObject({ references: '-', referenced_by: '1' });
    expect(await find('imports')).toMatchObject({ primary_key: 'none', references: '-', referenced_by: '-' });
    expect(await find('long_books')).toMatchObject({ kind: 'view', primary_key: '-' });
    expect((await list({ pattern: 'reviews' })).rows[0]).toContain('"book_id, reader"');
  });

  it('filters by kind', async () => {
    const views = shop.isPostgres ? ['long_books', 'page_counts'] : ['long_books'];
    expect((await list({ kind: 'view' })).names).toEqual(views);
    expect((await list({ kind: 'table' })).names).toEqual(
      shop.isPostgres
        ? ['audit_log', 'books', 'diary', 'events', 'imports', 'loans', 'publishers', 'reviews']
        : ['audit_log', 'books', 'imports', 'loans', 'publishers', 'reviews'],
    );
    expect(await shop.call('list_tables', { kind: 'tabel' })).toMatch(/expected table, view, /);
  });

  it('filters by what a table is without', async () => {
    expect((await list({ without: 'primary_key' })).names).toEqual(shop.isPostgres ? ['events', 'imports'] : ['imports']);
    expect((await list({ without: 'references' })).names).toEqual(
      shop.isPostgres ? ['audit_log', 'diary', 'events', 'imports'] : ['audit_log', 'imports'],
    );
    expect((await list({ without: 'rows' })).names).toEqual(shop.isPostgres ? ['audit_log', 'diary', 'events'] : ['audit_log']);
    expect((await list({ without: 'primary_key', pattern: 'imp*' })).names).toEqual(['imports']);
    expect(await shop.call('list_tables', { without: 'references', pattern: 'loan*' })).toMatch(/^No rows, of \d+ tables/);
  });

  if (shop.isPostgres) {
    it('shows row-level security with the number of its policies', async () => {
      expect(await find('diary')).toMatchObject({ row_security: '2 policies' });
      expect(await find('loans')).toMatchObject({ row_security: 'off; 1 policy' });
    });

    it('does not take a table for empty that was filled since its statistics', async () => {
      await shop.exec(
        'create table fresh (a int)',
        'analyze fresh',
        'insert into fresh values (1)',
        'create table never (a int)',
      );
      const { names } = await list({ without: 'rows' });
      await shop.exec('drop table fresh, never');
      expect(names).toContain('never');
      expect(names).not.toContain('fresh');
    });
  }
});
