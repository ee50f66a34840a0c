/** The saved queries of the sample shop: each answers what people ask of a shop, and shows something that a header can say. */
const texts: Readonly<Record<string, string>> = {
  customer_find: `
-- description: Customers by a part of their name or mail address, with their orders and what they spent.
-- when: the user names a customer and you need the id
-- connection: demo
-- param words text: a part of the name or the mail address. Example: schmidt
-- limit: 20
select c.id, c.name, c.email, c.city, count(o.id) as orders, coalesce(sum(o.total), 0) as spent
from customers c left join orders o on o.customer_id = c.id
where c.name ilike '%' || :words || '%' or c.email ilike '%' || :words || '%'
group by c.id order by spent desc`,
  customer_orders: `
-- description: Orders of one customer, newest first, with their totals.
-- when: the user asks what a customer bought, or how much they spent
-- connection: demo
-- param customer_id integer: id of the customer. Example: 42
-- param since date optional: first day
-- param status order_status[] optional: only these. Example: paid, shipped
-- timeout: 5s
-- limit: 50
select id, placed_at, status, total from orders
where customer_id = :customer_id and (:since is null or placed_at >= :since)
  and (:status is null or status = any(:status))
order by placed_at desc`,
  order_items_list: `
-- description: The lines of one order, with products and prices.
-- connection: demo
-- param order_id integer: id of the order. Example: 9999
select i.line_no, p.sku, p.name, i.quantity, i.unit_price, i.discount_percent,
       round(i.quantity * i.unit_price * (100 - i.discount_percent) / 100, 2) as amount
from order_items i join products p on p.id = i.product_id
where i.order_id = :order_id order by i.line_no`,
  products_to_reorder: `
-- description: Products whose free stock is at or below their reorder level, the scarcest first.
-- when: the user asks what has to be bought or is running out
-- connection: demo
-- param category one of light, furniture, kitchen, storage optional: only these
-- limit: 50
select sku, name, category, stock - reserved as free, reorder_level, supplier from products
where is_active and stock - reserved <= reorder_level and (:category is null or category = :category)
order by stock - reserved - reorder_level, sku`,
  revenue_by_month: `
-- description: Revenue and orders by month, without cancelled and returned ones.
-- when: the user asks how sales develop
-- connection: demo
-- param months integer = 12: how many months back
-- param country text optional: two letters, such as DE
select month, sum(orders) as orders, sum(revenue) as revenue from monthly_revenue
where month >= date_trunc('month', now()) - make_interval(months => :months) and (:country is null or country = :country)
group by month order by month`,
};

export const sampleQueries = Object.entries(texts).map(([name, text]) => ({
  path: `${name}.sql of --demo`,
  text: `-- tool: ${name}${text}\n`,
}));
