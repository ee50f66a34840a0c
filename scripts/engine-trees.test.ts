/** The SQL engines of dbmole have the same folders and file names. Each difference is listed here with its reason. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './steps.ts';

/** Paths without `.ts`, by reason. A path that ends with a slash covers a folder. */
type Differences = Readonly<Record<string, string>>;

const onlyMysql: Differences = {
  'two products, MySQL and MariaDB, share the protocol':
    'flavour plan/mariadb plan/tree-text plan/walk-json plan/walk-tree plan/plan-steps',
  'plans name tables by their aliases': 'plan/find-table',
  'the privileges are texts of SHOW GRANTS, and not functions of the catalog': 'audit/grants audit/list-powers',
  'the catalog depends on the product and on a setting of names': 'catalog/context',
  'most views of the catalog open every table that they are asked for': 'catalog/state diagnosis/many-indexes',
  'MariaDB hides the actions of references from accounts that only read': 'catalog/rules',
  'a driver speaks the protocol through callbacks': 'wire/deferred',
  'rows are decoded beside the driver': 'values/row-reader',
  'the server has no function that quotes names where they need it': 'values/identifiers',
  'the protocol does not report the kind of a statement, nor whether it returns rows':
    'session/statement-kind session/run-statement',
  'views, triggers and routines can outlive what they need': 'diagnosis/tables/broken-objects',
  'a column is read by its tokens, and compared with the one that is there': 'ddl/columns',
  'no parser reads what the servers read, so the guard has a tokenizer and a list of functions':
    'guard/text/ guard/catalog/ guard/columns/ guard/in-turns guard/judge-call guard/known-functions',
  'a privilege shows the triggers of a table, and a table has no parts beside them':
    'guard/scoped-write/trigger-rights guard/scoped-write/table-parts',
};

const onlyPostgres: Differences = {
  'the protocol is spoken without a driver': 'wire/wire wire/messages wire/segment wire/long-message',
  'answers are read from segments of one write': 'session/prelude session/read-batch session/ready-session session/session-calls',
  'the premise of a read is a snapshot of the catalog, which the session compares': 'session/premise-watch',
  'the row limit is not a setting of the session': 'session/row-limit values/elements',
  'login reads the types of the database': 'values/type-names',
  'one format of plans serves all versions': 'plan/parse-plan plan/walk-plan',
  'the audit reads its facts with long statements': 'audit/audit-sql',
  'names are searched along a path of schemas': 'catalog/fragments',
  'the guard proves reads with the parser of the server, in a worker': 'guard/proof/ guard/thread/ guard/tree/ guard/checker',
  'the guard names what the catalog cannot show to be harmless': 'guard/denials guard/denied-functions guard/reviewed-symbols',
  'columns are followed through the tree of the parser': 'guard/columns/',
  'advice reads conditions in the tree of the parser': 'advice/read-conditions',
  'views, rules, policies, checks and defaults have texts that a write runs':
    'guard/scoped-write/relation-parts guard/scoped-write/reached-text guard/scoped-write/sequences guard/scoped-write/check-definition',
  'the tree of the parser says what DDL does, and the catalog what a new type is':
    'ddl/alter-table ddl/lock-modes ddl/type-change',
  'sequences are objects of their own': 'diagnosis/tables/sequences',
  'the server runs out of ids of transactions': 'diagnosis/tables/old-transactions',
  'partitions can lack an index that their table has, and text sorts by a library of the system':
    'diagnosis/partition-indexes diagnosis/collations',
  'a foreign key needs no index, and its columns may have another type': 'diagnosis/foreign-keys',

  'facts about the server are read once for all calls': 'guard/server-facts guard/shared-load',
};

/** Files that neither of the servers has. */
const onlySqlite: Differences = {
  'SQLite runs in a process of its own, because nothing else stops a statement': 'process/ wire/database-process wire/find-node',
  'the rights of the file decide, and Linux tells who has locked it': 'errors/lock-holders',
  'the file is opened for each call, and a killed writer leaves a journal':
    'session/file-call session/recover session/row-relay session/writable',
  'the whole schema is read at once, and some of it only as text': 'catalog/schema-facts catalog/sizes catalog/create-text',
  'plans have no figures, so advice comes from the text': 'plan/read-plan plan/find-conditions',
  'a file has few settings of its own, and few kinds of trouble with tables': 'diagnosis/settings diagnosis/tables',
  'a plan has no figures, so what a read costs is counted from its tables': 'plan/estimate-reads',
  'a read that was checked against a schema runs in a transaction that still has it': 'session/read guard/premise',
  'the program that SQLite makes of a statement tells what its values come from, and where it leads':
    'guard/policy-guard guard/columns/program/ guard/columns/schema guard/columns/storage guard/columns/view-rules guard/text/table-uses',
  'one list of what a read may name serves the guard and the process': 'guard/allowed',
};

function listPaths(engine: string): string[] {
  const folder = join(root, 'packages/dbmole-mcp/src/engines', engine);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('testing/'))
    .map((path) => path.slice(0, -'.ts'.length));
}

/** The listed path that covers a file. */
function findListed(path: string, listed: readonly string[]): string | undefined {
  return listed.find((one) => (one.endsWith('/') ? path.startsWith(one) : path === one));
}

describe('the folders of the SQL engines', () => {
  it.each([
    ['mysql', 'postgres', onlyMysql],
    ['postgres', 'mysql', onlyPostgres],
  ] as const)('%s has no file that %s lacks without a listed reason', (engine, other, differences) => {
    const others = new Set(listPaths(other));
    const listed = Object.values(differences).flatMap((paths) => paths.split(' '));
    const extra = listPaths(engine).filter((path) => !others.has(path));
    expect(extra.length).toBeGreaterThan(10);
    expect(extra.filter((path) => findListed(path, listed) === undefined)).toEqual([]);
    const used = new Set(extra.map((path) => findListed(path, listed)));
    expect(listed.filter((path) => !used.has(path))).toEqual([]);
  });

  it('sqlite has no file that both others lack without a listed reason', () => {
    const others = new Set([...listPaths('mysql'), ...listPaths('postgres')]);
    const listed = Object.values(onlySqlite).flatMap((paths) => paths.split(' '));
    const extra = listPaths('sqlite').filter((path) => !others.has(path));
    expect(extra.filter((path) => findListed(path, listed) === undefined)).toEqual([]);
    const used = new Set(extra.map((path) => findListed(path, listed)));
    expect(listed.filter((path) => !used.has(path))).toEqual([]);
  });
});
