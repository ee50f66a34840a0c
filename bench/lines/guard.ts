import type { CatalogQuestion, ReadGuard } from '../../packages/dbmole-mcp/src/guard/read-statement.ts';
import { type Line, type Measured, medianOf } from '../line.ts';

const small = 'select id, name, price, active, at from ten';

const realistic = `select c.name, count(*) as orders, sum(o.total) as spent from orders o join customers c on c.id = o.customer_id
where o.created_at > '2026-01-01' and o.status = 'paid' group by c.name order by spent desc limit 20`;

const long = `
with recent as (select o.id, o.customer_id, o.total, o.created_at from orders o where o.status in ('paid', 'shipped')),
per_customer as (
  select customer_id, count(*) as n, sum(total) as spent, max(created_at) as latest from recent group by customer_id
)
select c.id, c.name, c.email, p.n, round(p.spent, 2) as spent, p.latest, rank() over (order by p.spent desc) as place
from customers c join per_customer p on p.customer_id = c.id left join regions r on r.id = c.region_id
where r.code = 'north' or c.name like 'A%' order by p.spent desc limit 50`;

const list = `select * from orders where id in (${Array.from({ length: 5_000 }, (_, id) => id).join(', ')})`;

/** In µs, for guards that know the server already. A new text of PostgreSQL goes through a thread. */
const engines = [
  ['PostgreSQL', openPostgres, { small: 1_000, realistic: 1_000, long: 1_000, list: 30_000 }],
  ['MySQL', openMysql, { small: 30, realistic: 60, long: 150, list: 5_000 }],
] as const;

const texts = { small, realistic, long, list };
const names = {
  small: 'small statement',
  realistic: 'realistic statement',
  long: 'long statement',
  list: '5,000 values in a list',
};

export const guardLines: readonly Line[] = engines.flatMap(([engine, open, goals]) =>
  (['small', 'realistic', 'long', 'list'] as const)
    .map((key) => ({ what: names[key], sql: texts[key], goal: goals[key] }))
    .map(({ what, sql, goal }) => ({
      name: `${engine} guard, ${what}`,
      goal,
      unit: 'µs',
      measure: async () => measure(await open(), sql),
    })),
);

/** A server without objects of its own. It is not asked while we measure. */
const emptyServer: CatalogQuestion = async (sql) => {
  if (sql.includes('server_version_num')) return [['180000', null, 'UTF8']];
  return sql.includes('sql_mode') ? [['STRICT_TRANS_TABLES', 'bench', '8.0.31']] : [];
};

async function openPostgres(): Promise<ReadGuard> {
  const { createGuard } = await import('../../packages/dbmole-mcp/src/engines/postgres/guard/guard.ts');
  return createGuard();
}

async function openMysql(): Promise<ReadGuard> {
  const { createGuard } = await import('../../packages/dbmole-mcp/src/engines/mysql/guard/guard.ts');
  return createGuard();
}

async function measure(guard: ReadGuard, sql: string): Promise<Measured> {
  const times: number[] = [];
  const rounds = sql.length > 10_000 ? 100 : 1_000;
  for (let round = 0; round < rounds * 1.3; round += 1) {
    // Another text each time: a guard may know the last ones.
    const text = `${sql} -- ${round}`;
    const started = performance.now();
    await guard.check(text, emptyServer);
    times.push((performance.now() - started) * 1_000);
  }
  // The first ones load the parser, ask the server, and are compiled.
  const warm = times.slice(-rounds);
  return { value: medianOf(warm), details: { min: Math.min(...warm), characters: sql.length } };
}
