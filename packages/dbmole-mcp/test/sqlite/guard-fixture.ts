import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { shopSql } from './shop-sqlite.ts';
import { runSql } from './sqlite-file.ts';

/** What an attacker who made the file could have put into its schema. `{OUT}` is a folder that nothing may be written to. */
const evilSql = `
create view evil_load as select load_extension('{OUT}/evil') as x;
create view evil_pragma as select * from pragma_user_version;
create view evil_file as select writefile('{OUT}/evil', 'x') as x, readfile('/etc/passwd') as y;
create view evil_tokenizer as select fts3_tokenizer('simple', x'0000000000000000') as x;
create view evil_trigger_view as select 1 as x;
create trigger evil_trigger instead of insert on evil_trigger_view begin delete from orders; end;
create view evil_deep as select a.id from orders a, orders b, orders c where a.id = b.id and b.id = c.id;
create table evil_generated (a, b generated always as (printf('%.*c', 1000, a)) virtual);
insert into evil_generated (a) values ('x');
`;

export interface GuardSite {
  /** Everything in it is compared before and after. */
  folder: string;
  file: string;
  out: string;
}

export function createSite(node: string, folder: string): GuardSite {
  const out = join(folder, 'out');
  mkdirSync(out);
  const file = join(folder, 'app.db');
  runSql(node, file, `${shopSql}${evilSql.replaceAll('{OUT}', out)}`);
  return { folder, file, out };
}
