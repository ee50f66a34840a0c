interface RefusalOptions {
  /** The code of the JSON-RPC error. */
  code?: number;
  /** Seconds. */
  retryAfter?: number;
  headers?: Readonly<Record<string, string>>;
}

/** A request that is answered with an error of HTTP. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The id of the request, once it is known. */
  id: string | number | null = null;

  constructor(status: number, message: string, { code = -32_000, retryAfter, headers = {} }: RefusalOptions = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = { ...headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) };
  }

  /** The body: an answer that clients of MCP show. */
  format(): string {
    return JSON.stringify({ jsonrpc: '2.0', error: { code: this.code, message: this.message }, id: this.id });
  }
}

export const parseErrorCode = -32_700;
export const invalidRequestCode = -32_600;
