import type { ToolReply } from '../answer/respond.ts';
import type { Failure } from '../failure.ts';
import type { CallOrigin, RequestFacts, StatementEnd, StatementFacts, StatementText } from '../tools/call-record.ts';

/** A statement of a call, once it has ended. */
export interface RecordedStatement {
  readonly facts: StatementFacts;
  /** Milliseconds since 1970, with a fraction. */
  readonly startedAt: number;
  readonly spanId: string;
  milliseconds: number;
  end: StatementEnd;
  /** Made once, for all who need it. */
  readonly text: StatementText;
}

/** A call of a tool, as far as it has come. */
export interface RecordedCall {
  readonly tool: string;
  readonly origin: CallOrigin;
  readonly about: RequestFacts;
  readonly startedAt: number;
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the client that this call belongs to. */
  readonly parentId: string | undefined;
  /** The trace is to be recorded, as its first part has decided. */
  readonly isSampled: boolean;
  readonly statements: readonly RecordedStatement[];
  /** Statements that came after the largest number that is kept. */
  readonly leftOut: number;
  readonly connection: string | undefined;
  readonly account: string | undefined;
  /** The host and port of the database, as configured. */
  readonly server: { readonly host: string | undefined; readonly port: string | undefined };
  readonly confirmedBy: string | undefined;
  readonly milliseconds: number;
  readonly failure: Failure | undefined;
  readonly isError: boolean;
  /** It ended with a question to a person; their answer comes with another call. */
  readonly isAsked: boolean;
  /** Bytes of the answer. */
  readonly bytes: number;
  /** The arguments, unchecked: the caller may have sent anything. */
  readonly args: unknown;
  /** The answer; undefined before the end, and for a command, which prints by itself. */
  readonly reply: ToolReply | undefined;
  /** Ends the call before it has ended by itself; nothing happens where that is not possible. */
  abort(reason: Failure): void;
}

/** Where records go. */
export interface RecordSink {
  /** Is told when a call begins. Must not throw. */
  begin?(call: RecordedCall): void;
  /** Is told when the connection of a running call is known. Must not throw. */
  found?(call: RecordedCall): void;
  /** Records that something is about to change, at once. Throws `E_AUDIT` when it cannot. */
  announce?(call: RecordedCall, statement?: RecordedStatement): void;
  /** Takes a call that was answered. Must not throw. */
  take(call: RecordedCall): void;
  /** What callers must be told once. */
  notice?(): string | undefined;
  /** Bounded, however long it takes. */
  close?(): Promise<void>;
}

interface Verdict {
  verdict: 'ok' | 'refused' | 'error';
  code?: string;
  engineCode?: string;
}

/** Codes alone: the text of an error can quote data. */
export function judge(failure: Failure | undefined): Verdict {
  if (failure === undefined) return { verdict: 'ok' };
  const { kind, code, engineCode } = failure;
  const isPlain = engineCode !== undefined && /^[A-Za-z0-9_ ]{1,60}$/.test(engineCode);
  return { verdict: kind === 'refused' ? 'refused' : 'error', code, ...(isPlain ? { engineCode } : {}) };
}
