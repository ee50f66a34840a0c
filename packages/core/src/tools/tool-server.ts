import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type Tool as ToolDefinition,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onAbort } from '../abort.ts';
import { respond, type ToolReply } from '../answer/respond.ts';
import type { Approvals } from '../approval/approvals.ts';
import { CallApproval, QuestionOpen } from '../approval/call-approval.ts';
import { runRounds } from '../approval/rounds.ts';
import { Failure, failureWith, type ToolDoor, toFailure, withoutConfirmedEnd } from '../failure.ts';
import type { Log } from '../log.ts';
import type { CallOrigin, CallRecorder, OpenRecord } from './call-record.ts';
import { type Caller, createProgress } from './caller.ts';
import { Destinations, type Visit } from './connections/destinations.ts';
import { createEndpoint, type Shown } from './endpoint.ts';
import { announceChange, followVisit, openRecord } from './open-record.ts';
import { RunningCalls } from './running-calls.ts';
import { TimeLimit } from './time-limit.ts';
import { effects, type Selection, selectTools, type Tool, wantsFew } from './tool.ts';
import { parseArguments } from './tool-arguments.ts';
import { defineBriefly, defineFor } from './tool-definition.ts';

interface ToolServerOptions {
  name: string;
  version: string;
  /** Shown to the model once; the first 500 characters must make sense alone. */
  instructions: string;
  log: Log;
  /** The server was started to read only. */
  readonly?: boolean;
  /** Milliseconds for a call whose tool and arguments say nothing else. */
  timeoutMs?: number;
  /** The calls of all clients of the process, where there are several. */
  calls?: RunningCalls;
  /** How calls are confirmed. Left out: a tool that needs that is refused. */
  approvals?: Approvals;
  /** Records every call, where a person wants that. */
  recorder?: CallRecorder | undefined;
  /** The way in of this client; stdio if left out. */
  origin?: CallOrigin | undefined;
}

/** The tools of one server, apart from any client's session: sessions come and go, the tools and what they hold stay. */
export interface ToolServer {
  /** What callers were told about where names lead. */
  readonly destinations: Destinations;
  register(tool: Tool): void;
  /** The tools that are offered. */
  readonly names: readonly string[];
  /** What a client is shown of each, in the form of the protocol. */
  readonly definitions: readonly ToolDefinition[];
  /** Takes the other tools away; throws when the selection names an unknown one. */
  keepOnly(selection: Selection): void;
  /** Offers these instead of all saved queries, and tells clients what to do with saved queries. */
  setSaved(tools: readonly Tool[], advice: string): void;
  /** A protocol endpoint over these tools, for one client; `shown` takes their place where something lies over them. */
  connect(shown?: Shown, who?: Pick<Caller, 'principal'>): Server;
  /** What fails is an answer as well; only a tool that is not there throws, a ProtocolError. */
  call(name: string, args: unknown, caller: Caller): Promise<ToolReply>;
  /** Calls that have not been answered yet, of every client of the process. */
  readonly calls: RunningCalls;
}

const defaultTimeoutMs = 30_000;
/** How long a handler whose call was aborted may take to say so in its own words before we answer for it. */
const settleMs = 500;

export function createToolServer(options: ToolServerOptions): ToolServer {
  const tools = new ToolList();
  const { timeoutMs: defaultMs = defaultTimeoutMs, calls = new RunningCalls() } = options;
  const destinations = new Destinations();
  const parts = { options, tools, calls, destinations, defaultMs };

  async function call(name: string, args: unknown, caller: Caller): Promise<ToolReply> {
    const { signal, round: first } = caller;
    const person = caller.person ?? findPerson(options, { tool: name, args, caller });
    return await runRounds({ person, signal, round: first }, (round) =>
      callOnce(parts, name, args, { ...caller, person, round }),
    );
  }

  const server: ToolServer = {
    destinations,
    register: (tool) => tools.add(tool),
    get names() {
      return tools.names;
    },
    get definitions() {
      return tools.definitions;
    },
    keepOnly: (selection) => tools.keepOnly(selection),
    setSaved: (saved, advice) => tools.setSaved(saved, advice),
    connect: (shown = server, { principal } = {}) =>
      createEndpoint({ ...options, principal, instructions: tools.complete(options.instructions) }, shown),
    call,
    calls,
  };
  return server;
}

interface CallParts {
  options: ToolServerOptions;
  tools: ToolList;
  calls: RunningCalls;
  destinations: Destinations;
  defaultMs: number;
}

/** One round of a call: to its end, or to a question. */
async function callOnce(parts: CallParts, name: string, args: unknown, caller: Caller): Promise<ToolReply> {
  const { options, tools, calls, destinations, defaultMs } = parts;
  const tool = tools.get(name);
  if (tool === undefined) throw unknownTool(name, tools.names);
  const controller = calls.begin();
  const record = openRecord(options, { tool: name, args, controller }, caller);
  let failure: Failure | undefined;
  let reply: ToolReply | undefined;
  const approval = openApproval(options, name, args, caller);
  const visit = destinations.begin({ mayWrite: effects[tool.effect].destructiveHint });
  const door: ToolDoor = {
    offers: (name) => tools.get(name) !== undefined,
    isReadonlyServer: options.readonly === true,
    isCommand: caller.isCommand === true,
    get readonly() {
      return visit.isReadonly();
    },
  };
  try {
    calls.refuse();
    announceChange(record, tool.effect);
    const onFound = followVisit(visit, record);
    const made = await runTool({ tool, args, caller, controller, defaultMs, door, approval, onFound, record });
    reply = respond.noticed(record?.notice(), respond.noticed(visit.notice(), made));
    return reply;
  } catch (error) {
    if (error instanceof QuestionOpen) {
      reply = respond.question(error.question);
      return reply;
    }
    failure = withNotice(visit.notice(), toFailure(error));
    if (failure.kind === 'internal') options.log('error', `${name} failed`, { stack: readTrace(error) });
    caller.onFailure?.(failure);
    reply = respond.failure(failure, door);
    return reply;
  } finally {
    const { confirmedBy } = approval;
    calls.end(controller, { tool: name, failure, isError: reply === undefined || reply.isError === true, confirmedBy });
    record?.end({ failure, reply, confirmedBy });
  }
}

/** Who can be asked where the client cannot ask. */
function findPerson({ approvals }: ToolServerOptions, { tool, args, caller }: { tool: string; args: unknown; caller: Caller }) {
  const keepAlive = caller.progressToken === undefined ? undefined : () => createProgress(caller);
  return approvals?.askElsewhere?.({ tool, args, client: caller.about?.client?.name, keepAlive });
}

function openApproval({ approvals }: ToolServerOptions, tool: string, args: unknown, { person, round, principal }: Caller) {
  return new CallApproval({ approvals, tool, args, person, round, principal });
}

class ToolList {
  readonly #tools = new Map<string, Tool>();
  readonly #dropped = new Set<string>();
  #define = defineFor;
  #advice = '';
  // The definitions are made when a client first asks: converting every schema at start would delay the first answer.
  #definitions: ToolDefinition[] | undefined;

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** Leaves out the sentences that name a tool which is not offered, and adds what there is to say of saved queries. */
  complete(instructions: string): string {
    const isPossible = (sentence: string) => !sentence.split(/\W/).some((word) => this.#dropped.has(word));
    const trimLine = (line: string) =>
      line
        .split(/(?<=\.) /)
        .filter(isPossible)
        .join(' ');
    const lines = instructions.split('\n').map(trimLine);
    return [...lines, this.#advice].filter((line) => line !== '').join('\n');
  }

  get definitions(): ToolDefinition[] {
    this.#definitions ??= [...this.#tools.values()].map(this.#define);
    return this.#definitions;
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  add(tool: Tool): void {
    if (this.#tools.has(tool.name)) throw new Error(`two tools are called ${tool.name}`);
    this.#tools.set(tool.name, tool);
    this.#definitions = undefined;
  }

  setSaved(tools: readonly Tool[], advice: string): void {
    this.#advice = advice;
    for (const [name, { isSaved }] of [...this.#tools]) if (isSaved) this.#tools.delete(name);
    for (const tool of tools) this.add(tool);
    this.#definitions = undefined;
  }

  keepOnly(selection: Selection): void {
    const kept = new Set(selectTools([...this.#tools.values()], selection));
    for (const [name, tool] of [...this.#tools]) {
      if (kept.has(tool)) continue;
      this.#tools.delete(name);
      // The instructions name only tools of the server.
      if (!tool.isSaved) this.#dropped.add(name);
    }
    if (wantsFew(selection)) this.#define = defineBriefly;
    this.#definitions = undefined;
  }
}

/** Serves one client over a transport, in the era of the protocol that its first message belongs to. */
export function serveClient(
  toolServer: Pick<ToolServer, 'connect'>,
  transport: Transport,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  return serveStdio(() => toolServer.connect(), { transport, onerror: onError });
}

interface Run {
  tool: Tool;
  args: unknown;
  caller: Caller;
  controller: AbortController;
  defaultMs: number;
  door: ToolDoor;
  approval: CallApproval;
  onFound: Visit['enter'];
  record: OpenRecord | undefined;
}

async function runTool({
  tool: listed,
  args,
  caller,
  controller,
  defaultMs,
  door,
  approval,
  onFound,
  record,
}: Run): Promise<ToolReply> {
  const tool = listed.resolve?.(args) ?? listed;
  const parsed = parseArguments(tool, args);
  const timeLimit = new TimeLimit({
    asked: typeof parsed.timeout_ms === 'number' ? parsed.timeout_ms : tool.ownTimeoutMs,
    usual: defaultMs,
    atLeast: tool.timeoutMs ?? 0,
    onExpire: (timeoutMs) => controller.abort(timeoutFailure(tool.name, timeoutMs)),
  });
  const stop = onAbort(caller.signal, () =>
    controller.abort(new Failure('cancelled', `${tool.name} was cancelled by the client`)),
  );
  const progress = createProgress(caller);
  try {
    const { signal } = controller;
    return await raceAbort(
      signal,
      tool.handler(parsed, { signal, timeLimit, onFound, record, door, approval, progress: progress.report }),
    );
  } finally {
    timeLimit.clear();
    stop();
    progress.stop();
  }
}

/**
 * The handler's own result, or the reason of the abort. A handler that observes the signal answers better than we can
 * ("the statement was stopped"), so it gets a moment; one that does not must not keep the caller waiting.
 */
async function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => {
      timer = setTimeout(() => reject(withoutConfirmedEnd(toFailure(signal.reason))), settleMs);
    });
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    // A handler that only passes the abort on says less than its reason does.
    throw signal.aborted && isAbortError(error) ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    stop?.();
    work.catch(() => undefined);
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function withNotice(notice: string | undefined, failure: Failure): Failure {
  return notice === undefined ? failure : failureWith(failure, { message: `${notice}. ${failure.message}` });
}

function timeoutFailure(tool: string, timeoutMs: number): Failure {
  return new Failure('timeout', `${tool} did not finish within ${timeoutMs} ms`, {
    hint: { tool: 'Ask for less, or pass a larger timeout_ms.', cli: 'Ask for less.' },
  });
}

function unknownTool(name: string, known: readonly string[]): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `no tool is called ${JSON.stringify(name.slice(0, 100))}; there are ${known.join(', ')}`,
  );
}

function readTrace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
