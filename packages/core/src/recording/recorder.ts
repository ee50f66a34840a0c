import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolReply } from '../answer/respond.ts';
import type { Failure } from '../failure.ts';
import type { Destination } from '../manager/backend.ts';
import type {
  BeginningCall,
  CallOrigin,
  CallRecorder,
  EndStatement,
  OpenRecord,
  RequestFacts,
  StatementEnd,
  StatementFacts,
  StatementText,
} from '../tools/call-record.ts';
import type { RecordedCall, RecordedStatement, RecordSink } from './recorded-call.ts';

interface RecorderOptions {
  /** The name of the program, which tags begin with. */
  program: string;
  isTagged: boolean;
  sinks: readonly RecordSink[];
}

/** Calls that were aborted at the end may take this long to be answered. */
const lastCallsMs = 300;
/** What a call may send is bounded elsewhere, except for a program that asks a cluster many things. */
const maxStatements = 200;

/** Follows each call of a tool, and passes what became of it on after its answer. */
export class Recorder implements CallRecorder {
  readonly #options: RecorderOptions;
  #ended: CallInProgress[] = [];
  #running = 0;
  #isClosing = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  begin(beginning: BeginningCall): OpenRecord {
    this.#running += 1;
    const call = new CallInProgress({ ...this.#options, beginning, onEnd: (ended) => this.#take(ended) });
    for (const sink of this.#options.sinks) sink.begin?.(call);
    return call;
  }

  /** Literals are replaced, and lines written, once the answer is on its way. */
  #take(call: CallInProgress): void {
    this.#running -= 1;
    if (this.#ended.push(call) > 1) return;
    if (this.#isClosing) this.#pass();
    else setImmediate(() => this.#pass());
  }

  #pass(): void {
    const ended = this.#ended;
    this.#ended = [];
    for (const call of ended) for (const sink of this.#options.sinks) sink.take(call);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const end = Date.now() + lastCallsMs;
    while (this.#running > 0 && Date.now() < end) await delay(5);
    this.#pass();
    await Promise.all(this.#options.sinks.map((sink) => sink.close?.()));
  }
}

interface CallParts extends RecorderOptions {
  beginning: BeginningCall;
  onEnd(call: CallInProgress): void;
}

class CallInProgress implements OpenRecord, RecordedCall {
  readonly startedAt = Date.now();
  readonly spanId = randomBytes(8).toString('hex');
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  readonly statements: StatementInProgress[] = [];
  leftOut = 0;
  connection: string | undefined;
  account: string | undefined;
  server: RecordedCall['server'] = { host: undefined, port: undefined };
  confirmedBy: string | undefined;
  milliseconds = 0;
  failure: Failure | undefined;
  isError = false;
  isAsked = false;
  bytes = 0;
  reply: ToolReply | undefined;
  readonly #parts: CallParts;
  /** Unlike the time of day, it goes forward alone. */
  readonly #clock = performance.now();
  #isOver = false;

  constructor(parts: CallParts) {
    this.#parts = parts;
    const parent = parseTraceparent(parts.beginning.about?.traceparent);
    this.traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    this.parentId = parent?.spanId;
    this.isSampled = parent?.isSampled ?? true;
  }

  get tool(): string {
    return this.#parts.beginning.tool;
  }

  get origin(): CallOrigin {
    return this.#parts.beginning.origin;
  }

  get about(): RequestFacts {
    return this.#parts.beginning.about ?? {};
  }

  get args(): unknown {
    return this.#parts.beginning.args;
  }

  get clientName(): string {
    const name = this.about.client?.name ?? this.origin.door;
    return name.slice(0, maxNameLength).replaceAll(/[^A-Za-z0-9._-]/g, '_');
  }

  get tag(): string | undefined {
    const { program, isTagged } = this.#parts;
    return isTagged ? `${program} client=${this.clientName} trace=${this.traceId}` : undefined;
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.isSampled ? '01' : '00'}`;
  }

  get hasStatements(): boolean {
    return this.statements.length > 0;
  }

  found({ name, facts }: Destination): void {
    this.connection = name;
    this.account = facts.user;
    this.server = { host: facts.host, port: facts.port };
    for (const sink of this.#parts.sinks) sink.found?.(this);
  }

  abort(reason: Failure): void {
    if (!this.#isOver) this.#parts.beginning.abort?.(reason);
  }

  announce(): void {
    for (const sink of this.#parts.sinks) sink.announce?.(this);
  }

  begin(facts: StatementFacts): EndStatement {
    const statement = new StatementInProgress(facts, this.startedAt + performance.now() - this.#clock);
    if (facts.writes) this.#announce(statement);
    if (this.statements.length >= maxStatements) {
      this.leftOut += 1;
      return () => undefined;
    }
    this.statements.push(statement);
    return (end) => statement.finish(end);
  }

  #announce(statement: StatementInProgress): void {
    try {
      for (const sink of this.#parts.sinks) sink.announce?.(this, statement);
    } catch (error) {
      statement.finish({ error });
      this.statements.push(statement);
      throw error;
    }
  }

  notice(): string | undefined {
    const notices = this.#parts.sinks.flatMap((sink) => sink.notice?.() ?? []);
    return notices.length === 0 ? undefined : notices.join('. ');
  }

  end({ failure, reply, confirmedBy }: Parameters<OpenRecord['end']>[0]): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.milliseconds = performance.now() - this.#clock;
    this.failure = failure;
    this.confirmedBy = confirmedBy;
    this.reply = reply;
    this.isAsked = reply?.question !== undefined;
    // A call that was given up does not wait for its statement.
    for (const statement of this.statements) statement.finish({ error: failure });
    this.isError = reply === undefined ? failure !== undefined : reply.isError === true;
    for (const { text } of reply?.content ?? []) this.bytes += Buffer.byteLength(text);
    this.#parts.onEnd(this);
  }
}

const maxNameLength = 64;

class StatementInProgress implements RecordedStatement {
  readonly facts: StatementFacts;
  readonly startedAt: number;
  readonly spanId = randomBytes(8).toString('hex');
  milliseconds = 0;
  end: StatementEnd = {};
  readonly #clock = performance.now();
  #isOver = false;
  #text: StatementText | undefined;

  constructor(facts: StatementFacts, startedAt: number) {
    this.facts = facts;
    this.startedAt = startedAt;
  }

  get text(): StatementText {
    this.#text ??= this.facts.describe();
    return this.#text;
  }

  finish(end: StatementEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.end = end;
    this.milliseconds = performance.now() - this.#clock;
  }
}

interface Parent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Undefined for anything that is not of this form: it comes from outside, and becomes part of statements and headers. */
function parseTraceparent(text: string | undefined): Parent | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(text ?? '');
  const [, traceId, spanId, flags] = match ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
