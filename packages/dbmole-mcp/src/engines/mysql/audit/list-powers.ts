import { formatCounted, formatNames } from '../../../audit/capabilities.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import type { Grant } from './grants.ts';

/** The folder of `secure_file_priv`: empty means every file, null none. */
type FileReach = string | null | undefined;

const reading = joinList('SELECT,SHOW VIEW,USAGE,SHOW DATABASES,SHOW_ROUTINE,SHOW CREATE ROUTINE');
const writing = joinList('ALL PRIVILEGES,INSERT,UPDATE,DELETE');
/** Privileges on tables and databases; all others are on the server. */
const ofObjects = joinList(
  `ALL PRIVILEGES,INSERT,UPDATE,DELETE,CREATE,DROP,ALTER,INDEX,REFERENCES,TRIGGER,CREATE VIEW,CREATE TEMPORARY TABLES,LOCK TABLES,EVENT,EXECUTE,CREATE ROUTINE,ALTER ROUTINE,DELETE HISTORY`,
);

/** Lists what the grants allow beyond reading. */
export function listPowers(grants: readonly Grant[], files: FileReach): string[] {
  const rights = grants.map((grant) => ({ ...grant, privileges: grant.privileges.filter((name) => !reading.has(name)) }));
  const at = (level: Grant['level']) => rights.filter((grant) => grant.level === level && grant.privileges.length > 0);
  const server = new Set(at('server').flatMap(({ privileges }) => privileges));
  const everywhere = [...server].filter((name) => ofObjects.has(name));
  return [
    ...serverPowers(server, files),
    ...(everywhere.length > 0 ? [`${readVerb(everywhere)} every database (${formatPrivileges(everywhere)})`] : []),
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
    'CREATE USER': 'create, change and drop accounts',
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

/** Groups databases with the same rights. */
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
    return `${readVerb(privileges)} ${what} ${formatNames(names)} (${formatPrivileges(privileges)})`;
  });
}

function tablePowers(grants: readonly Grant[]): string[] {
  if (grants.length === 0) return [];
  const names = [...new Set(grants.map(({ schema, name }) => `${formatIdentifier(schema)}.${formatIdentifier(name)}`))];
  const privileges = grants.flatMap((grant) => grant.privileges);
  return [`${readVerb(privileges)} ${formatCounted(names.length, ['table', 'tables'], names)}`];
}

function routinePowers(grants: readonly Grant[]): string[] {
  if (grants.length === 0) return [];
  const names = grants.map(({ schema, name }) => `${formatIdentifier(schema)}.${formatIdentifier(name)}`);
  return [`run ${formatCounted(names.length, ['stored routine', 'stored routines'], names)}`];
}

function readVerb(privileges: readonly string[]): string {
  return privileges.some((name) => writing.has(name)) ? 'write to' : 'do more than read in';
}

function formatPrivileges(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(', ');
  return names.length > 4 ? `${shown} and ${names.length - 4} more` : shown;
}

function joinList(text: string): ReadonlySet<string> {
  return new Set(text.split(','));
}
