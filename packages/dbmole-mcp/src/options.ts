import type { ProgramFlag, ProgramSetting } from '@dbmole/core';

/** Options of this server alone, in a file of their own for the front of `--shared`, which loads nothing else of it. */
export const exportSetting: ProgramSetting = {
  name: 'export-dir',
  value: 'DIR',
  help: 'let export_query create files in DIR',
  isPath: true,
};

export const demoFlag: ProgramFlag = {
  name: 'demo',
  help: 'add a sample database on SQLite, or with --demo=postgres on PostgreSQL, which npm fetches at the first use',
  words: ['sqlite', 'postgres'],
};

/**
 * Variables that the readers of these files, or the programs behind them, look at, and the one for the process of SQLite: sessions that
 * differ in one share no process.
 */
export const passwordVariables = /^(?:PG|MYSQL|MARIADB|DBMOLE_NODE$)/;
