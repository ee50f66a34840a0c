-- What people and tools send to read. Each of them has to be answered, for the superuser and for the owner of the database.
--
-- Notes: `params:` as JSON; `as: superuser` for what the server itself keeps from others.

-- Plain -------------------------------------------------------------------------------------------------------------

--- one | allow | the least
select 1

--- nothing | allow | no columns at all
select

--- semicolon | allow | one at the end
select 1;

--- semicolon-space | allow | and white space behind it
select 1 ;

--- semicolons | allow | and empty statements behind it
select 1;;

--- semicolon-comment | allow | and a comment behind it
select 1; -- done

--- leading-comment | allow | a comment first
-- top ten; not more
/* of all */ select id from t order by id limit 10

--- nested-comment | allow | comments nest
select /* a /* b; drop table t */ c */ 1

--- crlf | allow | lines that end in two characters
select 1\{r}
  , 2 -- c\{r}
  , 3

--- tab | allow | other white space
select	id	from	t

--- upper-case | allow | in capitals
SELECT ID, V FROM T WHERE ID = 1 ORDER BY ID DESC NULLS LAST

--- literal-keywords | allow | words that write, as values
select 'DROP TABLE t; --' as x, 'merge', 'grant', 'copy', 'delete from t'

--- literal-quote | allow | a doubled quote
select 'it''s; commit' as x

--- literal-escape | allow | an escape string
select e'it\'s\n\x41\u00e9; delete from child' as x

--- literal-unicode | allow | Unicode escapes
select U&'d\0061t\+000061', U&'d!0061ta' uescape '!'

--- literal-continued | allow | in two lines
select 'a'
  'b'

--- literal-backslash | allow | a path
select 'C:\temp\', 'C:\'

--- dollar | allow | a dollar quote
select $$ ; drop table t; it's $$ as x

--- dollar-tag | allow | with a tag
select $q$ it's $$ ; commit $q$ as x

--- literals-other | allow | bits, bytes, national, numbers
select b'101', x'1F', n'abc', 1e10, .5, 1., '\xdeadbeef'::bytea, 'infinity'::float8

--- number-forms | allow | other numbers | only: >=16
select 0xFF, 1_000_000, 0b101, 0o17

--- quoted-names | allow | quoted identifiers
select "Id", "select" as "delete; --", "ünï" from public."Mixed Case" as "Mixed"

--- unicode-names | allow | escaped identifiers
select U&"\0076" from t where U&"i!0064" uescape '!' = 1

--- unicode | allow | other scripts
select '日本語 😀' as "ключ", 'naïve' = 'naïve' as ñandú

--- keyword-aliases | allow | words of other statements as names
select 1 as delete, 2 as update, 3 as insert, 4 as lock, 5 as copy, 6 as call, 7 as for, 8 as into, 9 as do, 10 as set

--- bare-aliases | allow | the same without AS
select 1 update, 2 insert, 3 delete, 4 share from t as copy

--- values | allow | VALUES
values (1, 'a'), (2, 'b') order by 1 desc limit 1

--- table | allow | TABLE
table t

--- parentheses | allow | in many of them
(((select 1)))

--- multiplication | allow | an expression
select 1 + 2 * 3 - 4 / 5 % 6, 2 ^ 7, |/ 25.0, @ -5, 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 3, -1 --1

--- no-from-where | allow | a condition alone
select 1 where exists (select 1 from t) and not false

-- Parameters --------------------------------------------------------------------------------------------------------

--- param | allow | one | params: [2]
select v from t where id = $1

--- params | allow | several, of several types | params: ["two", 1, true, null]
select id from t where v = $1 and id > $2::int and $3::boolean and $4::text is null

--- param-twice | allow | one in two places | params: ["%o%"]
select id from t where v ilike $1 or j::text ilike $1

--- param-array | allow | a list | params: ["{1,2,3}"]
select v from t where id = any($1::int[])

--- param-evil | allow | SQL as a value | params: ["x'; drop table t; --"]
select $1::text as x

--- param-call | allow | a call as a value | params: ["set_config('a.b', 'c', false)"]
select length($1)

--- param-limit | allow | how many | params: [2, 1]
select id from t order by id limit $1 offset $2

--- param-json | allow | JSON | params: ["{\"a\": [1, 2]}"]
select $1::jsonb -> 'a' ->> 0

-- Joins and subqueries ----------------------------------------------------------------------------------------------

--- joins | allow | of all kinds
select * from t join child c on c.t_id = t.id left join docs d on d.id = t.id full join mv on mv.v = t.v cross join (values (1)) x(n)

--- natural | allow | NATURAL, ONLY, aliases
select * from only t as x (a, b) natural join child

--- lateral | allow | LATERAL
select t.id, q.n from t, lateral (select t.id * 2 as n) q cross join lateral generate_series(1, t.id) g

--- subselects | allow | in all places
select (select max(id) from t), array(select id from t order by 1), x.n from (select count(*) as n from t) x
where exists (select from child) and 1 in (select id from t) and 1 = any (select id from t) and 2 > all (select 0)

--- row-in | allow | rows compared
select * from t where (id, v) in (select id, note from child) or (id, v) > (1, 'a') or row(id, v) is distinct from row(1, 'x')

--- semi-join | allow | NOT EXISTS
select c.name from customer c where not exists (select from purchase p where p.customer_id = c.id and p.amount > 1000)

--- set-operations | allow | UNION, INTERSECT, EXCEPT
(select 1 union select 2) except select 1 intersect all select 3 order by 1

--- whole-row | allow | whole rows and fields
select t, t.*, (t).id, (t.p).a, (row(1, 'x')::pair).b from t

--- aggregate-join | allow | joined to itself
select a.id, count(*) filter (where b.id > 1) from t a left join t b on a.id <> b.id group by a.id having count(*) > 0

-- CTE ---------------------------------------------------------------------------------------------------------------

--- cte | allow | WITH
with x as (select * from t), y(n) as not materialized (select count(*) from x) select * from x, y

--- cte-materialized | allow | MATERIALIZED
with x as materialized (select * from t) select * from x order by id

--- cte-recursive | allow | WITH RECURSIVE
with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select * from r

--- cte-tree | allow | a tree
with recursive tree as (
  select id, name, array[id] as path from employee where boss is null
  union all
  select e.id, e.name, path || e.id from employee e join tree on e.boss = tree.id)
select repeat('  ', cardinality(path) - 1) || name from tree order by path

--- cte-search | allow | SEARCH DEPTH FIRST
with recursive tree(id, boss) as (select id, boss from employee where boss is null union all select e.id, e.boss from employee e join tree on e.boss = tree.id)
search depth first by id set ordering select * from tree order by ordering

--- cte-cycle | allow | CYCLE
with recursive tree(id, boss) as (select id, boss from employee union all select e.id, e.boss from employee e join tree on e.boss = tree.id)
cycle id set is_cycle to 'Y' default 'N' using path select distinct id, is_cycle from tree

--- cte-nested | allow | WITH inside of WITH
with a as (with b as (select 1 as x) select * from b) select (with c as (select 2 as y) select y from c), x from a

--- cte-values | allow | WITH before VALUES
with a(x) as (values (1), (2)) table a

-- Aggregates and windows --------------------------------------------------------------------------------------------

--- aggregates | allow | of all kinds
select count(*), count(distinct v), sum(n), avg(n), min(v), max(at), stddev_samp(n), variance(n), bool_and(id > 0), every(true), bit_or(id), corr(id, n), regr_slope(id, n) from t

--- aggregates-of-lists | allow | lists of values
select array_agg(id order by id desc), string_agg(v, ', ' order by v), json_agg(t), jsonb_object_agg(id, v), xmlagg(xmlelement(name a, id)) from t

--- ordered-sets | allow | WITHIN GROUP
select percentile_cont(0.5) within group (order by id), percentile_disc(array[0.1, 0.9]) within group (order by id), mode() within group (order by v), rank(2) within group (order by id) from t

--- grouping-sets | allow | GROUPING SETS, CUBE, ROLLUP
select city, date_trunc('month', at) as month, grouping(city), sum(amount) from purchase p join customer c on c.id = p.customer_id
group by grouping sets ((city, month), (city), ()), rollup (customer_id), cube (c.id)

--- group-distinct | allow | GROUP BY DISTINCT
select city, count(*) from customer group by distinct rollup (city, id), rollup (city)

--- group-positions | allow | by number
select date_trunc('week', at), count(*), sum(amount) from purchase group by 1 order by 2 desc, 1 limit 5

--- windows | allow | window functions
select id, row_number() over w, rank() over (order by amount desc), lag(amount, 1, 0.0) over w, first_value(amount) over w, ntile(4) over w,
sum(amount) over (order by at rows between 2 preceding and current row exclude ties), cume_dist() over w from purchase window w as (partition by customer_id order by at)

--- window-range | allow | frames by value
select at, avg(amount) over (order by at range between interval '7 days' preceding and current row) from purchase

--- window-groups | allow | frames by groups
select id, count(*) over (order by customer_id groups between unbounded preceding and 1 following) from purchase

--- any-value | allow | any_value | only: >=16
select city, any_value(name) from customer group by city

--- running-share | allow | a share of the whole
select id, round(100 * amount / sum(amount) over (), 2) as share from purchase order by share desc fetch first 3 rows with ties

--- distinct-on | allow | DISTINCT ON
select distinct on (customer_id) customer_id, at, amount from purchase order by customer_id, at desc

--- funnel | allow | gaps and islands
with days as (select at::date as day, at::date - (row_number() over (order by at))::int as island from purchase)
select min(day), max(day), count(*) from days group by island order by 1

--- tablesample | allow | TABLESAMPLE
select count(*) from purchase tablesample bernoulli (50) repeatable (42) where amount > 0

--- tablesample-system | allow | TABLESAMPLE SYSTEM
select count(*) from purchase tablesample system (100)

--- tablesample-rows | allow | TABLESAMPLE of an extension
select count(*) from purchase tablesample system_rows (5)

-- Types and functions -----------------------------------------------------------------------------------------------

--- case | allow | CASE and its relatives
select case when id = 1 then 'a' when id = 2 then 'b' else 'c' end, case id when 1 then 2 end, coalesce(v, 'x'), nullif(id, 1), greatest(1, 2), least(1, 2) from t

--- conditions | allow | predicates
select * from t where v like 'o%' and v not ilike '%X' escape '!' and v similar to '(a|o)%' and id between symmetric 3 and 1 and n is not null and (id > 0) is true and v is distinct from 'q' and j is not null

--- casts | allow | of all forms
select '1'::int, cast('2' as bigint), int '3', date '2024-01-01', interval '1 day', 1::text::int::numeric(10, 2), '{1,2}'::int[], float8 '1.5', 'a'::char(3), null::jsonb

--- dates | allow | dates and times
select now(), current_date, current_timestamp(3), localtime, age(at), extract(year from at), date_part('dow', at), date_trunc('hour', at, 'UTC'), at at time zone 'Europe/Berlin', at + interval '1 month 2 days', to_char(at, 'YYYY-MM-DD"T"HH24:MI'), (date '2024-01-01', date '2024-02-01') overlaps (date '2024-01-15', interval '1 day'), make_interval(days => 3), date_bin('15 minutes', at, timestamptz '2024-01-01') from t

--- dates-local | allow | AT LOCAL | only: >=17
select at at local from t

--- clock | allow | volatile and harmless
select random(), gen_random_uuid() is not null, clock_timestamp() > now(), statement_timestamp(), timeofday() <> ''

--- strings | allow | string functions
select upper(v), lower(v), initcap(v), length(v), substring(v from 1 for 2), substring(v, 'o.'), position('o' in v), overlay(v placing 'x' from 1 for 1), trim(both 'o' from v), left(v, 1), right(v, 1), lpad(v, 5, '*'), replace(v, 'o', '0'), reverse(v), split_part('a,b', ',', 1), translate(v, 'o', '0'), format('%s-%I-%L', v, v, v), concat_ws(',', v, 1), md5(v), encode('abc', 'base64'), ascii('a'), chr(65), repeat('x', 3), starts_with(v, 'o'), quote_literal(v), quote_ident(v), normalize('é', nfc) from t

--- regex | allow | regular expressions
select v ~ '^o', v !~* 'X', regexp_replace(v, '(.)', '\1\1', 'g'), regexp_matches(v, 'o', 'g'), regexp_split_to_array(v, ''), (regexp_match(v, '(\w)(\w)'))[2] from t

--- regex-15 | allow | newer functions | only: >=15
select regexp_count(v, 'o'), regexp_substr(v, '[a-z]+'), regexp_instr(v, 'e'), regexp_like(v, 'e') from t

--- split-rows | allow | a string as rows
select * from regexp_split_to_table('a b c', ' ') with ordinality as x(word, n), unnest(string_to_array('1,2', ',')) y, string_to_table('a|b', '|') z

--- mathematics | allow | mathematical functions
select abs(-1), ceil(1.2), floor(1.8), round(1.25, 1), trunc(1.9), sqrt(2), power(2, 10), exp(1), ln(2), log(10, 100), mod(7, 3), sign(-2), pi(), sin(0), atan2(1, 1), gcd(12, 18), factorial(5), width_bucket(5, 0, 10, 5), div(7, 2), scale(1.50), trim_scale(1.50), cbrt(27), degrees(1)

--- arrays | allow | arrays
select array[1, 2] || 3, array_length(tags, 1), cardinality(tags), tags[1], tags[1:2], 'red' = any(tags), tags @> '{red}', tags && array['blue'], array_position(tags, 'red'), array_remove(tags, 'red'), array_to_string(tags, ','), '{{1,2},{3,4}}'::int[][], array_fill(0, array[2]), array_agg(id) over () from t

--- unnest | allow | arrays as rows
select * from unnest(array[1, 2], array['a', 'b', 'c']) with ordinality as x(a, b, n), rows from (generate_series(1, 2), unnest('{x,y,z}'::text[])) as y(i, c)

--- array-shuffle | allow | newer functions | only: >=16
select array_length(array_shuffle(array[1, 2, 3]), 1), array_sample(array[1, 1], 1)

--- json | allow | operators of JSON
select j -> 'a', j ->> 'a', j #> '{c,d}', j #>> '{c,d}', j @> '{"a": 1}', j ? 'a', j ?| array['a', 'b'], j ?& array['a'], j - 'a', j || '{"z": 1}', j #- '{c}', j @? '$.a', j @@ '$.a > 0' from t

--- json-functions | allow | functions of JSON
select jsonb_typeof(j), jsonb_array_length(j -> 'b'), jsonb_pretty(j), jsonb_set(j, '{a}', '9'), jsonb_insert('[1]', '{0}', '0'), jsonb_strip_nulls(j), to_jsonb(t), row_to_json(t), jsonb_build_object('k', id), json_build_array(1, 'a'), jsonb_object_keys(j) from t where id = 1

--- json-rows | allow | JSON as rows
select * from t, jsonb_each(j) as e(k, val), jsonb_array_elements(case when jsonb_typeof(val) = 'array' then val else '[]' end) as item

--- json-record | allow | JSON as records
select * from json_to_recordset('[{"a": 1, "b": "x"}]') as x(a int, b text), jsonb_to_record('{"c": [1]}') as y(c int[]), jsonb_populate_record(null::pair, '{"a": 1}') z

--- json-path | allow | JSON path
select jsonb_path_query(j, '$.b[*] ? (@ > $least)', '{"least": 1}'), jsonb_path_exists(j, 'lax $.c.d'), jsonb_path_query_array(j, '$.*.size()'), jsonb_path_query_first(j, '$.a.type()') from t

--- json-subscript | allow | subscripts of JSON
select j['a'], j['c']['d'] from t

--- json-standard | allow | SQL/JSON | only: >=16
select json_object('a': 1, 'b' value 2 null on null), json_array(1, 2 absent on null), json_objectagg(id: v) , json_arrayagg(id order by id), '{}' is json object with unique keys from t where v is not null

--- json-query | allow | SQL/JSON queries | only: >=17
select json_value(j, '$.a' returning int default 0 on empty), json_query(j, '$.b' with wrapper), json_exists(j, '$.c ? (@.d == $x)' passing 'x' as x), json_scalar(1), json_serialize(j), json('{}') from t

--- json-table | allow | JSON_TABLE | only: >=17
select jt.* from t, json_table(j, '$' columns (n for ordinality, a int path '$.a' default 0 on empty, nested path '$.b[*]' columns (b int path '$'))) jt

--- xml | allow | XML
select xmlelement(name a, xmlattributes(id as b), v), xmlforest(id, v), xmlparse(content '<a/>'), xmlserialize(content '<a/>'::xml as text), xpath('/a/text()', '<a>x</a>'), xmlexists('/a' passing ('<a/>'::xml)), xmlconcat('<a/>', '<b/>'), '<a/>'::xml is document, xmlpi(name php), xmlcomment('x') from t

--- xmltable | allow | XMLTABLE
select * from xmltable('/r/x' passing ('<r><x a="1">2</x></r>'::xml) columns n for ordinality, a int path '@a', b int path '.' default 5, c text path 'none')

--- full-text | allow | full text search
select id, ts_rank(words, q), ts_headline('english', body, q, 'MaxFragments=2') from docs, websearch_to_tsquery('english', 'quick -slow') q where words @@ q order by 2 desc, 1 limit 5

--- full-text-forms | allow | its functions
select to_tsvector('english', body) @@ to_tsquery('english', 'quick & fox'), plainto_tsquery('fox'), phraseto_tsquery('quick brown'), setweight(words, 'A'), numnode('a & b'::tsquery), strip(words), ts_rewrite('a & b'::tsquery, 'a'::tsquery, 'c'::tsquery), ts_lexize('english_stem', 'stars'), to_tsvector('a:1') || 'b:2' from docs limit 1

--- full-text-debug | allow | what the parser does
select * from ts_debug('english', 'a fat cat'), ts_token_type('default'), ts_parse('default', 'foo') limit 5

--- ranges | allow | ranges and multiranges
select int4range(1, 5) @> 3, daterange('2024-01-01', '2024-02-01', '[]') && daterange('2024-01-15', null), lower(r), upper_inc(r), r * '[2,3)', range_agg(r) over (), r -|- '[5,6)', '{[1,2),[4,5)}'::int4multirange @> 4, unnest('{[1,2)}'::int4multirange), f from rangy

--- ranges-table | allow | an exclusion constraint
select room, during, upper(during) - lower(during) as length from reservation where during @> '2024-01-01 12:00+00'::timestamptz

--- series | allow | generate_series
select d::date, coalesce(sum(amount), 0) from generate_series('2024-01-01'::timestamptz, '2024-01-10', '1 day') d left join purchase p on p.at::date = d::date group by 1 order by 1

--- network | allow | addresses
select inet '10.0.0.1' << cidr '10.0.0.0/8', host('10.0.0.1/8'), masklen('10.0.0.0/8'), macaddr '08:00:2b:01:02:03', set_masklen('10.0.0.1/8', 16), network('10.0.0.1/8'), inet_client_port() > 0

--- geometry | allow | geometric types
select point '(1,2)' <-> point '(3,4)', box '(0,0),(1,1)' @> point '(0.5,0.5)', circle '<(0,0),1>', area(box '(0,0),(2,2)'), polygon '((0,0),(1,1),(1,0))' && polygon '((0,0),(2,2),(2,0))', lseg '[(0,0),(1,1)]' ?# lseg '[(0,1),(1,0)]'

--- binary | allow | bytes
select length('\x0102'::bytea), get_byte('\x01', 0), set_bit('\x00'::bytea, 0, 1), sha256('a'), encode(sha512('a'), 'hex'), convert_from('\x41', 'UTF8'), bit_length('abc'), b'1010' & b'0110', decode('YQ==', 'base64')

--- enums | allow | enumerations
select mood, mood > 'low', enum_range(null::mood), enum_first(null::mood) from t order by mood

--- types-of-values | allow | what a value is
select pg_typeof(1), pg_typeof(t), format_type(23, null), 't'::regclass::oid, to_regclass('nope'), 'f_add(int,int)'::regprocedure, to_regtype('int4'), 'public'::regnamespace, 'int4'::regtype, pg_column_size(v), 'app'::regrole, '+(int,int)'::regoperator from t limit 1

--- collations | allow | collations
select v collate "C" from t where v < 'x' collate "POSIX" order by v collate "C" desc nulls first, collation for (v)

--- uuid | allow | newer functions | only: >=18
select uuidv7() <> uuidv4(), uuid_extract_version(uuidv7()), crc32('a'), casefold('ß'), reverse('\x0102'::bytea), array_sort(array[3, 1]), gamma(5), random(1, 10) > 0

--- array-reverse | allow | other newer functions | only: >=18
select array_reverse(array[1, 2]), json_strip_nulls('[null]', true), to_number('XIV', 'RN')

--- random-range | allow | random of a range | only: >=17
select random(1, 6) between 1 and 6, random(0.0, 1.0) >= 0, to_bin(5), to_oct(8), random_normal() is not null, uuid_extract_timestamp('c232ab00-9414-11ec-b3c8-9f6bdeced846')

--- operator-schema | allow | an operator by its schema
select 1 operator(pg_catalog.+) 2, 'a' operator(pg_catalog.||) 'b'

--- named-arguments | allow | arguments by name
select make_date(year => 2024, month => 1, day => 2), make_timestamptz(2024, 1, 1, 0, 0, sec := 0.0), concat(variadic array['a', 'b'])

--- large-object | allow | a large object as bytes
select convert_from(lo_get(4242), 'UTF8'), lo_get(4242, 2, 5)

--- pages-of-objects | allow | large objects by the catalog | as: superuser
select loid, pageno, length(data) from pg_largeobject

--- sleep | allow | only waits
select pg_sleep(0.01)

-- Things of the user ------------------------------------------------------------------------------------------------

--- user-function | allow | functions of the user
select f_add(1, 2), f_add(1), f_add(b => 2, a => 1), f_label(id), f_standard(id), f_variadic('a', 'b'), f_any('x'::text), public.f_add(id, id) from t

--- domain-compared | allow | texts beside domains
select qty = '3', qty in ('3', '4'), coalesce(qty, '5'), nullif(qty, '3'), extra = '{}', lag(qty, 1, '1') over () from person

--- domain-arrays | allow | texts beside arrays of domains
select languages = '{de}', languages || 'us'::language, array_append(languages, 'us'), array_position(weights, '2'), coalesce(weights, '{}'),
  array_agg(qty) = '{3}', array(select qty from person) = '{3}', tags[1] from person group by languages, weights, tags

--- domain-rows | allow | texts beside rows with domains in them
select coalesce(home, '(,,,)'), (home).mail, coalesce(p, null), '(Main 1,123,a@b,)'::address from person p where (home).zip = '123'

--- domain-parameters | allow | parameters | params: ["{de,fr}", "3"]
select id from person where languages = $1 and qty = $2

--- domain-json | allow | rows out of JSON
select (jsonb_populate_record(p, '{"qty": 5}')).qty, to_jsonb(p) ->> 'tags', 'de'::language, '{1,2}'::posint[] from person p

--- domain-set | allow | sets
select qty from person union select '7' union all select null

--- user-any-type | allow | functions and aggregates of any type
select first(qty), first(extra) from person

--- xml-of-a-table | allow | a table as XML, by its name
select table_to_xml('person', true, false, ''), table_to_xml('public."Mixed Case"'::regclass, true, false, ''), table_to_xmlschema('t', true, false, '')

--- long-list | allow | a long list
select id from t where id::text in ({MANY}) or v in ({MANY}, {MANY})

--- user-table-function | allow | functions as tables
select * from f_rows(2) r, f_table(3) as x, lateral f_rows(x.i) limit 5

--- user-attribute | allow | a function written as a column
select t.t_title, t_title(t) from t

--- user-operator | allow | an operator and an aggregate
select 1 <+> 2, my_sum(id), my_sum(id) filter (where id > 1) from t

--- user-types | allow | domains, rows, enumerations, ranges of the user
select 5::posint, 'a@b'::email, '(1,x)'::pair, row(1, 'x')::pair::text, 'low'::mood, '[0.5,1.5]'::floatrange, floatrange(0, 1), (p).b from t

--- view | allow | a view
select * from v_t join v_join using (id)

--- view-function | allow | a view over functions
select label, title from v_function where id = 1

--- matview | allow | a materialized view
select * from mv where n > 0

--- matview-remote | allow | a materialized view of another server: what is read is here
select a from mv_evil

--- foreign-table | allow | a foreign table
select ft.id, t.v from ft join t using (id) where ft.id < 3

--- partitions | allow | partitions
select tableoid::regclass, count(*), sum(n) from event where at >= '2024-01-01' group by 1

--- inheritance | allow | system columns
select ctid, xmin, xmax, tableoid, cmin from t

--- row-security | allow | a table with policies
select * from account

--- generated | allow | a generated column
select net, gross from totals

--- virtual | allow | a virtual generated column | only: >=18
select id, double from public.virtual

--- sequence-as-table | allow | a sequence is a table too
select last_value, is_called from s

--- identity | allow | a big table
select count(*), min(at), max(at) from brin where at > '2024-06-01'

--- operator-of-a-neighbour | allow | a body with an operator that somebody has made for another type as well
select eq_fine(1, 2)

--- concatenation-of-a-neighbour | allow | text beside a type that has a cast of its own to text
select v || ': ' || id, quote_literal(v), quote_nullable(id) from t

--- arrays-of-domains-combined | allow | arrays of domains where several values become one
select coalesce(weights, array[1, 2]), greatest(weights, array[id]), lag(weights, 1, array[7]) over () from person
union all select array[1], array[2], array[3]

--- dangerous-words | allow | columns that are called like functions that write
select nextval, dblink_exec from (select 1 as nextval, 2 as dblink_exec) as set_config

-- Extensions --------------------------------------------------------------------------------------------------------

--- hstore | allow | hstore
select attributes -> 'a', attributes ? 'b', akeys(attributes), hstore_to_json(attributes), attributes || 'z=>1', (each(attributes)).key from customer

--- citext | allow | citext
select name, count(*) over (partition by name) from customer where name = 'ADA' or name like 'a%' or regexp_match(name, 'D') is not null

--- trigram | allow | pg_trgm
select body, similarity(body, 'quik fox'), body <-> 'fox', word_similarity('fox', body), show_trgm('ab') from docs where body % 'quick brown fox' order by 3 limit 3

--- ltree | allow | ltree
select path, nlevel(path), subpath(path, 0, 1), lca(path, 'top.x') from customer where path <@ 'top' and path ~ '*.arts.*' or path ? '{top.*}'

--- unaccent | allow | unaccent
select unaccent(name::text) from customer where unaccent(lower(name::text)) = 'emile'

--- fuzzy | allow | fuzzystrmatch
select levenshtein('kitten', 'sitting'), soundex('Robert'), metaphone('Thompson', 4), dmetaphone('gumbo'), difference('Anne', 'Ann')

--- intarray | allow | intarray
select array[1, 2] & array[2, 3], icount(array[1, 2]), sort(array[2, 1]), uniq(array[1, 1]), array[1, 2] @@ '1 & !3'::query_int

--- earth | allow | cube and earthdistance
select cube(array[1, 2]) <-> cube(array[3, 4]), earth_distance(ll_to_earth(0, 0), ll_to_earth(1, 1)), point(0, 0) <@> point(1, 1)

--- uuid-ossp | allow | uuid-ossp
select uuid_generate_v4() is not null, uuid_generate_v5(uuid_ns_url(), 'x'), uuid_nil()

--- pgcrypto | allow | pgcrypto
select encode(digest('x', 'sha256'), 'hex'), crypt('x', gen_salt('md5')) <> '', hmac('a', 'b', 'sha1'), pgp_sym_decrypt(pgp_sym_encrypt('x', 'k'), 'k'), length(gen_random_bytes(4))

--- isn | allow | isn
select isbn('978-0-393-04002-9'), is_valid('0-393-04002-X'::isbn), ean13(isbn('0-393-04002-X'))

--- tablefunc | allow | tablefunc
select count(*) from normal_rand(10, 0, 1)

--- btree-gist | allow | the distance of btree_gist
select id, at <-> '2024-02-01 00:00+00'::timestamptz from t order by 2 limit 2

--- statements | allow | pg_stat_statements
select queryid, calls, total_exec_time, rows, left(query, 60) from pg_stat_statements order by total_exec_time desc limit 10

--- statements-function | allow | without the text of statements
select count(*) from pg_stat_statements(false), pg_stat_statements_info

--- statistics-of-tuples | allow | pgstattuple | as: superuser
select * from pgstattuple('t'), pgstatindex('t_pkey'), pgstattuple_approx('docs')

--- buffers | allow | pg_buffercache | as: superuser
select c.relname, count(*) as buffers from pg_buffercache b join pg_class c on b.relfilenode = pg_relation_filenode(c.oid) group by 1 order by 2 desc limit 5

--- visibility | allow | pg_visibility | as: superuser
select * from pg_visibility_map_summary('docs')

-- The catalog -------------------------------------------------------------------------------------------------------

--- information-tables | allow | tables
select table_schema, table_name, table_type from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema') order by 1, 2

--- information-columns | allow | columns
select column_name, data_type, is_nullable, column_default, character_maximum_length, is_generated from information_schema.columns where table_name = 't' order by ordinal_position

--- information-keys | allow | foreign keys
select tc.constraint_name, kcu.column_name, ccu.table_name from information_schema.table_constraints tc join information_schema.key_column_usage kcu using (constraint_schema, constraint_name) join information_schema.constraint_column_usage ccu using (constraint_schema, constraint_name) where tc.constraint_type = 'FOREIGN KEY'

--- information-others | allow | routines, views, rights, sequences
select routine_name from information_schema.routines where specific_schema = 'public' union all select table_name from information_schema.views union all select sequence_name from information_schema.sequences union all select grantee from information_schema.role_table_grants union all select trigger_name from information_schema.triggers

--- sizes | allow | sizes
select relname, pg_size_pretty(pg_total_relation_size(oid)), pg_relation_size(oid), pg_indexes_size(oid), pg_table_size(oid), reltuples::bigint from pg_class where relkind = 'r' order by pg_total_relation_size(oid) desc limit 3

--- psql-list | allow | what \l sends
SELECT d.datname as "Name", pg_catalog.pg_get_userbyid(d.datdba) as "Owner", pg_catalog.pg_encoding_to_char(d.encoding) as "Encoding", d.datcollate as "Collate", d.datctype as "Ctype", pg_catalog.array_to_string(d.datacl, E'\n') AS "Access privileges" FROM pg_catalog.pg_database d ORDER BY 1;

--- psql-describe-all | allow | what \d sends
SELECT n.nspname as "Schema", c.relname as "Name", CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' END as "Type", pg_catalog.pg_get_userbyid(c.relowner) as "Owner" FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam WHERE c.relkind IN ('r','p','v','m','S','f','') AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast' AND n.nspname <> 'information_schema' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1,2;

--- psql-describe-name | allow | how \d NAME looks for it
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname OPERATOR(pg_catalog.~) '^(t)$' COLLATE pg_catalog.default AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3;

--- psql-describe-columns | allow | how \d NAME lists columns
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation, a.attidentity, a.attgenerated, pg_catalog.col_description(a.attrelid, a.attnum) FROM pg_catalog.pg_attribute a WHERE a.attrelid = 't'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;

--- psql-describe-indexes | allow | how \d NAME lists indexes
SELECT c2.relname, i.indisprimary, i.indisunique, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true), pg_catalog.pg_get_constraintdef(con.oid, true), contype, condeferrable FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i LEFT JOIN pg_catalog.pg_constraint con ON (conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x')) WHERE c.oid = 't'::regclass AND c.oid = i.indrelid AND i.indexrelid = c2.oid ORDER BY i.indisprimary DESC, c2.relname;

--- psql-functions | allow | what \df sends
SELECT n.nspname, p.proname, pg_catalog.pg_get_function_result(p.oid), pg_catalog.pg_get_function_arguments(p.oid), CASE p.prokind WHEN 'a' THEN 'agg' WHEN 'w' THEN 'window' WHEN 'p' THEN 'proc' ELSE 'func' END FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE pg_catalog.pg_function_is_visible(p.oid) AND n.nspname = 'public' ORDER BY 1, 2, 4;

--- psql-roles | allow | what \du sends
SELECT r.rolname, r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolconnlimit, r.rolvaliduntil, r.rolreplication, r.rolbypassrls, ARRAY(SELECT b.rolname FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles b ON (m.roleid = b.oid) WHERE m.member = r.oid) as memberof FROM pg_catalog.pg_roles r WHERE r.rolname !~ '^pg_' ORDER BY 1;

--- psql-privileges | allow | what \dp sends
SELECT n.nspname, c.relname, pg_catalog.array_to_string(c.relacl, E'\n'), (SELECT pg_catalog.array_agg(polname) FROM pg_catalog.pg_policy pol WHERE polrelid = c.oid) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r','v','m','S','f','p') AND n.nspname !~ '^pg_' ORDER BY 1, 2;

--- psql-extensions | allow | what \dx sends
SELECT e.extname, e.extversion, n.nspname, c.description FROM pg_catalog.pg_extension e LEFT JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace LEFT JOIN pg_catalog.pg_description c ON c.objoid = e.oid AND c.classoid = 'pg_catalog.pg_extension'::pg_catalog.regclass ORDER BY 1;

--- psql-foreign-servers | allow | what \des sends
SELECT s.srvname, pg_catalog.pg_get_userbyid(s.srvowner), f.fdwname FROM pg_catalog.pg_foreign_server s JOIN pg_catalog.pg_foreign_data_wrapper f ON f.oid=s.srvfdw ORDER BY 1;

--- definitions | allow | definitions as text
select pg_get_viewdef('v_t'::regclass, true), pg_get_functiondef('f_label(int)'::regprocedure), pg_get_indexdef('t_v'::regclass), pg_get_constraintdef(c.oid), pg_get_ruledef(r.oid), pg_get_triggerdef(0), pg_get_partkeydef('event'::regclass), pg_get_serial_sequence('t', 'id'), obj_description('t'::regclass), pg_get_statisticsobjdef(s.oid) from pg_constraint c, pg_rewrite r, pg_statistic_ext s limit 3

--- definitions-of-evil | allow | the definition of what must not run
select pg_get_viewdef('v_dblink'::regclass), pg_get_functiondef('f_dblink()'::regprocedure), prosrc from pg_proc where proname like 'f\_dblink%'

--- dump-tables | allow | what dumps send
SELECT c.tableoid, c.oid, c.relname, c.relnamespace, c.relkind, c.reltype, c.relowner, c.relchecks, c.relhasindex, c.relhasrules, c.relpages, c.relhastriggers, c.relpersistence, c.reloftype, c.relacl, acldefault(CASE WHEN c.relkind = 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner) AS acldefault, pg_catalog.array_remove(pg_catalog.array_remove(c.reloptions, 'check_option=local'), 'check_option=cascaded') AS reloptions, am.amname, d.refobjid AS owning_tab FROM pg_class c LEFT JOIN pg_depend d ON (c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')) LEFT JOIN pg_am am ON (c.relam = am.oid) WHERE c.relkind IN ('r', 'S', 'v', 'c', 'm', 'f', 'p') ORDER BY c.oid

--- dump-types | allow | what dumps send for types
SELECT t.oid, t.typname, t.typinput, t.typoutput, t.typelem, t.typrelid, t.typarray, CASE WHEN typrelid = 0 THEN ' '::"char" ELSE (SELECT relkind FROM pg_class WHERE oid = typrelid) END AS typrelkind, t.typtype, t.typisdefined, t.typname[0] = '_' AND typelem != 0 AND (SELECT typarray FROM pg_type te WHERE oid = t.typelem) = t.oid AS isarray FROM pg_type t

--- dump-dependencies | allow | what dumps send for dependencies
WITH RECURSIVE w AS (SELECT d1.objid, d2.refobjid, c2.relkind AS refrelkind FROM pg_depend d1 JOIN pg_class c1 ON c1.oid = d1.objid AND c1.relkind = 'm' JOIN pg_rewrite r1 ON r1.ev_class = d1.objid JOIN pg_depend d2 ON d2.classid = 'pg_rewrite'::regclass AND d2.objid = r1.oid JOIN pg_class c2 ON c2.oid = d2.refobjid WHERE d1.classid = 'pg_class'::regclass UNION SELECT w.objid, d3.refobjid, c3.relkind FROM w JOIN pg_rewrite r3 ON r3.ev_class = w.refobjid JOIN pg_depend d3 ON d3.classid = 'pg_rewrite'::regclass AND d3.objid = r3.oid JOIN pg_class c3 ON c3.oid = d3.refobjid) SELECT * FROM w

--- orm-tables | allow | what an ORM asks at its start
SELECT t.typname, t.oid, t.typarray FROM pg_type t JOIN pg_namespace ns ON typnamespace = ns.oid WHERE typname IN ('hstore', 'citext', 'jsonb', 'uuid') OR (typtype = 'e' AND ns.nspname = current_schema())

--- orm-indexes | allow | what an ORM asks of indexes
SELECT distinct i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid), t.oid, pg_catalog.obj_description(i.oid, 'pg_class') AS comment, d.indisvalid FROM pg_class t INNER JOIN pg_index d ON t.oid = d.indrelid INNER JOIN pg_class i ON d.indexrelid = i.oid LEFT JOIN pg_namespace n ON n.oid = t.relnamespace WHERE i.relkind IN ('i', 'I') AND d.indisprimary = 'f' AND t.relname = 't' AND n.nspname = ANY (current_schemas(false)) ORDER BY i.relname

--- orm-select | allow | what an ORM sends | params: ["London", "Paris", 10, 5]
SELECT "customer"."id" AS "t0_r0", "customer"."name" AS "t0_r1", "purchase"."id" AS "t1_r0" FROM "customer" LEFT OUTER JOIN "purchase" ON "purchase"."customer_id" = "customer"."id" WHERE "customer"."city" IN ($1, $2) AND ("purchase"."amount" > $3) ORDER BY "customer"."id" ASC LIMIT $4 /*application:Shop,controller:orders*/

--- orm-exists | allow | whether there is one
SELECT EXISTS (SELECT 1 AS one FROM "customer" WHERE "customer"."name" = 'Ada' LIMIT 1) AS "exists"

-- Monitoring --------------------------------------------------------------------------------------------------------

--- activity | allow | who does what
select pid, usename, application_name, client_addr, state, wait_event_type, wait_event, query_start, now() - xact_start as age, left(query, 80) from pg_stat_activity where pid <> pg_backend_pid() order by age desc nulls last

--- locks | allow | who waits for whom
select l.locktype, l.mode, l.granted, a.pid, a.query, pg_blocking_pids(a.pid), pg_safe_snapshot_blocking_pids(a.pid) from pg_locks l join pg_stat_activity a using (pid)

--- table-statistics | allow | tables
select relname, seq_scan, idx_scan, n_live_tup, n_dead_tup, last_vacuum, last_autoanalyze from pg_stat_user_tables join pg_statio_user_tables using (relid, relname)

--- index-statistics | allow | indexes that nobody uses
select indexrelname, idx_scan, pg_size_pretty(pg_relation_size(indexrelid)) from pg_stat_user_indexes where idx_scan = 0 and indexrelid not in (select conindid from pg_constraint)

--- database-statistics | allow | databases
select datname, numbackends, xact_commit, blks_hit::float / nullif(blks_hit + blks_read, 0) as hit, deadlocks, temp_bytes, stats_reset, pg_database_size(datname) from pg_stat_database where datname is not null

--- server-statistics | allow | the server
select * from pg_stat_bgwriter, pg_stat_archiver, pg_stat_wal, pg_stat_ssl limit 1

--- io-statistics | allow | newer views | only: >=16
select backend_type, object, context, reads, writes from pg_stat_io limit 5

--- checkpointer | allow | newer views | only: >=17
select num_timed, write_time from pg_stat_checkpointer, pg_wait_events limit 1

--- progress | allow | what is under way
select pid, phase from pg_stat_progress_vacuum union all select pid, phase from pg_stat_progress_create_index union all select pid, phase from pg_stat_progress_cluster union all select pid, phase from pg_stat_progress_analyze

--- replication | allow | replication
select slot_name, plugin, slot_type, active, restart_lsn, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) from pg_replication_slots left join pg_stat_replication r on r.pid = active_pid

--- column-statistics | allow | statistics of columns
select attname, n_distinct, null_frac, most_common_vals from pg_stats where tablename = 't' union all select statistics_name, null, null, null from pg_stats_ext

--- server-functions | allow | functions of monitoring
select pg_is_in_recovery(), pg_current_wal_lsn(), pg_last_wal_replay_lsn(), pg_postmaster_start_time(), pg_conf_load_time(), txid_current_if_assigned(), pg_snapshot_xmin(pg_current_snapshot()), pg_backend_pid(), inet_server_port(), version(), pg_database_size(current_database()), pg_tablespace_size('pg_default'), pg_jit_available(), pg_my_temp_schema(), age(datfrozenxid) from pg_database limit 1

--- session-functions | allow | functions of the session
select current_user, session_user, current_role, user, current_catalog, current_schema, current_schemas(true), current_setting('work_mem'), current_setting('no.such', true), pg_listening_channels(), has_table_privilege('t', 'select'), has_schema_privilege('public', 'create'), row_security_active('t'), pg_has_role('app', 'member')

--- settings | allow | settings
select name, setting, unit, source, short_desc, pending_restart from pg_settings where source <> 'default' order by name

--- bloat | allow | an estimate of bloat
select tablename, round(case when otta = 0 then 0 else relpages / otta::numeric end, 1) from (select s.tablename, c.relpages, ceil(c.reltuples * sum((1 - s.null_frac) * s.avg_width) / 8168) as otta from pg_stats s join pg_class c on c.relname = s.tablename group by 1, 2, c.reltuples) x

--- cursors-and-prepared | allow | what the session has
select name, statement from pg_prepared_statements union all select name, statement from pg_cursors

--- prepared-transactions | allow | what waits for its second phase
select gid, prepared, owner, database from pg_prepared_xacts

--- memory | allow | memory of the session | as: superuser
select name, total_bytes from pg_backend_memory_contexts order by 2 desc limit 3

--- shared-memory | allow | memory of the server | as: superuser
select name, allocated_size from pg_shmem_allocations order by 2 desc limit 3

--- sequences | allow | sequences
select schemaname, sequencename, last_value, increment_by from pg_sequences

--- roles | allow | roles
select rolname, rolsuper, rolconfig from pg_roles union all select usename, usesuper, useconfig from pg_user

--- wrapped-time-zones | allow | time zones
select name, utc_offset from pg_timezone_names where name like 'Europe/B%' union all select abbrev, utc_offset from pg_timezone_abbrevs limit 5

--- available-extensions | allow | what could be installed
select name, default_version, installed_version from pg_available_extensions order by 1 limit 5

--- keywords | allow | words of the grammar
select word, catdesc from pg_get_keywords() where catcode = 'R' limit 5

-- SHOW and EXPLAIN --------------------------------------------------------------------------------------------------

--- show | allow | a setting
show server_version

--- show-all | allow | all of them
show all

--- show-two-words | allow | a setting with its old name
show time zone

--- show-isolation | allow | the transaction's
show transaction isolation level

--- show-user | allow | who one is
show session authorization

--- show-qualified | allow | a setting of an extension
show pg_stat_statements.max

--- explain | allow | a plan
explain select * from t where id = 1

--- explain-analyze | allow | a plan that ran
explain analyze select * from t join child on child.t_id = t.id

--- explain-verbose | allow | the old order of words
explain analyze verbose select * from t

--- explain-options | allow | with options
explain (analyze, verbose, costs on, buffers, timing off, summary, settings, wal, format yaml) select count(*) from purchase group by customer_id

--- explain-json | allow | as JSON
explain (format json) with x as (select * from t) select * from x

--- explain-xml | allow | as XML
explain (format xml, analyze true) values (1)

--- explain-table | allow | of TABLE
explain table t

--- explain-generic | allow | for any value | only: >=16 | params: [null]
explain (generic_plan) select * from t where id = $1

--- explain-17 | allow | newer options | only: >=17
explain (analyze, serialize text, memory, summary) select * from t

--- explain-params | allow | with parameters | params: [1]
explain analyze select * from t where id = $1

--- explain-cte | allow | of a recursion
explain (costs off) with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select * from r

--- explain-function | allow | of a function of the user
explain analyze select * from f_rows(1)
