import { describe, expect, it, onTestFinished } from 'vitest';
import { respond } from '../../answer/respond.ts';
import { Failure } from '../../failure.ts';
import { openOtlpCollector } from '../../testing/http/otlp-collector.ts';
import type { StatementFacts } from '../../tools/call-record.ts';
import { Recorder } from '../recorder.ts';
import { openTelemetry } from './telemetry.ts';

const text = { text: 'select a from orders where b = ?', fingerprint: 'f', summary: 'SELECT orders' };
const statement: StatementFacts = { kind: 'read', system: 'thing', database: 'shop', describe: () => text };
const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function open(env: Record<string, string> = {}) {
  const collector = await openOtlpCollector();
  onTestFinished(() => collector.close());
  const events: string[] = [];
  const log = (level: string, message: string) => void events.push(`${level}: ${message}`);
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '5', ...env };
  const sink = openTelemetry(all, { name: 'thing-mcp', version: '1.0', log });
  const recorder = new Recorder({ program: 'thing-mcp', isTagged: false, sinks: [sink] });
  const call = (traceparent: string | undefined, error?: Failure) => {
    const about = { id: 7, client: { name: 'cursor', version: '1' }, protocol: '2025-11-25', traceparent };
    const record = recorder.begin({ tool: 'query', about, origin: { door: 'stdio' } });
    record.found({ name: 'shop', readonly: true, facts: { user: 'app', host: 'db', port: '5432' } });
    record.begin(statement)(error === undefined ? { rows: 3 } : { error });
    record.end({ failure: error, reply: error === undefined ? respond.text('x') : respond.failure(error) });
  };
  return { collector, recorder, events, call };
}

const readAttributes = (attributes: readonly { key: string; value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('telemetry', () => {
  it('has a span for the call below that of its client, one for each statement, and durations', async () => {
    const { collector, recorder, call } = await open({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-a=1',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=test',
      OTEL_SERVICE_NAME: 'shop-reader',
    });
    call(parent);
    call(undefined, new Failure('engine', 'no', { code: 'E_SYNTAX', engineCode: '42601' }));
    call(undefined, new Failure('refused', 'no', { code: 'E_NOT_A_READ' }));
    await recorder.close();
    expect(collector.problems).toEqual([]);
    expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer abc', 'x-a': '1', 'content-type': 'application/json' });
    const [own, query, failed, failedQuery, refused, ...others] = collector.spans;
    expect(own).toMatchObject({
      ...{ name: 'tools/call query', kind: 2, traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentSpanId: '00f067aa0ba902b7' },
      status: { code: 0 },
    });
    expect(readAttributes(own?.attributes ?? [])).toEqual({
      ...{ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'query', 'gen_ai.operation.name': 'execute_tool' },
      ...{ 'mcp.protocol.version': '2025-11-25', 'network.transport': 'pipe', 'jsonrpc.request.id': '7' },
      ...{ 'mole.client.name': 'cursor', 'mole.connection': 'shop' },
    });
    expect(query).toMatchObject({ name: 'SELECT orders', kind: 3, traceId: own?.traceId, parentSpanId: own?.spanId });
    expect(readAttributes(query?.attributes ?? [])).toEqual({
      ...{ 'db.system.name': 'thing', 'db.namespace': 'shop', 'db.operation.name': 'SELECT' },
      ...{ 'db.query.summary': 'SELECT orders', 'db.query.text': text.text, 'db.response.returned_rows': '3' },
      ...{ 'server.address': 'db', 'server.port': '5432' },
    });
    expect(readAttributes(failed?.attributes ?? [])).toMatchObject({ 'error.type': 'tool_error', 'mole.error.code': 'E_SYNTAX' });
    expect(readAttributes(failedQuery?.attributes ?? [])).toMatchObject({
      ...{ 'db.response.status_code': '42601', 'error.type': '42601' },
    });
    expect(failedQuery?.status).toEqual({ code: 2 });
    // What was refused was never sent to a database.
    expect(refused?.name).toBe('tools/call query');
    expect(others).toEqual([]);
    expect(collector.metrics.map(({ name }) => name)).toEqual(['mcp.server.operation.duration', 'db.client.operation.duration']);
    const counts = collector.metrics.map(({ histogram }) => histogram.dataPoints.map((point) => Number(point.count)));
    expect(counts).toEqual([
      [1, 2],
      [1, 1],
    ]);
    expect(collector.text).toContain('"stringValue":"shop-reader"');
  });

  it('records no span where the client has decided so', async () => {
    const { collector, recorder, call } = await open();
    call(parent.replace(/01$/, '00'));
    await recorder.close();
    expect(collector.spans).toEqual([]);
    expect(collector.metrics).toHaveLength(2);
  });

  it('warns once while the collector is down, keeps what there is room for, and sends it later', async () => {
    const { collector, recorder, call, events } = await open({ OTEL_BSP_MAX_QUEUE_SIZE: '20', OTEL_METRICS_EXPORTER: 'none' });
    collector.statuses = [503, 503, 503];
    for (let i = 0; i < 30; i += 1) call(undefined);
    await expect.poll(() => collector.spans.length, { timeout: 5_000 }).toBe(20);
    await recorder.close();
    expect(events).toEqual([
      'warn: telemetry cannot be sent; calls are not affected',
      'info: telemetry is sent again',
      'info: spans were dropped',
    ]);
  });

  it('does not delay the end when nothing answers', async () => {
    const { collector, recorder, call } = await open({ OTEL_BSP_SCHEDULE_DELAY: '60000' });
    await collector.close();
    call(undefined);
    const started = Date.now();
    await recorder.close();
    expect(Date.now() - started).toBeLessThan(1_200);
  });

  it('says that it speaks JSON alone, and sends each signal where that is wanted', async () => {
    const { collector, recorder, call, events } = await open({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_EXPORTER: 'none',
    });
    call(undefined);
    await recorder.close();
    expect(events).toEqual(['warn: telemetry is sent as http/json, whatever OTEL_EXPORTER_OTLP_PROTOCOL says']);
    expect(collector.spans).toEqual([]);
    expect(collector.metrics).toHaveLength(2);
  });
});
