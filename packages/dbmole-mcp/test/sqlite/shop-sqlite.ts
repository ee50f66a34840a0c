/** A small shop with what SQLite has and other engines do not. */
export const shopSql = `
create table customers (
  id integer primary key autoincrement, name text not null,
  email text unique check (email like '%@%'), created_at text default current_timestamp
);
create table orders (
  id integer primary key, customer_id integer not null references customers (id) on delete cascade,
  total real not null check (total >= 0), status text not null default 'pending',
  cents integer generated always as (cast(total * 100 as integer)) stored
);
create table order_lines (order_id integer references orders, n int, sku text, primary key (order_id, n)) without rowid;
create table exact (a int, b any) strict;
create table audits (order_id int);
create index orders_status on orders (status, total desc) where status <> 'done';
create view big_orders as select * from orders where total > 100;
create trigger audit_orders after update on orders begin insert into audits values (new.id); end;
create virtual table docs using fts5(title, body);
create virtual table places using rtree(id, x0, x1);
insert into docs values ('hello', 'world of moles');
insert into places values (1, 0, 1);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20)
insert into customers (name, email) select 'customer ' || i, 'c' || i || '@example.com' from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
insert into orders (id, customer_id, total, status) select i, 1 + i % 20, i * 1.5, iif(i % 3, 'pending', 'done') from n;
insert into order_lines select id, 1, 'sku' || id from orders where id <= 50;
`;
