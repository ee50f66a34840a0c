import type { Dialect } from './sample-shop.ts';

interface SampleQuery {
  header: string;
  postgres: string;
  sqlite: string;
}

/** The saved queries of the sample shop: each answers what people ask of a shop, and shows something that a header can say. */
const queries: Readonly<Record<string, SampleQuery>> = {
  customer_find: {
    header: `
-- description: Customers by a part of their name or mail address, with their orders and what they spent.
-- when: the user names a customer and you need the id
-- connection: demo
-- param words text: a part of the name or the mail address. Example: schmidt
-- limit: 20`,
    postgres: `
select c.id, c.name, c.email, c.city, count(o.id) as orders, coalesce(sum(o.total), 0) as spent
from customers c left join orders o on o.customer_id = c.id
where c.name ilike '%' || :words || '%' or c.email ilike '%' || :words || '%'
group by c.id order by spent desc`,
    sqlite: `
select c.id, c.name, c.email, c.city, count(o.id) as orders, round(total(o.total), 2) as spent
from customers c left join orders o on o.customer_id = c.id
where c.name like '%' || :words || '%' or c.email like '%' || :words || '%'
group by c.id order by spent desc`,
  },
  customer_orders: {
    header: `
-- description: Orders of one customer, newest first, with their totals.
-- when: the user asks what a customer bought, or how much they spent
-- connection: demo
-- param customer_id integer: id of the customer. Example: 42
-- param since date optional: first day
-- timeout: 5s
-- limit: 50`,
    postgres: `
-- param status order_status[] optional: only these. Example: paid, shipped
select id, placed_at, status, total from orders
where customer_id = :customer_id and (:since is null or placed_at >= :since)
  and (:status is null or status = any(:status))
order by placed_at desc`,
    sqlite: `
-- param status text[] optional: only these. Example: paid, shipped
select id, placed_at, status, total from orders
where customer_id = :customer_id and (:since is null or placed_at >= :since)
  and (:status is null or status in (:status))
order by placed_at desc`,
  },
  order_items_list: {
    header: `
-- description: The lines of one order, with products and prices.
-- connection: demo
-- param order_id integer: id of the order. Example: 9999`,
    ...inBoth(`
select i.line_no, p.sku, p.name, i.quantity, i.unit_price, i.discount_percent,
       round(i.quantity * i.unit_price * (100 - i.discount_percent) / 100, 2) as amount
from order_items i join products p on p.id = i.product_id
where i.order_id = :order_id order by i.line_no`),
  },
  products_to_reorder: {
    header: `
-- description: Products whose free stock is at or below their reorder level, the scarcest first.
-- when: the user asks what has to be bought or is running out
-- connection: demo
-- param category one of light, furniture, kitchen, storage optional: only these
-- limit: 50`,
    ...inBoth(`
select sku, name, category, stock - reserved as free, reorder_level, supplier from products
where is_active and stock - reserved <= reorder_level and (:category is null or category = :category)
order by stock - reserved - reorder_level, sku`),
  },
  revenue_by_month: {
    header: `
-- description: Revenue and orders by month, without cancelled and returned ones.
-- when: the user asks how sales develop
-- connection: demo
-- param months integer = 12: how many months back
-- param country text optional: two letters, such as DE`,
    postgres: `
select month, sum(orders) as orders, sum(revenue) as revenue from monthly_revenue
where month >= date_trunc('month', now()) - make_interval(months => :months) and (:country is null or country = :country)
group by month order by month`,
    sqlite: `
select month, sum(orders) as orders, round(sum(revenue), 2) as revenue from monthly_revenue
where month >= date('now', 'start of month', -:months || ' months') and (:country is null or country = :country)
group by month order by month`,
  },
};

function inBoth(body: string): Omit<SampleQuery, 'header'> {
  return { postgres: body, sqlite: body };
}

export function listSampleQueries(dialect: Dialect): { path: string; text: string }[] {
  return Object.entries(queries).map(([name, { header, [dialect]: body }]) => ({
    path: `${name}.sql of --demo`,
    text: `-- tool: ${name}${header}${body}\n`,
  }));
}
