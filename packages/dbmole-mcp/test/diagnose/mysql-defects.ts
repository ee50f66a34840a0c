/** Something that is wrong on purpose, planted alone in an empty schema. */
export interface Defect {
  name: string;
  check: string;
  /** Run one after the other in one session; if another waits for it, it stays open. */
  plant: readonly string[];
  /** Run in sessions of their own, where they wait. */
  wait?: readonly string[];
  /** Its first line in the answer. */
  found: RegExp;
  /** The statement of its next step; or, where the step leaves it to a person, what a person does. */
  mend: RegExp | readonly string[];
  only?: 'mysql';
}

/** MariaDB does not name the holder without a plugin. */
export const defects: readonly Defect[] = [
  {
    name: 'a change of a table that waits for a reader, and readers behind it',
    check: 'locks',
    plant: ['create table item (id int primary key)', 'begin', 'select * from item'],
    wait: ['alter table item add column size int', 'select count(*) from item'],
    found:
      /^(?:medium|high): (?:session \d+ \(\w+@\w+\) blocks 2 sessions and is idle in a transaction for .*|2 sessions are in "Waiting for table metadata lock", .*)$/m,
    mend: /KILL \d+|(?<=probably holds it: )\d+/,
  },
  {
    name: 'a session that locked the whole server',
    check: 'locks',
    plant: ['create table item (id int primary key)', 'flush tables with read lock'],
    wait: ['insert into item values (1)'],
    found:
      /^(?:medium|high): (?:session \d+ \(\w+@\w+\) blocks 1 session and is idle for .*|1 session is in "Waiting for backup lock", .*: \d+ insert into item values \(1\))$/m,
    mend: /KILL \d+|(?<=: one of )\d+/,
  },
  {
    name: 'a session that locked a table against writers',
    check: 'locks',
    plant: ['create table item (id int primary key)', 'lock tables item read'],
    wait: ['insert into item values (1)'],
    found: /^(?:medium|high): (?:session \d+ .* blocks 1 session and is idle for .*|1 session is in "Waiting for table .*)$/m,
    mend: [],
  },
  {
    name: 'a session that sits on a lock with a name',
    check: 'locks',
    plant: ["select get_lock('nightly', 1)"],
    wait: ["select get_lock('nightly', 60)"],
    found: /^(?:medium|high): (?:session \d+ .* blocks 1 session and is idle for .*|1 session is in "User lock", .*)$/m,
    mend: [],
  },
  {
    name: 'a transaction that was prepared and forgotten',
    check: 'activity',
    plant: [
      'create table item (id int primary key)',
      'insert into item values (1)',
      "xa start 'forgotten'",
      'update item set id = 2',
      "xa end 'forgotten'",
      "xa prepare 'forgotten'",
    ],
    found: /^medium: transaction \d+ of no session has \d+ rows changed and has been open for .*: it is prepared \(XA\)$/m,
    mend: ["xa rollback 'forgotten'"],
  },
  {
    name: 'an index on the beginning of what another has whole',
    check: 'indexes',
    plant: [
      'create table item (id int primary key, name varchar(100))',
      'create index item_name on item (name)',
      'create index item_start on item (name(10))',
    ],
    found: /^low: index item_start on item \(name\(10\)\) is covered by the first columns of item_name$/m,
    mend: /ALTER TABLE item DROP INDEX item_start;/,
  },
  {
    name: 'texts in an old character set',
    check: 'tables',
    plant: ['create table item (id int primary key, name varchar(100)) character set utf8mb3'],
    found: /^low: 1 table has texts in utf8mb3: item$/m,
    mend: /ALTER TABLE item CONVERT TO CHARACTER SET utf8mb4;/,
  },
  {
    name: 'binary logs that are never removed',
    check: 'settings',
    plant: ['set global binlog_expire_logs_seconds = 0'],
    found: /^medium: binlog_expire_logs_seconds is 0$/m,
    mend: /SET GLOBAL binlog_expire_logs_seconds = 2592000;/,
  },
  {
    name: 'prepared statements near their limit',
    check: 'settings',
    plant: ['set global max_prepared_stmt_count = 1', "prepare one from 'select 1'"],
    wait: [],
    found: /^high: 1 of 1 prepared statements are in use$/m,
    mend: ['set global max_prepared_stmt_count = 16382'],
  },
];

/** Planted together: statements, the first line of the finding, and what mends it. */
export const more: readonly (Pick<Defect, 'check' | 'plant' | 'found'> & { mend: RegExp | readonly string[] })[] = [
  {
    check: 'tables',
    plant: ['create table base (id int primary key)', 'create view broken as select id from base', 'drop table base'],
    found: /^high: view broken is invalid: /m,
    mend: /DROP VIEW broken;/,
  },
  {
    check: 'tables',
    plant: ['create user leaver', "create definer = leaver@'%' view orphan as select 1 as one", 'drop user leaver'],
    found: /^high: view \w+\.orphan runs as leaver@%, and there is no such account$/m,
    mend: ['drop view orphan'],
  },
  {
    check: 'tables',
    plant: ['create table frozen (id int primary key) stats_auto_recalc = 0'],
    found: /^low: the statistics of frozen are not refreshed \(STATS_AUTO_RECALC=0\)$/m,
    mend: /ALTER TABLE frozen STATS_AUTO_RECALC=DEFAULT;/,
  },
  {
    check: 'tables',
    plant: ['create table almost (id tinyint auto_increment primary key) auto_increment = 121'],
    found: /^high: almost\.id \(tinyint(?:\(4\))?\) counts on from 12[01] of 127 \(9\d %\)$/m,
    mend: /ALTER TABLE almost MODIFY id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT;/,
  },
  {
    check: 'tables',
    plant: [
      'create table target (id int primary key)',
      'create table pointer (id int primary key, target_id int, constraint pointer_target foreign key (target_id) references target (id))',
      'set foreign_key_checks = 0',
      'drop table target',
    ],
    found: /^high: foreign key pointer_target of pointer refers to target, which does not exist or has no such key$/m,
    mend: /ALTER TABLE pointer DROP FOREIGN KEY pointer_target;/,
  },
  {
    check: 'tables',
    plant: [
      'create user quitter',
      'create definer = quitter event lost on schedule every 1 day disable do set @x = 1',
      'drop user quitter',
    ],
    found: /^high: event \w+\.lost runs as quitter@%, and there is no such account$/m,
    mend: ['drop event lost'],
  },
  {
    check: 'tables',
    plant: ['create event resting on schedule every 1 day disable do set @x = 1'],
    found: /^low: event resting is disabled$/m,
    mend: /ALTER EVENT resting ENABLE;/,
  },
  {
    check: 'tables',
    plant: [
      `create table reading (at int not null, value int, primary key (at, value)) partition by range (at)
        (partition one values less than (1000), partition two values less than (2000))`,
      `set @sql = concat('create table series (at timestamp not null, value int, primary key (at, value)) partition by range (unix_timestamp(at))
        (partition one values less than (', unix_timestamp() - 4000000, '), partition two values less than (', unix_timestamp() - 100000, '))')`,
      'prepare made from @sql',
      'execute made',
    ],
    found: /^high: the last partition of series ended at [\d: -]+, and it has none for later values$/m,
    mend: ['alter table series add partition (partition rest values less than maxvalue)'],
  },
  {
    check: 'settings',
    plant: ['set global sql_select_limit = 10'],
    found: /^high: sql_select_limit is 10$/m,
    mend: /SET GLOBAL sql_select_limit = DEFAULT;/,
  },
  {
    check: 'settings',
    plant: ["set global optimizer_switch = 'index_merge=off'"],
    found: /^medium: optimizer_switch has index_merge=off$/m,
    mend: /SET GLOBAL optimizer_switch = 'default';/,
  },
  {
    check: 'settings',
    plant: ["create user away identified by 'Aa-12345678' password expire"],
    found: /^medium: the password of 'away'@'%' has expired$/m,
    mend: /DROP USER 'away'@'%'/,
  },
  {
    check: 'indexes',
    plant: ['create table twice (id int primary key, unique again (id))'],
    found: /^medium: index again on twice \(id\) is the same as `PRIMARY`$/m,
    mend: /ALTER TABLE twice DROP INDEX again;/,
  },
  {
    check: 'settings',
    plant: ['create event nightly on schedule every 1 day do set @x = 1', 'set global event_scheduler = off'],
    found: /^medium: event_scheduler is OFF, and 1 event is enabled, such as \w+\.nightly$/m,
    mend: /SET GLOBAL event_scheduler = ON;/,
  },
  {
    check: 'settings',
    plant: ["create user open_door@'%' identified by ''"],
    found: /^high: 1 account has no password: 'open_door'@'%'$/m,
    mend: /DROP USER 'open_door'@'%';/,
  },
  {
    check: 'settings',
    plant: ['set global autocommit = 0'],
    found: /^medium: autocommit is OFF$/m,
    mend: /SET GLOBAL autocommit = ON;/,
  },
  {
    check: 'settings',
    plant: ['set global transaction isolation level read uncommitted'],
    found: /^medium: \w+_isolation is READ-UNCOMMITTED$/m,
    mend: /SET GLOBAL \w+_isolation = 'REPEATABLE-READ';/,
  },
  {
    check: 'settings',
    plant: ["set global sql_mode = 'ONLY_FULL_GROUP_BY'"],
    found: /^medium: sql_mode is ONLY_FULL_GROUP_BY$/m,
    mend: /SET GLOBAL sql_mode = CONCAT\(.*\);/,
  },
];

/** Looks wrong and is not: none of these is a finding. */
export const harmless: readonly string[] = [
  'create table parent (id int primary key)',
  'create table child (id int primary key, parent_id int, foreign key (parent_id) references parent (id))',
  // A unique index without nulls is the key of its table.
  'create table setting (name varchar(50) not null unique, value text)',
  'create table item (id int primary key, name varchar(100), size int, words text)',
  'create index item_name on item (name, size)',
  'create index item_size on item (size, name)',
  'create unique index item_name_once on item (name)',
  'create fulltext index item_name_words on item (name)',
  'create index item_words on item (words(20))',
  'create unique index item_words_once on item (words(10))',
];
