import { shopMysql } from '../../packages/dbmole-mcp/test/fixtures/shop-mysql.ts';
import { shopPostgres } from '../../packages/dbmole-mcp/test/fixtures/shop-postgres.ts';

/** A list of expressions, one for each of the twelve long columns. */
function twelve(format: (n: number) => string): string {
  return Array.from({ length: 12 }, (_, n) => `${format(n)} as c${n}`).join(', ');
}

export const seedPostgres: readonly string[] = [
  'create table ten as select i as id, md5(i::text) as name, i * 1.5 as price, i % 2 = 0 as active, now() as at from generate_series(1, 10) i',
  "create table hundred as select i as id, md5(i::text) as name, i * 1.5 as price, date '2024-01-01' + i as day, i * 1000 as amount from generate_series(1, 100) i",
  `create table wide as select i as id, ${twelve((n) => `md5((i + ${n})::text)`)} from generate_series(1, 300000) i`,
  "create table big as select 1 as id, repeat('x', 5000000) as cell",
  shopPostgres,
  'analyze',
];

/** Neither of the two has the other's way of making numbers, and not every version has `md5`. */
const hash = (expression: string) => `left(sha2(${expression}, 256), 32)`;

export const seedMysql: readonly string[] = [
  'create table digits (d int)',
  'insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)',
  `create table ten as select d + 1 as id, ${hash('d')} as name, d * 1.5 as price, d % 2 = 0 as active, now() as at from digits`,
  `create table hundred as select a.d * 10 + b.d as id, ${hash('a.d * 10 + b.d')} as name, a.d * 1.5 as price, date '2024-01-01' + interval b.d day as day, a.d * 1000 as amount from digits a, digits b`,
  'create table numbers as select a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d as i from digits a, digits b, digits c, digits d, digits e, digits f where f.d < 3',
  `create table wide as select i as id, ${twelve((n) => hash(`i + ${n}`))} from numbers`,
  "create table big as select 1 as id, repeat('x', 5000000) as cell",
  ...shopMysql.split(/;\s*\n/).filter((statement) => statement.trim() !== ''),
];
