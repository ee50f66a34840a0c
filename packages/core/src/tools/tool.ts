import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { ToolReply } from '../answer/respond.ts';
import type { Approval } from '../approval/approvals.ts';
import { Failure, type ToolDoor } from '../failure.ts';
import type { Destination } from '../manager/backend.ts';
import { nearestNames } from '../nearest.ts';
import type { CallRecord } from './call-record.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * What a tool does to the world, in one word; it expands to the hints of the protocol, so that no tool can set some of
 * them. The `Local` ones touch this server's own configuration only, the others reach a database.
 */
export const effects = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  readLocal: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  /** Creates something new. */
  createLocal: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  /** Overwrites or deletes. */
  replaceLocal: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
} as const satisfies Record<string, Required<Omit<ToolAnnotations, 'title' | 'idempotentHint'>>>;

export type Effect = keyof typeof effects;

export interface ToolContext {
  /** Aborted when the caller cancels, the time limit passes, or the server stops. */
  signal: AbortSignal;
  /** The user of the context only has to name the connection of the call. */
  timeLimit: Pick<TimeLimit, 'milliseconds' | 'ofConnection'>;
  /** Receives the connection of the call: the name in the call, and where it leads. */
  onFound?(asked: string | undefined, destination: Destination): void;
  /** Gets what becomes known of the call; undefined where calls are not recorded. */
  record?: CallRecord | undefined;
  /** What a hint to this caller may name. Once the connection is found, it knows whether that may be written to. */
  door: ToolDoor;
  /** How the call is confirmed by a person, where a policy asks for that. */
  approval: Approval;
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
  /** The next step for an argument that was not accepted, by its name. */
  advice?: Readonly<Record<string, string>>;
  /** Milliseconds, for long work: the limits of the server and of the connection are raised to it. */
  timeoutMs?: number;
  /** Makes clients that know the hint ask a person before every call, whatever their mode. */
  asksPerson?: boolean;
  /** A saved query, or one of the tools that run and list them. */
  isSaved?: boolean;
  /** Milliseconds: the limit of a call that asks for no other, whatever the server and the connection say. */
  ownTimeoutMs?: number;
  /** The tool as it is for this call, where that can change while it is offered. Its name and its effect stay. */
  resolve?(args: unknown): Tool;
  handler(args: z.output<Schema>, context: ToolContext): Promise<ToolReply>;
}

/** A tool as it is written. Its schema is built lazily, to keep the start fast. */
interface ToolSource<Schema extends z.ZodObject> extends Omit<Tool<Schema>, 'input'> {
  input(): Schema;
}

/** A tool whose arguments have their schema's types inside the handler, and are `unknown` outside. */
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

/** All tools that only read: no change of data, of connections, or of files. */
const readGroup = 'read';
/** All saved queries. */
const savedGroup = 'queries/*';

export interface Selection {
  /** `query,list_tables`, `read`, `read,export_query` or `-add_connection`. */
  wanted: string | undefined;
  /** Tools that change data are left out. */
  readonly: boolean;
}

/** Whether the group of tools that only read is chosen, rather than tools by name. */
export function wantsFew({ wanted = '' }: Selection): boolean {
  return toWords(wanted).includes(readGroup);
}

/** What of the registered tools is offered. Throws on a word that names none of them. */
export function selectTools(tools: readonly Tool[], { wanted = '', readonly }: Selection): readonly Tool[] {
  const open = readonly ? tools.filter((tool) => tool.effect !== 'destroy') : tools;
  const words = toWords(wanted);
  const named = words.filter((word) => !word.startsWith('-')).map((word) => matching(word, tools, open));
  const without = words.filter((word) => word.startsWith('-')).flatMap((word) => matching(word.slice(1), tools, tools));
  const offered = named.length === 0 ? open : open.filter((tool) => named.some((group) => group.includes(tool)));
  return offered.filter((tool) => !without.includes(tool));
}

/** Whether a saved query that is new may be offered, which no name in the selection can choose or leave out yet. */
export function choosesGroups(wanted = ''): boolean {
  const named = toWords(wanted).filter((word) => !word.startsWith('-'));
  return named.length === 0 || named.includes(readGroup) || named.includes(savedGroup);
}

function toWords(wanted: string): string[] {
  return wanted.split(',').flatMap((word) => word.trim() || []);
}

function matching(word: string, all: readonly Tool[], open: readonly Tool[]): readonly Tool[] {
  if (word === readGroup) return open.filter(({ effect }) => effects[effect].readOnlyHint);
  if (word === savedGroup) return open.filter(({ isSaved }) => isSaved);
  const tool = all.find(({ name }) => name === word);
  if (tool === undefined) throw unknownTool(word, open);
  if (!open.includes(tool)) throw leftOut(word);
  return [tool];
}

function unknownTool(word: string, tools: readonly Tool[]): Failure {
  const names = tools.map(({ name }) => name);
  const groups = tools.some(({ isSaved }) => isSaved) ? [savedGroup] : [];
  const listed = [...tools.flatMap(({ name, isSaved }) => (isSaved ? [] : [name])), ...groups];
  const hint = `Use ${readGroup} for all tools that only read, or some of ${listed.join(', ')}; -NAME leaves one out.`;
  return new Failure('input', `unknown tool ${JSON.stringify(word.slice(0, 100))} in --tools`, {
    nearest: nearestNames(word, [readGroup, ...names]),
    hint,
  });
}

function leftOut(name: string): Failure {
  return new Failure('input', `--tools asks for "${name}", which --readonly leaves out`, {
    hint: `Remove ${name} from --tools, or --readonly.`,
  });
}
