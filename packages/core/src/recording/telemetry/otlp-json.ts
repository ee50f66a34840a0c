/** The parts of OTLP in JSON that are sent: ids in hexadecimal, 64-bit numbers as texts, enumerations as numbers. */

interface Attribute {
  key: string;
  value: { stringValue: string } | { intValue: string };
}

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 2 | 3;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: 0 | 2 };
  flags: number;
}

/** SPAN_KIND_SERVER and SPAN_KIND_CLIENT. */
export const spanKinds = { server: 2, client: 3 } as const;
/** STATUS_CODE_UNSET and STATUS_CODE_ERROR. */
export const spanStatus = { unset: 0, error: 2 } as const;
/** The sum since the start of the process. */
export const cumulative = 2;

export type AttributeValues = Readonly<Record<string, string | number | undefined>>;

/** Leaves out what is undefined. Numbers are whole. */
export function toAttributes(values: AttributeValues): Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === undefined || value === '') return [];
    return [{ key, value: typeof value === 'number' ? { intValue: `${value}` } : { stringValue: value } }];
  });
}

/** Nanoseconds since 1970, which no number of JavaScript can hold. */
export function toNanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1_000)) * 1_000n}`;
}
