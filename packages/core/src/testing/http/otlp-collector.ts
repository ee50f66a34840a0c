import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** A receiver of OTLP over HTTP that accepts JSON of the right form alone: ids in hexadecimal, 64-bit numbers as texts, known numbers of enumerations. */

const nanoseconds = z.string().regex(/^1[6-9]\d{17}$/, 'expected nanoseconds of this century as a text');
const count = z.string().regex(/^\d{1,19}$/);
const attributes = z.array(
  z.strictObject({
    key: z.string().min(1),
    value: z.union([z.strictObject({ stringValue: z.string() }), z.strictObject({ intValue: z.string().regex(/^-?\d{1,19}$/) })]),
  }),
);
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/);
const span = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId,
  parentSpanId: spanId.optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.strictObject({ code: z.int().min(0).max(2) }),
  flags: z.int().min(0).max(1_023),
});
const resource = z.strictObject({ attributes });
const scope = z.strictObject({ name: z.string(), version: z.string() });
const point = z
  .strictObject({
    attributes,
    startTimeUnixNano: nanoseconds,
    timeUnixNano: nanoseconds,
    count,
    sum: z.number().min(0),
    min: z.number().min(0),
    max: z.number().min(0),
    bucketCounts: z.array(count),
    explicitBounds: z.array(z.number()),
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1)
  .refine((one) => one.bucketCounts.reduce((sum, each) => sum + Number(each), 0) === Number(one.count));
const histogram = z.strictObject({ aggregationTemporality: z.literal(2), dataPoints: z.array(point).min(1) });
const metric = z.strictObject({ name: z.string(), description: z.string(), unit: z.literal('s'), histogram });

const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span).min(1) })) }),
  ),
});
const metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric).min(1) })) }),
  ),
});

type ReceivedSpan = z.output<typeof span>;
type ReceivedMetric = z.output<typeof metric>;

interface OtlpCollector {
  url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The last of each message. */
  readonly metrics: readonly ReceivedMetric[];
  /** All bodies, as they came. */
  readonly text: string;
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** Why messages were refused. */
  readonly problems: readonly string[];
  /** Statuses for the next messages, instead of 200. */
  statuses: number[];
  close(): Promise<void>;
}

export async function openOtlpCollector(): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const received: ReceivedMetric[] = [];
  const texts: string[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const problems: string[] = [];
  const take = (path: string, body: string): void => {
    if (path === '/v1/traces') {
      const { resourceSpans } = traces.parse(JSON.parse(body));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
    } else if (path === '/v1/metrics') {
      const { resourceMetrics } = metrics.parse(JSON.parse(body));
      received.splice(0, received.length, ...resourceMetrics.flatMap((one) => one.scopeMetrics.flatMap((each) => each.metrics)));
    } else throw new Error(`there is no ${path}`);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const status = collector.statuses.shift() ?? 200;
      headers.push(request.headers);
      try {
        if (status === 200) {
          take(request.url ?? '', body);
          texts.push(body);
        }
      } catch (error) {
        problems.push(String(error));
      }
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  const collector: OtlpCollector = {
    ...{ url: `http://127.0.0.1:${port}`, spans, metrics: received, headers, problems, statuses: [] },
    get text() {
      return texts.join('\n');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}
