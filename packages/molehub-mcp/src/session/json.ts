/** Plain JSON, for the first answers: what else there is to import would delay them. */
export type Fields = Record<string, unknown>;

export interface ToolDefinition extends Fields {
  name: string;
}

export type MessageId = string | number;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isId(value: unknown): value is MessageId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
}

export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
};

const traceKeys = ['traceparent', 'tracestate', 'baggage'];

/** What of the `_meta` of a call belongs to its trace. */
export function readTrace(meta: unknown): Fields | undefined {
  if (!isFields(meta)) return undefined;
  const entries = Object.entries(meta).filter(([key]) => traceKeys.includes(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
