import { HttpProcess, openHttpClient } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { formatSlowRead } from './slow-read.ts';

const engine = useEngine('postgres18', { shared: true });

describe('the metrics of serve', () => {
  it('show which connections are open, and the errors of the database', async () => {
    const { host, port, user, password, scheme } = engine();
    const connections = ['used', 'unused'].map((name) => ({ name, type: scheme, host, port, user, password }));
    const env = { DBMOLE_CONNECTIONS: JSON.stringify(connections) };
    const server = await new HttpProcess({ file: bin, args: ['--metrics', '0'], env }).listening();
    const [url = ''] = /http:\/\/\S+\/metrics/.exec(server.stdout) ?? [];
    const readMetrics = async () => (await (await fetch(url)).text()).split('\n');
    expect(await readMetrics()).not.toContain('mole_connection_open{connection="used"} 1');
    const client = await openHttpClient('current, newer era', server);
    await client.call('query', { connection: 'used', sql: 'select 1' });
    await client.call('query', { connection: 'used', sql: 'select nothing' });
    const lines = await readMetrics();
    expect(lines).toContain('mole_connection_open{connection="used"} 1');
    expect(lines).toContain('mole_connection_unconfirmed_statements{connection="used"} 0');
    expect(lines.filter((line) => line.includes('unused'))).toEqual([]);
    expect(lines).toContain('mole_calls_total{tool="query",outcome="ok"} 1');
    expect(lines).toContain('mole_calls_total{tool="query",outcome="error"} 1');
    expect(lines.filter((line) => line.startsWith('mole_call_errors_total{tool="query",code="E_'))).toHaveLength(1);
    expect(lines).toContain('mole_call_duration_seconds_count{tool="query"} 2');
    expect(lines).toContain('mole_pool_sessions{connection="used"} 1');
    const sql = formatSlowRead('postgres', 'waits for a session');
    const calls = Array.from({ length: 6 }, () => client.call('query', { connection: 'used', sql }).catch(() => undefined));
    await expect.poll(readMetrics, { timeout: 10_000 }).toContain('mole_pool_waiting_calls{connection="used"} 2');
    expect(await readMetrics()).toContain('mole_pool_sessions{connection="used"} 4');
    await client.close();
    await Promise.all(calls);
    await server.stop();
  });
});
