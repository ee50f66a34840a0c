import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import type { ConnectionStatus } from '../../manager/backend.ts';
import { RunningCalls } from '../../tools/running-calls.ts';
import { createMetrics } from './metrics.ts';
import { listenForMetrics, type MetricsListener } from './metrics-listener.ts';

const listeners: MetricsListener[] = [];

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

function open(statuses: Record<string, ConnectionStatus> = {}) {
  const calls = new RunningCalls();
  const connections = { statuses: () => new Map(Object.entries(statuses)) };
  const metrics = createMetrics({ name: 'thing-mcp', version: '1.2.3', calls, connections });
  calls.onAnswered(metrics.observe);
  return { calls, metrics, lines: () => metrics.text().split('\n') };
}

const answered = (milliseconds: number, failure?: Failure) => ({
  tool: 'query',
  failure,
  isError: failure !== undefined,
  milliseconds,
});

describe('metrics', () => {
  it('counts calls by tool and outcome, and errors by code', () => {
    const { calls, lines } = open();
    const end = (tool: string, failure?: Failure) => calls.end(calls.begin(), { tool, failure, isError: failure !== undefined });
    end('query');
    end('query');
    end('list_tables', new Failure('unknown', 'x'));
    end('query', new Failure('cancelled', 'x', { code: 'E_SHUTTING_DOWN' }));
    calls.end(calls.begin(), { tool: 'query', failure: undefined, isError: true });
    expect(lines()).toEqual(
      expect.arrayContaining([
        '# TYPE mole_calls_total counter',
        'mole_calls_total{tool="query",outcome="ok"} 2',
        'mole_calls_total{tool="list_tables",outcome="error"} 1',
        'mole_calls_total{tool="query",outcome="cancelled"} 1',
        'mole_calls_total{tool="query",outcome="error"} 1',
        'mole_call_errors_total{tool="list_tables",code="E_UNKNOWN"} 1',
        'mole_call_errors_total{tool="query",code="E_SHUTTING_DOWN"} 1',
        'mole_build_info{name="thing-mcp",version="1.2.3"} 1',
      ]),
    );
  });

  it('shows the calls that are running', () => {
    const { calls, lines } = open();
    const controller = calls.begin();
    expect(lines()).toContain('mole_calls_running 1');
    calls.end(controller, { tool: 'query', failure: undefined, isError: false });
    expect(lines()).toContain('mole_calls_running 0');
  });

  it('keeps a cumulative histogram of durations for each tool', () => {
    const { metrics, lines } = open();
    for (const milliseconds of [1, 1.5, 30, 400_000]) metrics.observe(answered(milliseconds));
    const read = (le: string) =>
      lines().find((line) => line.startsWith(`mole_call_duration_seconds_bucket{tool="query",le="${le}"}`));
    expect(['0.001', '0.0025', '0.025', '0.05', '300', '+Inf'].map((le) => read(le)?.split(' ')[1])).toEqual([
      ...['1', '2', '2', '3', '3', '4'],
    ]);
    expect(lines()).toContain('mole_call_duration_seconds_count{tool="query"} 4');
    expect(lines()).toContain('mole_call_duration_seconds_sum{tool="query"} 400.0325');
  });

  it('shows connections and their tunnels, with escaped names', () => {
    const { lines } = open({
      shop: { state: 'open', pool: { sessions: 4, waiting: 7 }, tunnel: { state: 'ready', hops: ['a'], channels: 3 } },
      'a"b\\c\nd': { state: 'failed', unconfirmed: 2, tunnel: { state: 'lost', hops: [], channels: 0 } },
      file: { state: 'closed' },
    });
    expect(lines()).toEqual(
      expect.arrayContaining([
        'mole_connection_open{connection="shop"} 1',
        'mole_connection_open{connection="a\\"b\\\\c\\nd"} 0',
        'mole_connection_open{connection="file"} 0',
        'mole_connection_unconfirmed_statements{connection="a\\"b\\\\c\\nd"} 2',
        'mole_pool_sessions{connection="shop"} 4',
        'mole_pool_waiting_calls{connection="shop"} 7',
        'mole_tunnel_open{connection="shop"} 1',
        'mole_tunnel_open{connection="a\\"b\\\\c\\nd"} 0',
        'mole_tunnel_channels{connection="shop"} 3',
      ]),
    );
    expect(lines().filter((line) => line.includes('file'))).toHaveLength(2);
  });

  it('writes nothing but the text format of Prometheus', () => {
    const { metrics } = open({ shop: { state: 'open' } });
    metrics.observe(answered(5, new Failure('timeout', 'x')));
    const line = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="(\\[\\"n]|[^"\\\n])*",?)+\})? [0-9.e+]+)$/;
    expect(
      metrics
        .text()
        .split('\n')
        .slice(0, -1)
        .filter((text) => !line.test(text)),
    ).toEqual([]);
    expect(metrics.text().endsWith('\n')).toBe(true);
  });
});

describe('the listener for metrics', () => {
  const listen = async (port = 0) => {
    const listener = await listenForMetrics(port, open().metrics);
    listeners.push(listener);
    return listener;
  };

  const ask = (url: string, options: { method?: string; headers?: Record<string, string> }) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(url, options, async (response) => {
        const chunks: Buffer[] = await response.toArray();
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') });
      });
      asked.on('error', reject).end();
    });

  it('serves the metrics on loopback', async () => {
    const { url } = await listen();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('mole_calls_running 0\n');
  });

  it.each([
    ['another path', '/', {}, 404],
    ['another method', '/metrics', { method: 'POST' }, 405],
    ['a foreign host', '/metrics', { headers: { host: 'evil.example.com' } }, 403],
    ['a page of another site', '/metrics', { headers: { origin: 'https://evil.example.com' } }, 403],
  ])('refuses %s', async (_title, path, options, status) => {
    const { url } = await listen();
    const answer = await ask(new URL(path, url).href, options);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('mole_calls');
  });

  it('names the port that is taken', async () => {
    const { url } = await listen();
    const { port } = new URL(url);
    await expect(listen(Number(port))).rejects.toMatchObject({
      code: 'E_PORT_TAKEN',
      message: `port ${port} for --metrics cannot be used (EADDRINUSE)`,
    });
  });
});
