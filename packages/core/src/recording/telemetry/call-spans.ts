import { type Failure, toFailure } from '../../failure.ts';
import { redact } from '../../redact/redact.ts';
import type { CallOrigin } from '../../tools/call-record.ts';
import { judge, type RecordedCall, type RecordedStatement } from '../recorded-call.ts';
import { type AttributeValues, type Span, spanKinds, spanStatus, toAttributes, toNanoseconds } from './otlp-json.ts';

const transports: Partial<Record<CallOrigin['door'], AttributeValues>> = {
  stdio: { 'network.transport': 'pipe' },
  // The front of a shared process passes on what its client writes into its stdin.
  shared: { 'network.transport': 'pipe' },
  http: { 'network.transport': 'tcp', 'network.protocol.name': 'http' },
};

const method = 'tools/call';
const maxTextLength = 8_000;

/** What both the span and the metric of a call have. */
export function describeOperation({ tool, origin, about, isError }: RecordedCall): AttributeValues {
  return {
    'mcp.method.name': method,
    'gen_ai.tool.name': tool,
    'gen_ai.operation.name': 'execute_tool',
    'mcp.protocol.version': about.protocol,
    ...transports[origin.door],
    'error.type': isError ? 'tool_error' : undefined,
  };
}

/** What both the span and the metric of a statement have. */
export function describeQuery({ facts, text, end }: RecordedStatement): AttributeValues {
  const { code, engineCode: named } = judge(end.error === undefined ? undefined : toFailure(end.error));
  // Some engines have a name behind the number.
  const engineCode = named?.split(' ', 1)[0];
  const status = engineCode ?? (end.status === undefined ? undefined : `${end.status}`);
  const isError = code !== undefined || (end.status ?? 200) >= 400;
  return {
    'db.system.name': facts.system,
    'db.namespace': facts.database && redact(facts.database),
    'db.operation.name': text.summary.split(' ', 1)[0],
    'db.response.status_code': status,
    'error.type': isError ? (engineCode ?? code ?? status) : undefined,
  };
}

/** Statements that reached a database: a refused one was never sent. */
export function listSent({ statements }: RecordedCall): RecordedStatement[] {
  return statements.filter(({ end: { error } }) => error === undefined || !isUnsent(toFailure(error)));
}

function isUnsent({ kind }: Failure): boolean {
  return kind === 'refused' || kind === 'input';
}

/** The span of the call, and those of its statements below it. */
export function buildSpans(call: RecordedCall): Span[] {
  const { tool, about, startedAt, milliseconds, spanId, parentId, failure, isError, connection } = call;
  const own = buildSpan(call, {
    name: `${method} ${tool}`,
    kind: spanKinds.server,
    spanId,
    parentId,
    startedAt,
    milliseconds,
    isError,
    attributes: {
      ...describeOperation(call),
      'jsonrpc.request.id': about.id === undefined ? undefined : `${about.id}`,
      'mole.client.name': about.client?.name,
      'mole.connection': connection,
      'mole.error.code': failure?.code,
    },
  });
  return [own, ...listSent(call).map((statement) => buildQuerySpan(call, statement))];
}

function buildQuerySpan(call: RecordedCall, statement: RecordedStatement): Span {
  const { startedAt, milliseconds, spanId, text, end } = statement;
  const { host, port } = call.server;
  const shared = describeQuery(statement);
  return buildSpan(call, {
    name: redact(text.summary),
    kind: spanKinds.client,
    spanId,
    parentId: call.spanId,
    startedAt,
    milliseconds,
    isError: shared['error.type'] !== undefined,
    attributes: {
      ...shared,
      'db.query.summary': redact(text.summary),
      'db.query.text': redact(text.text).slice(0, maxTextLength),
      'db.response.returned_rows': end.rows,
      'server.address': host,
      'server.port': port === undefined ? undefined : Number(port),
    },
  });
}

interface SpanParts {
  name: string;
  kind: Span['kind'];
  spanId: string;
  parentId: string | undefined;
  startedAt: number;
  milliseconds: number;
  isError: boolean;
  attributes: AttributeValues;
}

function buildSpan({ traceId }: RecordedCall, parts: SpanParts): Span {
  const { spanId, parentId, name, kind, startedAt, milliseconds, isError, attributes } = parts;
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind,
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(startedAt + milliseconds),
    attributes: toAttributes(attributes),
    status: { code: isError ? spanStatus.error : spanStatus.unset },
    flags: 1,
  };
}
