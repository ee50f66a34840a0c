/** Variables that the readers of these files, or the programs behind them, look at: sessions that differ in one share no process. */
export const passwordVariables = /^(?:PG|MYSQL|MARIADB)/;
