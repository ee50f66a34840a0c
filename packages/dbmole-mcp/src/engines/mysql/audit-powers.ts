import { formatCounted, formatNames } from '../../audit/names.ts';
import type { Grant } from './grants.ts';
import { formatIdentifier } from './identifiers.ts';

/** Where FILE reaches: everywhere when empty, nowhere when null. */
export type FileReach = string | null | undefined;

const reading = listOf('SELECT,SHOW VIEW,USAGE,SHOW DATABASES,SHOW_ROUTINE,SHOW CREATE ROUTINE');
const writing = listOf('ALL PRIVILEGES,INSERT,UPDATE,DELETE');
/** Of tables and databases; everything else is of the server. */
const ofObjects = listOf(
  `ALL PRIVILEGES,INSERT,UPDATE,DELETE,CREATE,DROP,ALTER,INDEX,REFERENCES,TRIGGER,CREATE VIEW,CREATE TEMPORARY TABLES,LOCK TABLES,EVENT,EXECUTE,CREATE ROUTINE,ALTER ROUTINE,DELETE HISTORY`,
);

/** What these let the account do, as far as it is more than reading. */
export function powersOf(grants: readonly Grant[], files: FileReach): string[] {
  const rights = grants.map((grant) => ({ ...grant, privileges: grant.privileges.filter((name) => !reading.has(name)) }));
  const at = (level: Grant['level']) => rights.filter((grant) => grant.level === level && grant.privileges.length > 0);
  const server = new Set(at('server').flatMap(({ privileges }) => privileges));
  const everywhere = [...server].filter((name) => ofObjects.has(name));
  return [
    ...serverPowers(server, files),
    ...(everywhere.length > 0 ? [`${verbOf(everywhere)} every database (${formatPrivileges(everywhere)})`] : []),
    ...databasePowers(at('database')),
    ...tablePowers(at('table')),
    ...routinePowers(at('routine')),
    ...(grants.some(({ passesOn }) => passesOn) ? ['give its rights to others'] : []),
  ];
}

function serverPowers(privileges: ReadonlySet<string>, files: FileReach): string[] {
  if (privileges.has('ALL PRIVILEGES')) return ['do anything on the whole server'];
  const known: Readonly<Record<string, string>> = {
    FILE: `read and write files of the server ${formatReach(files)}`,
    SUPER: 'change how the server runs (SUPER)',
    'CREATE USER': 'make, change and drop accounts',
    SHUTDOWN: 'stop the server',
    PROCESS: 'see the statements of other accounts (PROCESS)',
    PROXY: 'act as other accounts (PROXY)',
  };
  const others = [...privileges].filter((name) => !ofObjects.has(name) && known[name] === undefined);
  return [
    ...Object.keys(known).flatMap((name) => (privileges.has(name) ? [known[name] ?? ''] : [])),
    ...(others.length > 0 ? [`use ${formatPrivileges(others)} on the server`] : []),
  ];
}

function formatReach(files: FileReach): string {
  if (files === undefined) return '(FILE)';
  if (files === null) return '(FILE, which secure_file_priv switches off)';
  return files === '' ? 'anywhere (FILE)' : `in ${files} (FILE)`;
}

/** Those with the same rights together. */
function databasePowers(grants: readonly Grant[]): string[] {
  const groups = new Map<string, { privileges: readonly string[]; names: string[] }>();
  for (const { privileges, schema } of grants) {
    const key = privileges.join();
    const group = groups.get(key) ?? { privileges, names: [] };
    group.names.push(formatIdentifier(schema));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ privileges, names }) => {
    const what = names.length === 1 ? 'database' : 'databases';
    return `${verbOf(privileges)} ${what} ${formatNames(names)} (${formatPrivileges(privileges)})`;
  });
}

function tablePowers(grants: readonly Grant[]): string[] {
  if (grants.length === 0) return [];
  const names = [...new Set(grants.map(({ schema, name }) => `${formatIdentifier(schema)}.${formatIdentifier(name)}`))];
  const privileges = grants.flatMap((grant) => grant.privileges);
  return [`${verbOf(privileges)} ${formatCounted(names.length, ['table', 'tables'], names)}`];
}

function routinePowers(grants: readonly Grant[]): string[] {
  if (grants.length === 0) return [];
  const names = grants.map(({ schema, name }) => `${formatIdentifier(schema)}.${formatIdentifier(name)}`);
  return [`run ${formatCounted(names.length, ['stored routine', 'stored routines'], names)}`];
}

function verbOf(privileges: readonly string[]): string {
  return privileges.some((name) => writing.has(name)) ? 'write to' : 'do more than read in';
}

function formatPrivileges(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(', ');
  return names.length > 4 ? `${shown} and ${names.length - 4} more` : shown;
}

function listOf(text: string): ReadonlySet<string> {
  return new Set(text.split(','));
}
