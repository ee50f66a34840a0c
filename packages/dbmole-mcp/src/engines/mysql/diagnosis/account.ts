import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';

/** The account of this session as a GRANT names it. */
export async function readAccount(run: CatalogRun): Promise<string> {
  const [[account] = []] = await run('select current_user()');
  return formatAccount(account ?? '');
}

function formatAccount(account: string): string {
  const at = account.lastIndexOf('@');
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return `${quote(account.slice(0, at))}@${quote(account.slice(at + 1))}`;
}

/** Any of these shows a table to an account. */
const seeing = "'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'ALTER', 'INDEX', 'DROP', 'REFERENCES', 'TRIGGER'";
const grantee = `concat('''', substring_index(current_user(), '@', 1), '''@''', substring_index(current_user(), '@', -1), '''')`;

/** Rights on everything, on the schema, and whether a role brings others, which these views do not show. */
const rightsSql = `
select (select count(*) from information_schema.user_privileges where grantee = ${grantee} and privilege_type in (${seeing})),
  (select count(*) from information_schema.schema_privileges
    where grantee = ${grantee} and privilege_type in (${seeing}) and cast(? as char) like table_schema),
  coalesce(current_role(), 'NONE')`;

/** A sentence when the server shows this account only the tables on which it has rights of their own. */
export async function describeHiddenTables(run: CatalogRun, schema: string | undefined): Promise<string | undefined> {
  const [[all, own, role] = []] = await run(rightsSql, [schema ?? '']);
  if (all !== '0' || own !== '0' || role !== 'NONE') return undefined;
  const where = schema === undefined ? '*.*' : `${formatIdentifier(schema)}.*`;
  return `Tables without rights of this account are hidden; GRANT SELECT ON ${where} TO ${await readAccount(run)}; shows them.`;
}
