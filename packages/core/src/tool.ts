import type * as z from 'zod';

/**
 * What a tool does to the world, in one word; it expands to the four hints of the protocol.
 * `read`: changes nothing. `write`: adds or changes, and can be repeated. `destroy`: may lose data.
 * `Local` effects stay inside this server's own configuration, the others reach a database.
 */
export type Effect = 'read' | 'readLocal' | 'write' | 'writeLocal' | 'destroy' | 'destroyLocal';

export interface ToolContext {
  /** Aborted when the caller cancels, the time limit passes, or the server stops. */
  signal: AbortSignal;
  /** Reports progress if the caller asked for it; a no-op otherwise. Throttled here, so call it freely. */
  progress(done: number, total?: number, message?: string): void;
}

/** The only form of an answer; made by `respond.ts`. */
export interface ToolReply {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** Strict: an unknown argument is an error that names it. */
  input: Schema;
  /** Milliseconds; 30 s unless the tool or the call says otherwise. */
  timeoutMs?: number;
  /** Makes clients ask a person before every call. */
  asksPerson?: boolean;
  handler(args: z.infer<Schema>, context: ToolContext): Promise<ToolReply>;
}
