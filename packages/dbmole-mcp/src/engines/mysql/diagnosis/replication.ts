import { type CheckReport, type Finding, formatSeconds, joinFacts, readCount, readNumber, reportUnavailable } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';
import { readAccount } from './account.ts';

type Row = readonly (string | null)[];

const lagSeconds = { medium: 60, high: 600 };

/** One row for each channel: name, receiving, applying, seconds behind, last error. */
const channelsSql = `
select c.channel_name, r.service_state, a.service_state,
  timestampdiff(second, (select min(nullif(w.applying_transaction_original_commit_timestamp, 0))
    from performance_schema.replication_applier_status_by_worker w where w.channel_name = c.channel_name), now()),
  concat_ws('; ', nullif(r.last_error_message, ''), (select max(nullif(w.last_error_message, ''))
    from performance_schema.replication_applier_status_by_worker w where w.channel_name = c.channel_name),
    (select max(nullif(d.last_error_message, '')) from performance_schema.replication_applier_status_by_coordinator d
      where d.channel_name = c.channel_name))
from performance_schema.replication_connection_configuration c
  join performance_schema.replication_connection_status r on r.channel_name = c.channel_name
  join performance_schema.replication_applier_status a on a.channel_name = c.channel_name
where c.channel_name not like 'group\\_replication%' limit 50`;

/** Replicas that are connected to this server. */
const dumpsSql = `
select count(*) from information_schema.processlist where command in ('Binlog Dump', 'Binlog Dump GTID')`;

export async function checkReplication(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const { maria } = await readContext(run);
  const [channels, [dumps = []]] = await Promise.all([
    maria ? readChannelsOfMaria(run) : askIfAllowed(run, channelsSql),
    run(dumpsSql),
  ]);
  if (channels === undefined) {
    return reportUnavailable(
      'the account may not see the state of replication',
      `GRANT ${maria ? 'REPLICA MONITOR ON *.*' : 'SELECT ON performance_schema.*'} TO ${await readAccount(run)};`,
    );
  }
  const replicas = readCount(dumps[0]);
  return {
    findings: channels.flatMap((row) => judgeChannel(row, maria)),
    listing: channels.slice(0, limit).map(formatChannel),
    notes: [
      channels.length === 0
        ? 'This server is not a replica.'
        : `This server is a replica with ${formatNumber(channels.length, 'channel')}.`,
      replicas === 0
        ? 'No replica reads from it.'
        : `${formatNumber(replicas, 'replica')} ${replicas === 1 ? 'reads' : 'read'} from it; the lag is known only there.`,
    ],
  };
}

/** The columns of SHOW ALL SLAVES STATUS by their place, which has been the same since MariaDB 10.5. */
async function readChannelsOfMaria(run: CatalogRun): Promise<readonly Row[] | undefined> {
  const rows = await askIfAllowed(run, 'SHOW ALL SLAVES STATUS');
  return rows?.map((row) => {
    // Connection_name, Slave_SQL_State, Slave_IO_State, then those of SHOW SLAVE STATUS from Master_Host on.
    const [ioRunning, sqlRunning] = [row[12], row[13]];
    const errors = [row[37], row[39]].filter((text) => text !== null && text !== undefined && text !== '');
    return [
      row[0] ?? '',
      { Yes: 'ON', No: 'OFF' }[ioRunning ?? ''] ?? 'CONNECTING',
      sqlRunning === 'Yes' ? 'ON' : 'OFF',
      row[34] ?? null,
      errors.join('; '),
    ];
  });
}

function formatNumber(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function formatName([name]: Row): string {
  return name === '' || name === null ? 'the default channel' : `channel "${name}"`;
}

function formatChannel(row: Row): string {
  return `${formatName(row)}: ${formatState(row)}`;
}

function formatState([, receiving, applying, seconds, error]: Row): string {
  const lag = readNumber(seconds);
  return joinFacts(
    `receiving ${receiving}`,
    `applying ${applying}`,
    lag !== undefined && `${formatSeconds(Math.max(0, lag))} behind`,
    hasText(error) && `error: ${shortenError(error)}`,
  );
}

function hasText(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && text !== '';
}

/** It comes without the statement, in which there may be secrets, and what the coordinator repeats. */
function shortenError(error: string): string {
  const [first = ''] = error.split(/ Default database: |; Coordinator stopped /, 1);
  return first;
}

function judgeChannel(row: Row, maria: boolean): Finding[] {
  const [, receiving, applying, seconds] = row;
  const lag = Math.max(0, readCount(seconds));
  const isStopped = receiving !== 'ON' || applying !== 'ON';
  if (!isStopped && lag < lagSeconds.medium) return [];
  const state = receiving === 'CONNECTING' ? 'does not reach its source' : 'is stopped';
  return [
    {
      severity: isStopped || lag >= lagSeconds.high ? 'high' : 'medium',
      weight: isStopped ? Number.MAX_SAFE_INTEGER : lag,
      evidence: isStopped
        ? `replication of ${formatName(row)} ${state}: ${formatState(row)}`
        : `${formatName(row)} is ${formatSeconds(lag)} behind`,
      consequence: 'Reads here are old, and a failover to this server would lose what is missing.',
      next: isStopped
        ? adviseStopped(row, maria)
        : 'diagnose check=activity and check=locks for what holds back its workers; a table without a primary key makes them slow.',
    },
  ];
}

function adviseStopped([name, receiving, , , error]: Row, maria: boolean): string {
  const start = `START REPLICA${hasText(name) ? `${maria ? '' : ' FOR CHANNEL'} '${name}'` : ''};`;
  if (receiving === 'CONNECTING')
    return 'Repair what the error names: the address, the account or the network; it tries again by itself.';
  return hasText(error) ? `Repair what the error names; then ${start}` : `Unless it was stopped on purpose: ${start}`;
}
