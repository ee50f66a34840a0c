/** What the server says when it refuses something. */
export class ApiError extends Error {
  readonly status: number;
  /** The stable code of the error, such as `E_TIMEOUT`; empty where the server gave none. */
  readonly code: string;
  readonly hint: string;

  constructor(message: string, { status = 0, code = '', hint = '' }: { status?: number; code?: string; hint?: string } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** Kept for this port alone, which cookies are not. */
const keyName = 'mole-page-key';

/** Opens a session with the code of a link. */
export async function signIn(code: string): Promise<void> {
  const response = await post('session', { code });
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(keyName, key);
}

/** Ends the session of this browser. */
export async function leave(): Promise<void> {
  await post('leave', {});
  localStorage.removeItem(keyName);
}

/** Sends one request of the page; the caller reads the answer. */
export async function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const response = await send(path, body, signal);
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  throw new ApiError(error?.message ?? `the server answered with status ${response.status}`, { status: response.status });
}

async function send(path: string, body: object, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(`api/${path}`, {
      method: 'POST',
      // Pages of other sites cannot send this header, and programs on other ports do not know the key.
      headers: { 'content-type': 'application/json', 'x-mole-page': localStorage.getItem(keyName) ?? '' },
      body: JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError('the server does not answer');
  }
}

interface Failed {
  failure?: { code: string; message: string; hint?: string };
}

/** Runs an action of a part of the server. The type of the result is what that part promises. */
export async function run<Result extends object>(
  part: string,
  action: string,
  input: object,
  signal?: AbortSignal,
): Promise<Result> {
  const response = await post('run', { part, action, input }, signal);
  const result = (await response.json()) as Result & Failed;
  if (result.failure === undefined) return result;
  const { code, message, hint = '' } = result.failure;
  throw new ApiError(message, { status: response.status, code, hint });
}

/** The rows of an answer: CSV as the tools write it, and what of the rows is in it. */
export interface AnswerTable {
  body: string;
  columns: number;
  shownColumns: number;
  offset: number;
  shownRows: number;
  /** Left out at the end. */
  nextOffset?: number;
  nextCellOffset?: number;
  cutCells: number;
  redactedCells: number;
  /** The only cell is plain text below the names, or one of the only row is below its record. */
  text?: 'cell' | 'below';
  /** Every line break in a cell was a carriage return and a line feed. */
  isCrlf: boolean;
  /** Sentences of the tool about this answer. */
  notes: readonly string[];
}

/** The answer of a tool. */
interface ToolAnswer {
  text: string;
  isError: boolean;
  /** The facts of an error: its code, message, hint and position. */
  structured: Record<string, unknown> | null;
  /** Null where the answer is no table. */
  table: AnswerTable | null;
}

/** Calls a tool as an agent does; a failure of the tool is an answer as well. */
export async function callTool(tool: string, args: object, signal?: AbortSignal): Promise<ToolAnswer> {
  return await run<ToolAnswer>('tools', 'call', { tool, args }, signal);
}
