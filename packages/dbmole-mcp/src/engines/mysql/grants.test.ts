import { describe, expect, it } from 'vitest';
import { powersOf } from './audit-powers.ts';
import { parseGrants } from './grants.ts';

const powersIn = (...lines: string[]) => powersOf(parseGrants(lines).grants, '');

describe('lines of SHOW GRANTS', () => {
  it('are read by level, without their columns', () => {
    const { grants } = parseGrants([
      'GRANT SELECT (`b`), INSERT (`a`, `to, on`), UPDATE ON `my``shop`.`or``ders` TO `u`@`%`',
      "GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*00' WITH GRANT OPTION",
      'GRANT LOCK TABLES ON `my\\_shop`.* TO `u`@`%`',
      'GRANT EXECUTE ON FUNCTION `s`.`f` TO `u`@`%`',
    ]);
    expect(grants).toEqual([
      { privileges: ['SELECT', 'INSERT', 'UPDATE'], level: 'table', schema: 'my`shop', name: 'or`ders', passesOn: false },
      { privileges: ['USAGE'], level: 'server', schema: '', name: '', passesOn: true },
      { privileges: ['LOCK TABLES'], level: 'database', schema: 'my_shop', name: '', passesOn: false },
      { privileges: ['EXECUTE'], level: 'routine', schema: 's', name: 'f', passesOn: false },
    ]);
  });

  it('are read in the quotes of ANSI_QUOTES, and a table may be called like a word', () => {
    expect(parseGrants(['GRANT INSERT ON "a""b"."FUNCTION" TO "u"@"%"']).grants).toMatchObject([
      { level: 'table', schema: 'a"b', name: 'FUNCTION' },
    ]);
  });

  it('name roles', () => {
    expect(parseGrants(['GRANT `a,b`@`%`,`c`@`%` TO `u`@`%`', 'SET DEFAULT ROLE `c` FOR `u`@`%`']).roles).toEqual([
      '`a,b`@`%`',
      '`c`@`%`',
    ]);
    expect(parseGrants(['GRANT `r``x` TO `u`@`%`']).roles).toEqual(['`r``x`']);
  });
});

describe('what rights let an account do', () => {
  it('is nothing when all of them read', () => {
    expect(powersIn('GRANT USAGE, SHOW DATABASES ON *.* TO u', 'GRANT SELECT, SHOW VIEW ON `a`.* TO u')).toEqual([]);
    expect(powersIn('GRANT SHOW_ROUTINE ON *.* TO `u`@`%`')).toEqual([]);
  });

  it('is said by level', () => {
    expect(powersIn('GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION')).toEqual([
      'do anything on the whole server',
      'write to every database (ALL PRIVILEGES)',
      'give its rights to others',
    ]);
    expect(
      powersIn('GRANT FILE, BINLOG_ADMIN ON *.* TO u', 'GRANT EXECUTE ON `a`.* TO u', 'GRANT EXECUTE ON `b-c`.* TO u'),
    ).toEqual([
      'read and write files of the server anywhere (FILE)',
      'use BINLOG_ADMIN on the server',
      'do more than read in databases a, `b-c` (EXECUTE)',
    ]);
    expect(powersIn('GRANT SELECT, UPDATE (`x`) ON `a`.`t` TO u', 'GRANT EXECUTE ON PROCEDURE `a`.`p` TO u')).toEqual([
      'write to 1 table (a.t)',
      'run 1 stored routine (a.p)',
    ]);
  });

  it('says where files are within reach', () => {
    const file = parseGrants(['GRANT FILE ON *.* TO u']).grants;
    expect(powersOf(file, '/var/files/')).toEqual(['read and write files of the server in /var/files/ (FILE)']);
    expect(powersOf(file, null)[0]).toContain('secure_file_priv switches off');
  });
});
