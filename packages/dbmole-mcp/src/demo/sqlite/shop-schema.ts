/** The tables of the sample shop, as an application on SQLite has them. Its comments stay in the file, which `describe_table` shows. */
export const createTables = `create table customers (
  -- people who have registered; those who never ordered are here too
  id integer primary key,
  email text not null,
  name text not null,
  country text not null check (length(country) = 2),
  city text not null,
  phone text,
  birthday date,
  newsletter boolean not null default false,
  preferences json not null default '{}', -- keys: language, theme, channels (a list)
  notes text, -- what the support team wrote down
  created_at timestamp not null
);
create table products (
  -- everything we sell or have sold; discontinued ones stay because of old orders
  id integer primary key,
  sku text not null,
  name text not null,
  category text not null,
  brand text not null,
  description text not null,
  manual text, -- the whole text of the manual, where there is one
  price numeric(10,2) not null,
  cost numeric(10,2) not null,
  vat_percent numeric(4,2) not null default 20,
  stock integer not null default 0,
  reserved integer not null default 0,
  reorder_level integer not null default 10,
  supplier text not null,
  supplier_sku text,
  ean text,
  color text,
  material text,
  size_label text,
  weight_g integer,
  width_mm integer,
  height_mm integer,
  depth_mm integer,
  volume_l real,
  rating numeric(3,2),
  rating_count integer not null default 0,
  warranty_months integer not null default 24,
  is_active boolean not null default true,
  is_fragile boolean not null default false,
  is_gift boolean not null default false,
  origin_country text,
  tags json not null default '[]',
  attributes json not null default '{}',
  launched_on date not null,
  discontinued_on date,
  updated_at timestamp not null,
  margin numeric(10,2) generated always as (round(price - cost, 2)) virtual,
  check (price >= cost and cost > 0),
  check (stock >= 0 and reserved between 0 and stock)
);
create table orders (
  -- one row per order; total is the sum of its items after discounts
  id integer primary key,
  customer_id integer not null references customers (id),
  status text not null default 'pending'
    check (status in ('pending', 'paid', 'shipped', 'delivered', 'returned', 'cancelled')),
  placed_at timestamp not null,
  shipped_at timestamp, -- NULL until it left the warehouse
  delivery_address json not null,
  total numeric(12,2) not null check (total >= 0),
  note text,
  check (shipped_at is null or shipped_at >= placed_at)
);
create table order_items (
  -- lines of an order, at the price of that day
  order_id integer not null references orders (id) on delete cascade,
  line_no integer not null,
  product_id integer not null references products (id),
  quantity integer not null default 1 check (quantity > 0),
  unit_price numeric(10,2) not null,
  discount_percent numeric(4,1) not null default 0,
  primary key (order_id, line_no)
) without rowid;`;

/**
 * Indexes and a view. Three defects are there for `diagnose`: the reference of order_items to products has no index, orders has the same
 * index twice, and order_items has lines of orders that are gone.
 */
export const finishTables = `create unique index customers_email_key on customers (lower(email));
create index customers_country_idx on customers (country, city);
create unique index products_sku_key on products (sku);
create index products_active_category_idx on products (category, price) where is_active;
create index orders_customer_id_idx on orders (customer_id, placed_at desc);
create index orders_customer_idx on orders (customer_id, placed_at desc);
create index orders_open_idx on orders (placed_at) where status in ('pending', 'paid');
create view monthly_revenue as
  -- orders that were kept, by month (UTC) and country
  select date(o.placed_at, 'start of month') as month, c.country, count(*) as orders, round(sum(o.total), 2) as revenue
  from orders o join customers c on c.id = o.customer_id
  where o.status not in ('cancelled', 'returned')
  group by 1, 2;
analyze;`;
