import { describe, expect, it } from 'vitest';
import { parseGrants } from './grants.ts';
import { listPowers } from './list-powers.ts';

const powersIn = (...lines: string[]) => listPowers(parseGrants(lines).grants, '');

describe('lines of SHOW GRANTS', () => {
  it('reads privileges by level, without their columns', () => {
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

  it('reads names in the quotes of ANSI_QUOTES, and a table named like a keyword', () => {
    expect(parseGrants(['GRANT INSERT ON "a""b"."FUNCTION" TO "u"@"%"']).grants).toMatchObject([
      { level: 'table', schema: 'a"b', name: 'FUNCTION' },
    ]);
  });

  it('lists the roles that grants name', () => {
    expect(parseGrants(['GRANT `a,b`@`%`,`c`@`%` TO `u`@`%`', 'SET DEFAULT ROLE `c` FOR `u`@`%`']).roles).toEqual([
      '`a,b`@`%`',
      '`c`@`%`',
    ]);
    expect(parseGrants(['GRANT `r``x` TO `u`@`%`']).roles).toEqual(['`r``x`']);
  });
});

describe('what rights let an account do', () => {
  it('lists no powers for privileges that only read', () => {
    expect(powersIn('GRANT USAGE, SHOW DATABASES ON *.* TO u', 'GRANT SELECT, SHOW VIEW ON `a`.* TO u')).toEqual([]);
    expect(powersIn('GRANT SHOW_ROUTINE ON *.* TO `u`@`%`')).toEqual([]);
  });

  it('lists powers by level', () => {
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

  it('shows which files are in reach', () => {
    const file = parseGrants(['GRANT FILE ON *.* TO u']).grants;
    expect(listPowers(file, '/var/files/')).toEqual(['read and write files of the server in /var/files/ (FILE)']);
    expect(listPowers(file, null)[0]).toContain('secure_file_priv switches off');
  });
});
