/**
 * The sample shop's tables, without what is only added when the rows are in: that is quicker than checking row by row. Pieces
 * are separated by an empty line, which is how the engine's single-user mode tells one command from the next.
 */
export const createTables = `create type order_status as enum ('pending', 'paid', 'shipped', 'delivered', 'returned', 'cancelled');

create table customers (
  id integer generated always as identity primary key,
  email text not null,
  name text not null,
  country char(2) not null,
  city text not null,
  phone text,
  birthday date,
  newsletter boolean not null default false,
  preferences jsonb not null default '{}',
  notes text,
  created_at timestamptz not null
);

create table products (
  id integer generated always as identity primary key,
  sku text not null,
  name text not null,
  category text not null,
  brand text not null,
  description text not null,
  manual text,
  price numeric(10,2) not null,
  cost numeric(10,2) not null,
  margin numeric(10,2) generated always as (price - cost) stored,
  vat_percent numeric(4,2) not null default 20,
  stock integer not null default 0,
  reserved integer not null default 0,
  reorder_level integer not null default 10,
  supplier text not null,
  supplier_sku text,
  ean char(13),
  color text,
  material text,
  size_label text,
  weight_g integer,
  width_mm integer,
  height_mm integer,
  depth_mm integer,
  volume_l double precision,
  rating numeric(3,2),
  rating_count integer not null default 0,
  warranty_months smallint not null default 24,
  is_active boolean not null default true,
  is_fragile boolean not null default false,
  is_gift boolean not null default false,
  origin_country char(2),
  tags text[] not null default '{}',
  attributes jsonb not null default '{}',
  launched_on date not null,
  discontinued_on date,
  updated_at timestamptz not null
);

create table orders (
  id integer generated always as identity primary key,
  customer_id integer not null,
  status order_status not null default 'pending',
  placed_at timestamptz not null,
  shipped_at timestamptz,
  delivery_address jsonb not null,
  total numeric(12,2) not null,
  note text
);

create table order_items (
  order_id integer not null,
  line_no smallint not null,
  product_id integer not null,
  quantity integer not null default 1,
  unit_price numeric(10,2) not null,
  discount_percent numeric(4,1) not null default 0
);`;

/**
 * Keys, checks, indexes, a view, comments, and who may do what. Three defects are planted for `diagnose`: the reference of order_items to
 * products has no index, orders has the same index twice, and its constraint on total was never validated.
 */
export const finishTables = `alter table order_items add primary key (order_id, line_no);

create unique index customers_email_key on customers (lower(email));

create index customers_country_idx on customers (country, city);

alter table products
  add constraint products_sku_key unique (sku),
  add constraint products_price_check check (price >= cost and cost > 0),
  add constraint products_stock_check check (stock >= 0 and reserved between 0 and stock);

create index products_tags_idx on products using gin (tags);

create index products_active_category_idx on products (category, price) where is_active;

alter table orders
  add constraint orders_customer_id_fkey foreign key (customer_id) references customers (id),
  add constraint orders_total_check check (total >= 0) not valid,
  add constraint orders_shipped_check check (shipped_at is null or shipped_at >= placed_at);

create index orders_customer_id_idx on orders (customer_id, placed_at desc);

create index orders_customer_idx on orders (customer_id, placed_at desc);

create index orders_open_idx on orders (placed_at) where status in ('pending', 'paid');

alter table order_items
  add constraint order_items_order_id_fkey foreign key (order_id) references orders (id) on delete cascade,
  add constraint order_items_product_id_fkey foreign key (product_id) references products (id),
  add constraint order_items_quantity_check check (quantity > 0);

create view monthly_revenue as
  select (date_trunc('month', o.placed_at at time zone 'UTC'))::date as month, c.country,
         count(*) as orders, sum(o.total) as revenue
  from orders o join customers c on c.id = o.customer_id
  where o.status not in ('cancelled', 'returned')
  group by 1, 2;

comment on table customers is 'People who have registered; those who never ordered are here too';

comment on column customers.preferences is 'Keys: language, theme, channels (a list)';

comment on column customers.notes is 'What the support team wrote down';

comment on table products is 'Everything we sell or have sold; discontinued ones stay because of old orders';

comment on column products.margin is 'price - cost, kept by the database';

comment on column products.manual is 'The whole text of the manual, where there is one';

comment on table orders is 'One row per order; total is the sum of its items after discounts';

comment on column orders.shipped_at is 'NULL until it left the warehouse';

comment on table order_items is 'Lines of an order, at the price of that day';

comment on view monthly_revenue is 'Orders that were kept, by month (UTC) and country';

comment on type order_status is 'In the order an order goes through them';`;
