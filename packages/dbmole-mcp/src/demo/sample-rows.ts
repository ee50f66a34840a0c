import {
  brands,
  care,
  colors,
  deliveryNotes,
  firstNames,
  homes,
  kinds,
  lastNames,
  mailHosts,
  materials,
  origins,
  sentences,
  streets,
  suppliers,
  themes,
} from './sample-words.ts';

/**
 * The sample shop's rows. Everything but the dates is computed from the row's number, without random numbers, so that every machine
 * has the same shop.
 */
export const insertRows = (
  days: number,
) => `create function pg_temp.pick(i bigint, salt bigint, n bigint) returns integer language sql immutable as $$
  select ((hashint8extended(i, salt) & 9223372036854775807) % n)::integer $$;

create function pg_temp.word(i bigint, salt bigint, words text[]) returns text language sql immutable as $$
  select words[1 + pg_temp.pick(i, salt, cardinality(words))] $$;

create function pg_temp.sentences(i bigint, salt bigint, n integer) returns text language sql immutable as $$
  select string_agg(pg_temp.word(i * 1000 + s, salt, ${list(sentences)}), ' ' order by s)
  from generate_series(1, n) s $$;

insert into customers (email, name, country, city, phone, birthday, newsletter, preferences, notes, created_at)
select translate(lower(first || '.' || last), 'éêëüíøóßı'' ', 'eeeuioosi') || i || '@' || pg_temp.word(i, 4, ${list(mailHosts)}),
       first || ' ' || last, home[1], home[2],
       case when pg_temp.pick(i, 5, 3) > 0 then '+' || (30 + pg_temp.pick(i, 6, 20)) || ' ' || (1000000 + pg_temp.pick(i, 7, 8999999)) end,
       case when pg_temp.pick(i, 8, 4) > 0 then date '1950-01-01' + pg_temp.pick(i, 9, 20000) end,
       pg_temp.pick(i, 10, 3) = 0,
       jsonb_build_object('language', home[3], 'theme', pg_temp.word(i, 11, ${list(themes)}))
         || case pg_temp.pick(i, 12, 3) when 0 then '{"channels": ["mail"]}' when 1 then '{"channels": ["mail", "sms"]}' else '{}' end::jsonb,
       case when i % 97 = 0 then '' when pg_temp.pick(i, 13, 9) = 0 then pg_temp.sentences(i, 14, 1 + pg_temp.pick(i, 15, 4)) end,
       timestamptz '2022-01-03 08:00:00+00' + interval '${days} days' + i * interval '13 hours 7 minutes' + pg_temp.pick(i, 16, 3600) * interval '1 second'
from generate_series(1, 2000) i,
  lateral (select
    pg_temp.word(i, 1, ${list(firstNames)}) as first,
    pg_temp.word(i, 2, ${list(lastNames)}) as last,
    string_to_array((${list(homes)})
      [1 + least(pg_temp.pick(i, 3, 12), pg_temp.pick(i, 33, 12))], '|') as home) who
order by i;

insert into products (sku, name, category, brand, description, manual, price, cost, stock, reserved, reorder_level, supplier,
  supplier_sku, ean, color, material, size_label, weight_g, width_mm, height_mm, depth_mm, volume_l, rating, rating_count,
  warranty_months, is_active, is_fragile, is_gift, origin_country, tags, attributes, launched_on, discontinued_on, updated_at)
select upper(left(kind[2], 3)) || '-' || to_char(i, 'FM0000'),
       initcap(color) || ' ' || initcap(material) || ' ' || initcap(kind[1]) || ' No. ' || i, kind[2],
       pg_temp.word(i, 23, ${list(brands)}),
       pg_temp.sentences(i, 24, 2 + pg_temp.pick(i, 25, 6)),
       case when i % 10 = 0 then pg_temp.sentences(i, 26, 60 + pg_temp.pick(i, 27, 40)) end,
       price, round(price * (40 + pg_temp.pick(i, 28, 35)) / 100, 2), stock, stock / 7, 5 + pg_temp.pick(i, 29, 4) * 5,
       pg_temp.word(i, 30, ${list(suppliers)}),
       case when i % 4 > 0 then 'S' || (100000 + pg_temp.pick(i, 31, 900000)) end,
       '40' || to_char(pg_temp.pick(i, 32, 999999999), 'FM000000000') || to_char(i % 100, 'FM00'),
       color, material, pg_temp.word(i, 34, array[null, 'S', 'M', 'L']),
       dims[1] * dims[2] * dims[3] / 9000 + 50, dims[1], dims[2], dims[3],
       dims[1]::float8 * dims[2] * dims[3] / 1e6,
       case when rated > 0 then round(2.5 + pg_temp.pick(i, 35, 250) / 100.0, 2) end, rated,
       pg_temp.word(i, 36, array['12', '24', '24', '60'])::smallint, i % 23 > 0, material in ('glass', 'ceramic'), pg_temp.pick(i, 37, 3) = 0,
       pg_temp.word(i, 38, ${list(origins)}),
       array(select distinct t from unnest(array[kind[2], material, case when price < 15 then 'bargain' end, case when i > 180 then 'new' end]) t where t is not null order by t),
       jsonb_build_object('care', pg_temp.word(i, 39, ${list(care)}), 'parts', 1 + pg_temp.pick(i, 40, 5),
         'box', jsonb_build_object('w', dims[1] + 20, 'h', dims[2] + 20, 'd', dims[3] + 20)),
       date '2021-03-01' + ${days} + i * 9, case when i % 23 = 0 then date '2026-01-31' + ${days} end,
       timestamptz '2026-06-01 06:30:00+00' + interval '${days} days' + i * interval '3 minutes 7.125 seconds'
from generate_series(1, 200) i,
  lateral (select
    string_to_array((${list(kinds)})
      [1 + i % 8], '|') as kind,
    pg_temp.word(i, 20, ${list(colors)}) as color,
    pg_temp.word(i, 21, ${list(materials)}) as material,
    round((4 + pg_temp.pick(i, 22, 90) * pg_temp.pick(i, 41, 90) / 40.0)::numeric, 0) + 0.90 as price,
    pg_temp.pick(i, 42, 400) as stock, greatest(0, pg_temp.pick(i, 43, 500) - 60) as rated,
    array[40 + pg_temp.pick(i, 44, 600), 30 + pg_temp.pick(i, 45, 500), 20 + pg_temp.pick(i, 46, 400)] as dims) p
order by i;

insert into order_items (order_id, line_no, product_id, quantity, unit_price, discount_percent)
select o, line, p.id, 1 + pg_temp.pick(o * 8 + line, 52, 3) * pg_temp.pick(o * 8 + line, 53, 2), p.price,
       case when pg_temp.pick(o * 8 + line, 54, 8) = 0 then 10 when pg_temp.pick(o, 55, 40) = 0 then 12.5 else 0 end
from generate_series(1, 10000) o
  cross join generate_series(1, 1 + least(pg_temp.pick(o, 50, 4), pg_temp.pick(o, 56, 5))) line
  join products p on p.id = 1 + least(pg_temp.pick(o * 8 + line, 51, 200), pg_temp.pick(o * 8 + line, 57, 200))
order by o, line;

insert into orders (customer_id, status, placed_at, shipped_at, delivery_address, total, note)
select c.id, status::order_status, placed,
       case when status in ('shipped', 'delivered', 'returned') then placed + (9 + pg_temp.pick(i, 60, 80)) * interval '1 hour' end,
       jsonb_build_object('name', c.name, 'street', pg_temp.word(i, 61, ${list(streets)}) || ' ' || (1 + pg_temp.pick(i, 62, 120)),
         'city', c.city, 'country', c.country),
       sums.total,
       case when pg_temp.pick(i, 63, 25) = 0 then pg_temp.word(i, 64, ${list(deliveryNotes)}) end
from (select i, timestamptz '2025-01-01 00:00:00+00' + interval '${days} days' + i * interval '75 minutes 41 seconds' as placed,
        1 + least(pg_temp.pick(i, 65, 1850), pg_temp.pick(i, 66, 1850)) as customer
      from generate_series(1, 10000) i) o
  join customers c on c.id = o.customer
  join (select order_id, round(sum(quantity * unit_price * (100 - discount_percent) / 100), 2) as total from order_items group by 1) sums
    on sums.order_id = o.i,
  lateral (select case when pg_temp.pick(i, 67, 30) = 0 then 'cancelled'
      when i > 9950 then pg_temp.word(i, 68, array['pending', 'paid']) when i > 9800 then pg_temp.word(i, 69, array['paid', 'shipped'])
      when pg_temp.pick(i, 70, 22) = 0 then 'returned' else 'delivered' end as status) s
order by i;`;

/** An array of texts, as PostgreSQL writes it. */
function list(words: readonly string[]): string {
  return `array[${words.map((word) => `'${word.replaceAll("'", "''")}'`).join(', ')}]`;
}
