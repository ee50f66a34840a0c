import { notARead } from './refuse.ts';
import { noToken, type Token } from './tokens.ts';

const modifiers: ReadonlySet<string> = new Set(['FULL', 'EXTENDED', 'GLOBAL', 'SESSION', 'LOCAL', 'ALL', 'STORAGE', 'COUNT']);

/** All of them only say something. Those of logs and of replication need rights that go beyond reading, and the server asks for them. */
const shown: ReadonlySet<string> = new Set(
  `AUTHORS BINARY BINLOG CHARACTER CHARSET CLIENT_STATISTICS COLLATION COLUMNS CONTRIBUTORS CREATE DATABASES ENGINE ENGINES ERRORS
  EVENTS FIELDS FUNCTION GRANTS INDEX INDEXES INDEX_STATISTICS KEYS LIBRARY LOCALES MASTER OPEN PACKAGE PLUGINS PRIVILEGES PROCEDURE
  PROCESSLIST PROFILE PROFILES QUERY_RESPONSE_TIME RELAYLOG REPLICA REPLICAS SCHEMAS SLAVE SLAVES STATUS TABLE TABLES
  TABLE_STATISTICS TRIGGERS USER_STATISTICS USER_VARIABLES VARIABLES WARNINGS WSREP_MEMBERSHIP WSREP_STATUS`.split(/\s+/),
);

export function refuseShow(tokens: readonly Token[]): void {
  let at = 1;
  while (modifiers.has(tokens[at]?.word ?? '')) at += 1;
  const { word, start } = tokens[at] ?? noToken;
  if (word === 'ENGINE') refuseStatus(tokens, at);
  // `SHOW COUNT(*) WARNINGS`
  if (shown.has(word) || word === '(') return;
  const others = word === 'EXPLAIN' || word === 'ANALYZE';
  throw notARead({
    message: others ? `SHOW ${word} looks into a statement of another session` : `SHOW ${word} is not known to be a read`,
    hint: others ? 'Explain the statement itself.' : 'Query information_schema instead.',
    at: start,
  });
}

/** That of InnoDB shows averages since it was last shown to anyone. It may be called by other names, or be one of ALL. */
function refuseStatus(tokens: readonly Token[], at: number): void {
  if (tokens[at + 2]?.word !== 'STATUS' || tokens[at + 1]?.word === 'PERFORMANCE_SCHEMA') return;
  throw notARead({
    message: 'SHOW ENGINE … STATUS restarts the averages that it shows',
    hint: "SHOW GLOBAL STATUS LIKE 'Innodb%' and the tables INNODB_METRICS and INNODB_TRX of information_schema show more.",
    at: tokens[at]?.start ?? 0,
  });
}
