const columns =
  "id int primary key, a int not null, b int, v varchar(20), l varchar(20) character set latin1, w varchar(300), c char(5), e enum('x', 'y'), p int, g geometry not null, ft text, d datetime, n decimal(10,2), u int unsigned, vb varbinary(10)";
const rows = 'insert into t (id, a, b, g) values (1, 1, 1, point(1, 1)), (2, 2, 2, point(2, 2))';

/** The same table in several forms. */
export const formsOfTables: Readonly<Record<string, string>> = {
  plain: `create table t (${columns}, key ia (a), constraint ck check (a > -100), constraint fk0 foreign key (p) references par (id)) engine = InnoDB; ${rows}`,
  keyless: `create table t (${columns.replace('int primary key', 'int not null')}) engine = InnoDB; ${rows}`,
  compressed: `create table t (${columns}) engine = InnoDB row_format = compressed; ${rows}`,
  fulltext: `create table t (${columns}, fulltext fx (ft)) engine = InnoDB; ${rows}`,
  generated: `create table t (${columns}, vg int as (a + 1) virtual, sg int as (a + 2) stored) engine = InnoDB; ${rows}`,
  partitioned: `create table t (${columns.replace('g geometry not null', 'g int')}) engine = InnoDB partition by hash (id) partitions 2`,
  foreign: `create table t (${columns}) engine = MyISAM; ${rows}`,
};

interface Part {
  part: string;
  /** The beginning of the engines that have it. */
  only?: string;
}

/** Parts of ALTER TABLE. */
export const statements: readonly Part[] = [
  { part: 'add column z int' },
  { part: 'add z int not null default 5' },
  { part: 'add column (z int, y varchar(5))' },
  { part: 'add column z datetime default current_timestamp' },
  { part: 'add column z int first' },
  { part: 'add column z int after a' },
  { part: 'add column z int default (1 + 1)' },
  { part: 'add column z int default (a + b)' },
  { part: 'add column z int auto_increment unique' },
  { part: 'add column z int as (a + 5) stored' },
  { part: 'add column z int generated always as (a + 5) virtual' },
  { part: 'add column z int unique' },
  { part: 'add column z int check (z > 0)' },
  { part: 'add column z int, add index (z)' },
  { part: 'drop column b' },
  { part: 'drop b' },
  { part: 'drop column a, drop constraint ck' },
  { part: 'rename column b to b2' },
  { part: 'change b b2 int' },
  { part: 'change column b b2 bigint' },
  { part: 'modify b int' },
  { part: "modify column b int comment 'x'" },
  { part: 'modify b int default 7' },
  { part: 'modify b int first' },
  { part: 'modify b int not null' },
  { part: 'modify a int' },
  { part: 'modify b bigint' },
  { part: 'modify b int unsigned' },
  { part: 'modify b integer' },
  { part: 'modify u int unsigned default 3' },
  { part: 'modify v varchar(60)' },
  { part: 'modify v varchar(64)' },
  { part: 'modify v varchar(10)' },
  { part: 'modify w varchar(400)' },
  { part: 'modify l varchar(200) character set latin1' },
  { part: 'modify l varchar(300) character set latin1' },
  { part: 'modify l varchar(20)' },
  { part: 'modify vb varbinary(100)' },
  { part: 'modify v text' },
  { part: 'modify c char(9)' },
  { part: 'modify ft mediumtext' },
  { part: 'modify d datetime(3)' },
  { part: 'modify n decimal(12, 2)' },
  { part: 'modify n numeric(10,2)' },
  { part: "modify e enum('x', 'y', 'z')" },
  { part: "modify e enum('z', 'x', 'y')" },
  { part: 'alter column b set default 5' },
  { part: 'alter b drop default' },
  { part: 'add index iz (b)' },
  { part: 'add key (b, v)' },
  { part: 'add unique uz (b)' },
  { part: 'add constraint uz unique (b)' },
  { part: 'add index ((a + b))', only: 'mysql' },
  { part: 'add fulltext ftx (ft)' },
  { part: 'add spatial index sx (g)' },
  { part: 'drop index ia' },
  { part: 'rename index ia to ib' },
  { part: 'alter index ia invisible', only: 'mysql' },
  { part: 'alter index ia ignored', only: 'mariadb' },
  { part: 'drop primary key' },
  { part: 'drop primary key, add primary key (id, a)' },
  { part: 'add constraint f foreign key (b) references par (id)' },
  { part: 'drop foreign key fk0' },
  { part: 'drop constraint fk0' },
  { part: 'add constraint c2 check (b > -5)' },
  { part: 'drop constraint ck' },
  { part: 'alter check ck not enforced', only: 'mysql' },
  { part: 'rename to t9' },
  { part: 'convert to character set latin1' },
  { part: 'default character set latin1' },
  { part: 'row_format = compact' },
  { part: 'force' },
  { part: 'engine = InnoDB' },
  { part: 'auto_increment = 1000' },
  { part: "comment = 'x'" },
  { part: 'stats_persistent = 1' },
];

export const partsOnForms: readonly (Part & { form: string })[] = [
  { form: 'keyless', part: 'add primary key (id)' },
  ...['add column z int', 'drop column b', 'modify b int first', 'rename column b to b2', 'add index (b)'].flatMap((part) =>
    ['compressed', 'partitioned', 'foreign'].map((form) => ({ form, part })),
  ),
  ...['add column z int', 'drop column b', 'modify b int not null', 'force', 'add index (b)', 'rename column b to b2'].map(
    (part) => ({
      form: 'fulltext',
      part,
    }),
  ),
  { form: 'generated', part: 'drop column vg' },
  { form: 'generated', part: 'drop column sg' },
  { form: 'generated', part: 'add column z int' },
];
