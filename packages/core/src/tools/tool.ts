import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { ToolReply } from '../answer/respond.ts';
import type { ToolDoor } from '../failure.ts';
import type { Destination } from '../manager/backend.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * What a tool does to the world, in one word; it expands to the four hints of the protocol, so that no tool can set three
 * of them. The `Local` ones touch this server's own configuration only, the others reach a database.
 */
export const effects = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  readLocal: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  /** Creates something new; a second call creates another. */
  createLocal: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  /** Overwrites or deletes, but a second call changes nothing more. */
  replaceLocal: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const satisfies Record<string, Required<Omit<ToolAnnotations, 'title'>>>;

export type Effect = keyof typeof effects;

export interface ToolContext {
  /** Aborted when the caller cancels, the time limit passes, or the server stops. */
  signal: AbortSignal;
  /** The user of the context only has to name the connection of the call. */
  timeLimit: Pick<TimeLimit, 'milliseconds' | 'ofConnection'>;
  /** Is told which connection the call is for: the name in the call, and where it leads. */
  onFound?(asked: string | undefined, destination: Destination): void;
  /** What a hint to this caller may name. Once the connection is found, it knows whether that may be written to. */
  door: ToolDoor;
  /** Reports progress if the caller asked for it; a no-op otherwise. Throttled, so call it as often as you like. */
  progress(done: number, total?: number, message?: string): void;
}

export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** Strict: an unknown argument is an error that names it. A field `timeout_ms` sets the call's own time limit. */
  input: Schema;
  /** Keys that callers write beside the object argument they belong into. */
  nested?: { readonly argument: string; readonly keys: ReadonlySet<string> };
  /** Milliseconds, for long work: the limits of the server and of the connection are raised to it. */
  timeoutMs?: number;
  /** Makes clients that know the hint ask a person before every call, whatever their mode. */
  asksPerson?: boolean;
  handler(args: z.output<Schema>, context: ToolContext): Promise<ToolReply>;
}

/** As a tool is written: its schema is made when it is first needed, which no start has to wait for. */
export interface ToolSource<Schema extends z.ZodObject> extends Omit<Tool<Schema>, 'input'> {
  input(): Schema;
}

/** A tool whose arguments have their schema's types inside the handler, and are unknown to everybody else. */
export function defineTool<Schema extends z.ZodObject>({ input, ...tool }: ToolSource<Schema>): Tool {
  let made: Schema | undefined;
  const lazy = {
    ...tool,
    get input() {
      made ??= input();
      return made;
    },
  };
  // The server only ever calls the handler with what `input` has parsed, so the narrower argument type is safe.
  return lazy as unknown as Tool;
}
