What people and tools read with on SQLite, against the file of ../sqlite/guard-fixture.ts. Each of them has to run.

--- read-001 | allow | an ordinary read
select 1
--- read-002 | allow | an ordinary read
select 1;
--- read-003 | allow | an ordinary read
select 1 ;


--- read-004 | allow | an ordinary read
select 1; -- that is all
--- read-005 | allow | an ordinary read
select 1; /* and a comment */
--- read-006 | allow | an ordinary read
values (1, 2), (3, 4)
--- read-007 | allow | an ordinary read
select * from orders limit 2
--- read-008 | allow | an ordinary read
select id, total from orders order by id desc limit 2 offset 1
--- read-009 | allow | an ordinary read
SELECT COUNT(*) FROM orders
--- read-010 | allow | an ordinary read
select o.id, c.name from orders o join customers c on c.id = o.customer_id limit 3
--- read-011 | allow | an ordinary read
select * from orders left join order_lines on order_id = id limit 3
--- read-012 | allow | an ordinary read
select * from orders natural join audits
--- read-013 | allow | an ordinary read
select status, count(*), sum(total), avg(total) from orders group by status having count(*) > 1
--- read-014 | allow | an ordinary read
select distinct status from orders
--- read-015 | allow | an ordinary read
select count(distinct customer_id) from orders
--- read-016 | allow | an ordinary read
select * from (select id from orders) where id < 3
--- read-017 | allow | an ordinary read
select (select max(id) from orders)
--- read-018 | allow | an ordinary read
select exists (select 1 from orders)
--- read-019 | allow | an ordinary read
select id from orders where id in (1, 2, 3)
--- read-020 | allow | an ordinary read
select id from orders where id between 1 and 3
--- read-021 | allow | an ordinary read
select name from customers where name like 'customer 1%' escape '!'
--- read-022 | allow | an ordinary read
select name from customers where name glob 'customer 1*'
--- read-023 | allow | an ordinary read
select id from orders union select id from customers order by 1 limit 3
--- read-024 | allow | an ordinary read
select id from orders union all select id from customers limit 3
--- read-025 | allow | an ordinary read
select id from orders intersect select id from customers limit 3
--- read-026 | allow | an ordinary read
select id from orders except select id from customers limit 3
--- read-027 | allow | an ordinary read
with a as (select 1 as x) select * from a
--- read-028 | allow | an ordinary read
with a as (select 1 as x), b as (select x + 1 as y from a) select * from b
--- read-029 | allow | an ordinary read
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select * from n
--- read-030 | allow | an ordinary read
with a as materialized (select 1) select * from a
--- read-031 | allow | an ordinary read
with a as not materialized (select 1) values (1)
--- read-032 | allow | an ordinary read
with replace as (select 1 as x) select x from replace
--- read-033 | allow | an ordinary read
select replace('a', 'b', 'c')
--- read-034 | allow | an ordinary read
select row_number() over (order by id) from orders limit 2
--- read-035 | allow | an ordinary read
select sum(total) over (partition by status order by id rows between 1 preceding and current row) from orders limit 2
--- read-036 | allow | an ordinary read
select count(*) filter (where total > 10) from orders
--- read-037 | allow | an ordinary read
select case when total > 10 then 'large' else 'small' end from orders limit 2
--- read-038 | allow | an ordinary read
select cast(total as integer), cast('5' as real) from orders limit 1
--- read-039 | allow | an ordinary read
select iif(total > 10, 1, 0) from orders limit 1
--- read-040 | allow | an ordinary read
select coalesce(null, 1), ifnull(null, 2), nullif(1, 1)
--- read-041 | allow | an ordinary read
select upper(name), substr(name, 1, 3), instr(name, 'o'), trim(name) from customers limit 1
--- read-042 | allow | an ordinary read
select printf('%05d', 7), format('%s', 'x'), hex(x'00ff'), quote('a')
--- read-043 | allow | an ordinary read
select date('now') is not null, datetime('2024-01-01', '+1 month'), strftime('%Y', '2024-01-01'), julianday('2024-01-01')
--- read-044 | allow | an ordinary read
select json('{"a": 1}'), json_extract('{"a": [1, 2]}', '$.a[1]'), '{"a": 1}' -> 'a', '{"a": 1}' ->> 'a'
--- read-045 | allow | an ordinary read
select value from json_each('[1, 2, 3]')
--- read-046 | allow | an ordinary read
select fullkey, atom from json_tree('{"a": {"b": 1}}')
--- read-047 | allow | an ordinary read
select json_group_array(id), group_concat(name, ', ') from customers where id < 3
--- read-048 | allow | an ordinary read
select abs(-1), round(1.5), max(1, 2), min(1, 2), sqrt(4), pow(2, 3), mod(5, 2)
--- read-049 | allow | an ordinary read
select random() is not null, length(randomblob(4))
--- read-050 | allow | an ordinary read
select typeof(1), typeof(1.0), typeof('a'), typeof(x'00'), typeof(null)
--- read-051 | allow | an ordinary read
select 1 + 1, 1 || 'a', 1 << 2, 5 % 2, ~1, not 0, 1 is not null, 'a' collate nocase = 'A'
--- read-052 | allow | an ordinary read
select 1 as "select", 2 as [from], 3 as `where`
--- read-053 | allow | an ordinary read
select "name" from "customers" limit 1
--- read-054 | allow | an ordinary read
select [name] from [customers] limit 1
--- read-055 | allow | an ordinary read
select `name` from `customers` limit 1
--- read-056 | allow | an ordinary read
select main.customers.name from main.customers limit 1
--- read-057 | allow | an ordinary read
select 'it''s', "name" from customers limit 1
--- read-058 | allow | an ordinary read
select ';' as semicolon, '--' as dashes, '/* */' as comment
--- read-059 | allow | an ordinary read
select 1 -- insert into orders
--- read-060 | allow | an ordinary read
select 1 /* ; delete from orders */
--- read-061 | allow | an ordinary read
-- first a comment
select 1
--- read-062 | allow | an ordinary read
/* first a comment */ select 1
--- read-063 | allow | an ordinary read
select 'insert into orders', 'delete from orders', 'drop table orders'
--- read-064 | allow | an ordinary read
select "update" from (select 1 as "update")
--- read-065 | allow | an ordinary read
select x'' as empty, x'0102'
--- read-066 | allow | an ordinary read
select 0x10, 1e3, .5, 1_000
--- read-067 | allow | an ordinary read
select * from big_orders limit 2
--- read-068 | allow | an ordinary read
select * from docs where docs match 'moles'
--- read-069 | allow | an ordinary read
select highlight(docs, 1, '<', '>'), bm25(docs) from docs where docs match 'world'
--- read-070 | allow | an ordinary read
select * from docs('moles')
--- read-071 | allow | an ordinary read
select id from places where x0 >= 0 and x1 <= 1
--- read-072 | allow | an ordinary read
select * from exact
--- read-073 | allow | an ordinary read
select name, sql from sqlite_schema where type = 'table'
--- read-074 | allow | an ordinary read
select name from sqlite_master order by 1
--- read-075 | allow | an ordinary read
select * from sqlite_sequence
--- read-076 | allow | an ordinary read
select name, type from pragma_table_info('orders')
--- read-077 | allow | an ordinary read
select * from pragma_table_xinfo('orders')
--- read-078 | allow | an ordinary read
select name from pragma_index_list('orders')
--- read-079 | allow | an ordinary read
select * from pragma_foreign_key_list('orders')
--- read-080 | allow | an ordinary read
select file from pragma_database_list
--- read-081 | allow | an ordinary read
select m.name, c.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'
--- read-082 | allow | an ordinary read
pragma table_info(orders)
--- read-083 | allow | an ordinary read
pragma table_xinfo('orders')
--- read-084 | allow | an ordinary read
pragma main.table_info("orders")
--- read-085 | allow | an ordinary read
pragma table_list
--- read-086 | allow | an ordinary read
pragma index_list(orders)
--- read-087 | allow | an ordinary read
pragma index_info(orders_status)
--- read-088 | allow | an ordinary read
pragma index_xinfo('orders_status')
--- read-089 | allow | an ordinary read
pragma foreign_key_list(orders)
--- read-090 | allow | an ordinary read
pragma foreign_key_check
--- read-091 | allow | an ordinary read
pragma foreign_key_check(orders)
--- read-092 | allow | an ordinary read
pragma database_list
--- read-093 | allow | an ordinary read
pragma user_version
--- read-094 | allow | an ordinary read
pragma main.user_version;
--- read-095 | allow | an ordinary read
pragma journal_mode
--- read-096 | allow | an ordinary read
pragma page_count
--- read-097 | allow | an ordinary read
pragma page_size
--- read-098 | allow | an ordinary read
pragma freelist_count
--- read-099 | allow | an ordinary read
pragma encoding
--- read-100 | allow | an ordinary read
pragma integrity_check
--- read-101 | allow | an ordinary read
pragma integrity_check(1)
--- read-102 | allow | an ordinary read
pragma quick_check
--- read-103 | allow | an ordinary read
pragma compile_options
--- read-104 | allow | an ordinary read
pragma function_list
--- read-105 | allow | an ordinary read
pragma collation_list
--- read-106 | allow | an ordinary read
pragma foreign_keys
--- read-107 | allow | an ordinary read
explain query plan select * from orders where id = 1
--- read-108 | allow | an ordinary read
explain query plan with a as (select 1) select * from a
--- read-109 | allow | an ordinary read
explain select * from orders
--- read-110 | allow | an ordinary read
explain query plan values (1)
--- read-111 | allow | an ordinary read
select sum(pgsize) > 0 from dbstat
--- read-112 | allow | an ordinary read
select total(total), last_insert_rowid(), changes(), total_changes() from orders
--- read-113 | allow | an ordinary read
select sqlite_version() is not null, sqlite_source_id() is not null
--- read-114 | allow | an ordinary read
select unicode('a'), char(97)
--- read-115 | allow | an ordinary read
select likely(1), unlikely(0), octet_length('ä'), concat('a', 'b'), concat_ws(',', 'a', 'b')
--- read-116 | allow | an ordinary read
select string_agg(name, ',') from customers where id < 3
--- read-117 | allow | an ordinary read
select * from orders where (id, customer_id) = (1, 2)
--- read-118 | allow | an ordinary read
select * from orders indexed by orders_status where status <> 'done' limit 1
--- read-119 | allow | an ordinary read
select * from orders not indexed limit 1
--- read-120 | allow | an ordinary read
select id from orders order by total desc nulls last limit 1
--- read-121 | allow | an ordinary read
select rowid, _rowid_, oid from orders limit 1
--- read-122 | allow | an ordinary read
select * from orders where status is distinct from 'done' limit 1
--- read-123 | allow | an ordinary read
select csv, fsdir from (select 1 as csv, 2 as fsdir)
--- read-124 | allow | an ordinary read
select edit from (select 1 as edit)
