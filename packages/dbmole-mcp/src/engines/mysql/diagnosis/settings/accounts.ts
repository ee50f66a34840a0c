import { type Finding, readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../../engine.ts';

type Row = readonly (string | null)[];

const connectionShares = { medium: 0.8, high: 0.95 };

const quotedAccount = "concat('''', user, '''@''', host, '''')";
const openAccountsSql = `
select ${quotedAccount} from mysql.user where coalesce(authentication_string, '') = '' and account_locked = 'N'
  and plugin in ('mysql_native_password', 'caching_sha2_password', 'sha256_password') order by 1 limit 100`;
const isUsedInMaria = `u.is_role = 'N' and not exists (select 1 from mysql.global_priv g
    where g.user = u.user and g.host = u.host and json_value(g.priv, '$.account_locked') in ('1', 'true'))`;
const openAccountsOfMariaSql = `
select ${quotedAccount} from mysql.user u where coalesce(authentication_string, '') = ''
  and plugin in ('', 'mysql_native_password', 'ed25519') and ${isUsedInMaria} order by 1 limit 100`;

/** Accounts whose plugin the server no longer has, or whose password is to be changed first. */
const blockedSql = (condition: string) => `
select ${quotedAccount}, u.plugin, u.password_expired from mysql.user u where ${condition} and u.user not like 'mysql.%' and (u.password_expired = 'Y'
  or u.plugin <> '' and not exists (select 1 from information_schema.plugins p
    where p.plugin_name = u.plugin and p.plugin_type = 'AUTHENTICATION' and p.plugin_status = 'ACTIVE')) order by 1 limit 20`;

const usedUpSql = `
select ${quotedAccount}, u.max_user_connections, (select count(*) from information_schema.processlist p where p.user = u.user) as used
from mysql.user u where u.max_user_connections > 0 having used >= ${connectionShares.medium} * u.max_user_connections limit 20`;

/** Accounts that cannot log in, and those that others could log in as; undefined if this one may not see them. */
export async function checkAccounts(run: CatalogRun, maria: boolean): Promise<Finding[] | undefined> {
  const [open, blocked, usedUp] = await Promise.all([
    askIfAllowed(run, maria ? openAccountsOfMariaSql : openAccountsSql),
    askIfAllowed(run, blockedSql(maria ? isUsedInMaria : "u.account_locked = 'N'")),
    askIfAllowed(run, usedUpSql),
  ]);
  if (open === undefined) return undefined;
  return [
    ...judgeAccounts(open.map(([account]) => account ?? '')),
    ...(blocked ?? []).map(judgeBlocked),
    ...(usedUp ?? []).map(judgeUsedUp),
  ];
}

function judgeBlocked([account, plugin, expired]: Row): Finding {
  const isExpired = expired === 'Y';
  return {
    severity: 'medium',
    weight: 0,
    evidence: isExpired
      ? `the password of ${account} has expired`
      : `${account} logs in with ${plugin}, which this server does not have`,
    consequence: isExpired ? 'It can do nothing but change its password.' : 'The account cannot log in.',
    next: isExpired
      ? `ALTER USER ${account} IDENTIFIED BY '…'; or DROP USER ${account}, if it is no longer in use.`
      : `ALTER USER ${account} IDENTIFIED WITH caching_sha2_password BY '…'; or DROP USER ${account}, if it is no longer in use.`,
  };
}

function judgeUsedUp([account, limit, used]: Row): Finding {
  const share = readCount(used) / readCount(limit);
  return {
    severity: share >= connectionShares.high ? 'high' : 'medium',
    weight: share,
    evidence: `${account} uses ${used} of the ${limit} connections that it may have`,
    consequence: 'Its next clients are refused, although the server has room.',
    next: `diagnose check=activity for sessions that sit idle; or ALTER USER ${account} WITH MAX_USER_CONNECTIONS 0;`,
  };
}

function judgeAccounts(accounts: readonly string[]): Finding[] {
  const [first] = accounts;
  if (first === undefined) return [];
  return [
    {
      severity: 'high',
      weight: 2,
      evidence: `${accounts.length} ${accounts.length === 1 ? 'account has' : 'accounts have'} no password: ${accounts.slice(0, 5).join(', ')}${accounts.length > 5 ? ', …' : ''}`,
      consequence: 'Everyone who reaches the server can log in with it.',
      next: `ALTER USER ${first} IDENTIFIED BY '…'; or DROP USER ${first};`,
    },
  ];
}
