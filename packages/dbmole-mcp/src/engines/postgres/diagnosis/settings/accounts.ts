import type { Finding } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../../engine.ts';

type Row = readonly (string | null)[];

/** Who may log in from where without a password, and lines that the server cannot read. Administrators only see them. */
const rulesSql = `
select h.line_number::text, h.type, pg_catalog.array_to_string(h.database, ','), pg_catalog.array_to_string(h.user_name, ','),
  pg_catalog.concat_ws(' ', h.address, h.netmask), h.error
from pg_catalog.pg_hba_file_rules h
where h.error is not null or h.type like 'host%' and h.auth_method = 'trust'
  and h.address not in ('127.0.0.1', '::1', 'localhost', 'samehost') limit 20`;

const expiredSql = `
select pg_catalog.quote_ident(r.rolname), pg_catalog.to_char(r.rolvaliduntil, 'YYYY-MM-DD HH24:MI')
from pg_catalog.pg_roles r where r.rolcanlogin and r.rolvaliduntil < pg_catalog.now() order by r.rolname limit 20`;

const weakSql = `
select pg_catalog.quote_ident(a.rolname) from pg_catalog.pg_authid a where a.rolcanlogin and a.rolpassword like 'md5%' order by 1 limit 100`;

/** Roles that cannot log in, and those that others could log in as. */
export async function checkAccounts(run: CatalogRun): Promise<Finding[]> {
  const [rules, expired, weak] = await Promise.all([askIfAllowed(run, rulesSql), run(expiredSql), askIfAllowed(run, weakSql)]);
  return [
    ...(rules ?? []).map((row) => (row[5] === null ? judgeTrust(row) : judgeError(row))),
    ...expired.map(judgeExpired),
    ...judgeWeak((weak ?? []).map(([role]) => role ?? '')),
  ];
}

function judgeError([line, , , , , error]: Row): Finding {
  return {
    severity: 'high',
    weight: 2,
    evidence: `line ${line} of pg_hba.conf has an error: ${error}`,
    consequence: 'Changes of the file are not loaded, and after a restart the server lets no one in.',
    next: 'select line_number, error from pg_hba_file_rules where error is not null; correct it, then select pg_reload_conf();',
  };
}

function judgeTrust([line, type, databases, users, address]: Row): Finding {
  return {
    severity: 'high',
    weight: 1,
    evidence: `line ${line} of pg_hba.conf trusts ${users} from ${address} in ${databases} without a password (${type})`,
    consequence: 'Everyone who reaches the server from there can log in as these roles.',
    next: 'Write scram-sha-256 instead of trust there, then select pg_reload_conf();',
  };
}

function judgeExpired([role, until]: Row): Finding {
  return {
    severity: 'medium',
    weight: 0,
    evidence: `the password of role ${role} has been invalid since ${until}`,
    consequence: 'The role cannot log in with it.',
    next: `ALTER ROLE ${role} VALID UNTIL 'infinity'; or DROP ROLE ${role}, if it is no longer in use.`,
  };
}

function judgeWeak(roles: readonly string[]): Finding[] {
  const [first] = roles;
  if (first === undefined) return [];
  return [
    {
      severity: 'low',
      weight: roles.length,
      evidence: `${roles.length} ${roles.length === 1 ? 'role has its password' : 'roles have their passwords'} stored as md5: ${roles.slice(0, 5).join(', ')}${roles.length > 5 ? ', …' : ''}`,
      consequence: 'A copy of it is enough to log in, and later versions of the server no longer take it.',
      next: `Set it again with password_encryption = 'scram-sha-256': ALTER ROLE ${first} PASSWORD '…';`,
    },
  ];
}
