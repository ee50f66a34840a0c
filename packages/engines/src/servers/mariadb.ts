import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import type { EngineEntry } from '../catalog.ts';
import { fetchDebianPackages, findDebianObstacle, privateCommand } from '../fetch/fetch-debian.ts';
import { createMysqlRecipe, type MysqlFlavour } from './mysql-server.ts';

const smallLog = '--innodb-log-file-size=10M';

/** What fills the system database, in this order. The names begin with mysql_ or mariadb_, depending on the version. */
const systemScripts = [
  /^m\w+_system_tables\.sql$/,
  /^m\w+_performance_tables\.sql$/,
  /^m\w+_system_tables_data\.sql$/,
  /^fill_help_tables\.sql$/,
  /^maria_add_gis_sp_bootstrap\.sql$/,
  /^m\w+_sys_schema\.sql$/,
];

const flavour: MysqlFlavour = {
  findObstacle: findDebianObstacle,
  fetch: fetchFromDebian,
  program: (tree) => privateCommand(tree, 'usr/sbin/mariadbd'),
  baseArgs: (tree) => [`--basedir=${join(tree, 'usr')}`, `--lc-messages-dir=${findShare(tree)}`],
  initArgs: ['--bootstrap', '--silent-startup', '--log-warnings=0', '--enforce-storage-engine=', smallLog].concat(
    // The help texts come in long lines.
    ['--max_allowed_packet=8M', '--net_buffer_length=16K'],
  ),
  initSql: async (tree) => {
    const share = findShare(tree);
    const names = readdirSync(share);
    const files = systemScripts.map((pattern) => names.find((name) => pattern.test(name)) ?? pattern.source);
    const texts = await Promise.all(files.map((file) => readFile(join(share, file), 'utf8')));
    // Otherwise root could only log in as the system's user of the same name.
    const head = 'CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n';
    return head + texts.join('\n');
  },
  serverArgs: [smallLog],
  // The roots of other names have no password.
  firstStatements: ["DELETE FROM mysql.global_priv WHERE User='root' AND Host NOT IN ('localhost', '%')", 'FLUSH PRIVILEGES'],
};

export const mariadbRecipe = createMysqlRecipe(() => flavour);

async function fetchFromDebian(entry: EngineEntry, directory: string): Promise<void> {
  if (entry.origin.registry !== 'debian') throw new Failure('internal', `${entry.id} is not from Debian`);
  await fetchDebianPackages(entry.origin.suite, entry.origin.package, directory);
}

/** The directory of messages and scripts: `mysql` or `mariadb`, depending on the version. */
export function findShare(tree: string): string {
  const share = join(tree, 'usr/share');
  const name = readdirSync(share).find((candidate) => hasMessages(join(share, candidate)));
  if (name === undefined) throw new Failure('internal', `No server messages under ${share}`);
  return join(share, name);
}

function hasMessages(directory: string): boolean {
  return /\/m(ysql|ariadb)[^/]*$/.test(directory) && readdirSync(directory).includes('english');
}
