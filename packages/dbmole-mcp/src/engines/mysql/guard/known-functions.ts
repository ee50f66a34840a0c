/** Words that cannot be the unquoted name of a function on any server. Before a parenthesis they are grammar. */
export const reservedWords = joinList(`
  accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call cascade case change
  char character check collate column condition constraint continue convert create cross current_date current_time
  current_timestamp current_user cursor databases day_hour day_microsecond day_minute day_second dec decimal declare
  default delayed delete desc describe deterministic distinct distinctrow div double drop dual each else elseif enclosed
  escaped except exists exit explain false fetch float float4 float8 for force foreign from fulltext grant group having
  high_priority hour_microsecond hour_minute hour_second if ignore in index infile inner inout insensitive insert int int1
  int2 int3 int4 int8 integer intersect interval into is iterate join key keys kill leading leave left like limit linear
  lines load localtime localtimestamp lock long longblob longtext loop low_priority match maxvalue mediumblob mediumint
  mediumtext middleint minute_microsecond minute_second mod modifies natural no_write_to_binlog not null numeric on
  optimize optionally or order out outer outfile over partition precision primary procedure purge range read read_write
  reads real recursive references regexp release rename repeat replace require resignal restrict return revoke right rlike
  row_number rows schemas second_microsecond select sensitive separator set show signal smallint spatial specific sql
  sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl starting straight_join table
  terminated then tinyblob tinyint tinytext to trailing trigger true undo union unique unlock unsigned update usage use
  using utc_date utc_time utc_timestamp values varbinary varchar varcharacter varying when where while with write xor
  year_month zerofill
`);

/** Functions built into all servers that change nothing: their unquoted name before a parenthesis means nothing else. */
export const builtIn = joinList(`
  abs acos adddate addtime aes_decrypt aes_encrypt any ascii asin atan atan2 avg bin bit bit_and bit_count bit_length
  bit_or bit_xor bool boolean cast ceil ceiling char_length character_length charset coalesce coercibility collation
  compress concat concat_ws connection_id conv convert_tz cos cot count crc32 cume_dist curdate current_role curtime
  database date date_add date_format date_sub datediff datetime day dayname dayofmonth dayofweek dayofyear degrees
  dense_rank do elt enum exp export_set extract extractvalue field find_in_set first_value fixed floor format found_rows
  from_base64 from_days from_unixtime get_format greatest group_concat hex hour ifnull inet6_aton inet6_ntoa inet_aton
  inet_ntoa instr is_free_lock is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock isnull json json_array
  json_array_append json_array_insert json_arrayagg json_contains json_contains_path json_depth json_extract json_insert
  json_keys json_length json_merge json_merge_patch json_merge_preserve json_object json_objectagg json_overlaps
  json_pretty json_quote json_remove json_replace json_search json_set json_type json_unquote json_valid json_value lag
  last_day last_insert_id last_value lcase lead least length ln locate log log10 log2 lower lpad ltrim make_set makedate
  maketime max mbrcontains mbrdisjoint mbrequals mbrintersects mbroverlaps mbrtouches mbrwithin microsecond mid min minute
  month monthname name_const national nchar now nth_value ntile nullif number nvarchar oct octet_length offset ord password
  percent_rank period_add period_diff pi position pow power quarter quote radians rand random_bytes rank regexp_instr
  regexp_replace regexp_substr reverse round row row_count rpad rtrim schema sec_to_time second session_user sha2 sign sin
  some soundex space sqrt st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt st_buffer st_centroid st_contains
  st_convexhull st_crosses st_difference st_dimension st_disjoint st_distance st_distance_sphere st_endpoint st_envelope
  st_equals st_exteriorring st_geomcollfromtext st_geomcollfromwkb st_geometrycollectionfromtext
  st_geometrycollectionfromwkb st_geometryfromtext st_geometryfromwkb st_geometryn st_geometrytype st_geomfromgeojson
  st_geomfromtext st_geomfromwkb st_interiorringn st_intersection st_intersects st_isclosed st_isempty st_issimple
  st_length st_linefromtext st_linefromwkb st_linestringfromtext st_linestringfromwkb st_mlinefromtext st_mlinefromwkb
  st_mpointfromtext st_mpointfromwkb st_mpolyfromtext st_mpolyfromwkb st_multilinestringfromtext st_multilinestringfromwkb
  st_multipointfromtext st_multipointfromwkb st_multipolygonfromtext st_multipolygonfromwkb st_numgeometries
  st_numinteriorrings st_numpoints st_overlaps st_pointfromtext st_pointfromwkb st_pointn st_polyfromtext st_polyfromwkb
  st_polygonfromtext st_polygonfromwkb st_srid st_startpoint st_symdifference st_touches st_union st_within st_x st_y std
  stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index subtime sum sysdate system_user
  tan text time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_days to_seconds trim
  truncate ucase uncompress uncompressed_length unhex unix_timestamp updatexml upper user uuid uuid_short value var_pop
  var_samp variance version week weekday weekofyear weight_string year yearweek
`);

/** Functions of some servers, types and words of the grammar: harmless where no function of this name was created. */
export const builtInSomewhere = joinList(`
  concat_operator_oracle decode_oracle lpad_oracle ltrim_oracle replace_oracle rpad_oracle rtrim_oracle substr_oracle trim_oracle
  add_months against any_value area asbinary astext aswkb aswkt bernoulli bin_to_uuid binlog_gtid_pos boundary buffer centroid chr
  clob column_add column_check column_create column_delete column_exists column_get column_json column_list columns
  contains convexhull crc32c crosses cube current_role_in current_user_in decode decode_histogram des_decrypt des_encrypt dimension disjoint distance encode
  encrypt endpoint envelope equals etag exteriorring format_bytes format_pico_time from_vector geomcollection geomcollfromtext
  geomcollfromwkb geometry geometrycollection geometrycollectionfromtext geometrycollectionfromwkb geometryfromtext
  geometryfromwkb geometryn geometrytype geomfromtext geomfromwkb glength grouping gtid_subset gtid_subtract icu_version
  interiorringn intersects is_uuid isclosed isempty isring issimple json_array_intersect json_compact json_detailed
  json_duality_object json_equals json_exists json_key_value json_loose json_normalize json_object_filter_keys
  json_object_to_array json_query json_schema_valid json_schema_validation_report json_storage_free json_storage_size
  json_table kdf lastval lateral lengthb linefromtext linefromwkb linestring linestringfromtext linestringfromwkb
  mbrcoveredby mbrcovers mbrequal md5 median member minus mlinefromtext mlinefromwkb mpointfromtext mpointfromwkb
  mpolyfromtext mpolyfromwkb multilinestring multilinestringfromtext multilinestringfromwkb multipoint multipointfromtext
  multipointfromwkb multipolygon multipolygonfromtext multipolygonfromwkb natural_sort_key numgeometries numinteriorrings
  numpoints nvl nvl2 of old_password overlaps percentile_cont percentile_disc point pointfromtext pointfromwkb pointn
  pointonsurface polyfromtext polyfromwkb polygon polygonfromtext polygonfromwkb ps_current_thread_id ps_thread_id qualify raw
  regexp_like roles_graphml rollup rownum sformat sha sha1 signed srid st_boundary st_buffer_strategy st_collect
  st_frechetdistance st_geohash st_geomcollfromtxt st_hausdorffdistance st_isring st_isvalid st_latfromgeohash st_latitude
  st_lineinterpolatepoint st_lineinterpolatepoints st_longfromgeohash st_longitude st_makeenvelope st_numinteriorring
  st_pointatdistance st_pointfromgeohash st_pointonsurface st_relate st_simplify st_swapxy st_transform st_validate
  startpoint statement_digest statement_digest_text string_to_vector sys_guid system to_char to_date to_number to_vector touches
  trunc uuid_to_bin uuid_v4 uuid_v7 uuidv4 uuidv7 validate_password_strength varchar2 vec_distance vec_distance_cosine
  vec_distance_euclidean vec_fromtext vec_totext vector vector_dim vector_distance vector_to_string within
  wsrep_last_seen_gtid wsrep_last_written_gtid
`);

/** With a blank before the parenthesis these are ordinary names, unless `sql_mode` has IGNORE_SPACE. */
export const gluedToBracket = joinList(`
  adddate bit_and bit_or bit_xor cast count curdate curtime date_add date_sub extract group_concat json_arrayagg
  json_duality_object json_objectagg max median mid min now percentile_cont percentile_disc position session_user
  st_collect std stddev stddev_pop stddev_samp subdate substr substring sum sysdate system_user trim trim_oracle var_pop
  var_samp variance
`);

/** These are ordinary names with a blank on MariaDB alone; elsewhere no other function can have such a name. */
export const gluedOnMaria = joinList(`
  cume_dist dense_rank first_value lag lead nth_value ntile percent_rank rank
`);

/** Words of MariaDB's grammar, which cannot be the unquoted name of a native function there. */
export const grammarOfMaria = joinList(`
  against columns geometry geometrycollection json_table linestring minus multilinestring multipoint multipolygon of point
  polygon
`);

/** Splits a list into words in capitals, as the tokens have them. */
function joinList(text: string): ReadonlySet<string> {
  return new Set(text.trim().toUpperCase().split(/\s+/));
}
