import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool as ToolDefinition,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { respond, type ToolReply } from '../answer/respond.ts';
import { Failure, toFailure, withoutConfirmedEnd } from '../failure.ts';
import type { Log } from '../log.ts';
import { nearestNames } from '../nearest.ts';
import type { Caller } from './caller.ts';
import { compactSchema } from './compact-schema.ts';
import { createProgress } from './progress.ts';
import { TimeLimit } from './time-limit.ts';
import { effects, type Tool } from './tool.ts';
import { parseArguments } from './tool-arguments.ts';

export interface ToolServerOptions {
  name: string;
  version: string;
  /** Shown to the model once; the first 500 characters must stand alone. */
  instructions: string;
  log: Log;
  /** Milliseconds for a call whose tool and arguments say nothing else. */
  timeoutMs?: number;
}

/** The tools of one server, apart from any client's session: sessions come and go, the tools and what they hold stay. */
export interface ToolServer {
  register(tool: Tool): void;
  /** Takes all others away. Throws when one of these is not there. */
  keepOnly(names: readonly string[]): void;
  /** A protocol endpoint over these tools, for one client. */
  connect(): Server;
  /** What fails is an answer as well; only a tool that is not there throws, a ProtocolError. */
  call(name: string, args: unknown, caller: Caller): Promise<ToolReply>;
  /** Calls that have not been answered yet. */
  readonly running: number;
  /** Aborts every running call and refuses new ones. */
  abortAll(reason: Failure): void;
}

const defaultTimeoutMs = 30_000;
/** How long a handler whose call was aborted may take to say so in its own words before we answer for it. */
const settleMs = 500;

export function createToolServer(options: ToolServerOptions): ToolServer {
  const tools = new Map<string, Tool>();
  // Made when a client first asks: converting every schema at start would delay the first answer.
  let definitions: ToolDefinition[] | undefined;
  const running = new Set<AbortController>();
  let stopped: Failure | undefined;

  async function call(name: string, args: unknown, caller: Caller): Promise<ToolReply> {
    const tool = tools.get(name);
    if (tool === undefined) throw unknownTool(name, tools);
    const controller = new AbortController();
    running.add(controller);
    try {
      if (stopped !== undefined) throw stopped;
      return await runTool({ tool, args, caller, controller, defaultMs: options.timeoutMs ?? defaultTimeoutMs });
    } catch (error) {
      const failure = toFailure(error);
      if (failure.kind === 'internal') options.log('error', `${name} failed`, { stack: traceOf(error) });
      return respond.failure(failure);
    } finally {
      running.delete(controller);
    }
  }

  return {
    register(tool) {
      if (tools.has(tool.name)) throw new Error(`two tools are called ${tool.name}`);
      tools.set(tool.name, tool);
      definitions = undefined;
    },
    keepOnly(names) {
      const kept = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
      for (const name of kept) if (!tools.has(name)) throw noSuchTool(name, [...tools.keys()]);
      for (const name of [...tools.keys()]) if (!kept.has(name)) tools.delete(name);
      definitions = undefined;
    },
    connect: () =>
      createEndpoint(options, {
        definitions: () => {
          definitions ??= [...tools.values()].map(defineFor);
          return definitions;
        },
        call,
      }),
    call,
    get running() {
      return running.size;
    },
    abortAll(reason) {
      stopped = reason;
      for (const controller of running) controller.abort(reason);
    },
  };
}

interface Endpoint {
  definitions(): ToolDefinition[];
  call(name: string, args: unknown, caller: Caller): Promise<ToolReply>;
}

function createEndpoint(options: ToolServerOptions, endpoint: Endpoint): Server {
  const server = new Server(
    { name: options.name, version: options.version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: options.instructions,
      // The list never changes while the process lives, and is the same for everybody who runs it.
      cacheHints: { 'tools/list': { ttlMs: 3_600_000, cacheScope: 'private' } },
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: endpoint.definitions() }));
  server.setRequestHandler('tools/call', async (request, context) => ({
    ...(await endpoint.call(request.params.name, request.params.arguments ?? {}, callerOf(context))),
  }));
  return server;
}

function callerOf({ mcpReq }: ServerContext): Caller {
  return {
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    notify: (method, params) => mcpReq.notify({ method, params }),
  };
}

interface Run {
  tool: Tool;
  args: unknown;
  caller: Caller;
  controller: AbortController;
  defaultMs: number;
}

async function runTool({ tool, args, caller, controller, defaultMs }: Run): Promise<ToolReply> {
  const parsed = parseArguments(tool, args);
  const timeLimit = new TimeLimit({
    asked: typeof parsed.timeout_ms === 'number' ? parsed.timeout_ms : undefined,
    usual: defaultMs,
    atLeast: tool.timeoutMs ?? 0,
    onExpire: (timeoutMs) => controller.abort(timeoutFailure(tool.name, timeoutMs)),
  });
  const cancel = () => controller.abort(new Failure('cancelled', `${tool.name} was cancelled by the client`));
  if (caller.signal.aborted) cancel();
  caller.signal.addEventListener('abort', cancel, { once: true });
  const progress = createProgress(caller);
  try {
    const { signal } = controller;
    return await raceAbort(signal, tool.handler(parsed, { signal, timeLimit, progress: progress.report }));
  } finally {
    timeLimit.clear();
    caller.signal.removeEventListener('abort', cancel);
    progress.stop();
  }
}

/**
 * The handler's own result, or the reason of the abort. A handler that observes the signal answers better than we can
 * ("the statement was stopped"), so it gets a moment; one that does not must not keep the caller waiting.
 */
async function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(withoutConfirmedEnd(toFailure(signal.reason))), settleMs);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    // A handler that only passes the abort on says less than its reason does.
    throw signal.aborted && isAbortError(error) ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function timeoutFailure(tool: string, timeoutMs: number): Failure {
  return new Failure('timeout', `${tool} did not finish within ${timeoutMs} ms`, {
    hint: 'Ask for less, or pass a larger timeout_ms if the tool takes one.',
  });
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `no tool is called ${JSON.stringify(name.slice(0, 100))}; there are ${[...tools.keys()].join(', ')}`,
  );
}

function noSuchTool(name: string, known: readonly string[]): Failure {
  return new Failure('input', `no tool is called ${JSON.stringify(name.slice(0, 100))}`, {
    nearest: nearestNames(name, known),
    hint: `There are ${known.join(', ')}.`,
  });
}

function defineFor(tool: Tool): ToolDefinition {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    // zod writes a schema of type "object" for every z.ZodObject; its return type cannot say so.
    inputSchema: compactSchema(inputSchema) as ToolDefinition['inputSchema'],
    annotations: effects[tool.effect],
    ...(tool.asksPerson ? { _meta: { 'anthropic/requiresUserInteraction': true } } : {}),
  };
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
