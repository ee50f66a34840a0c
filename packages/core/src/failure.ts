import { redact } from './redact/redact.ts';
import { alignCut } from './text.ts';

/**
 * Every way a call can fail. The set is closed: anything else is a bug in mole and is shown as `internal`.
 * The kind decides the default code, which is what scripts and documentation refer to.
 */
export const failureKinds = {
  /** The caller's arguments are wrong. */
  input: 'E_INPUT',
  /** A configuration file, variable or stored connection is wrong. */
  config: 'E_CONFIG',
  /** The thing that was named does not exist. */
  unknown: 'E_UNKNOWN',
  /** A rule of mole forbids it, whatever the database would say. */
  refused: 'E_REFUSED',
  /** A secret could not be resolved. */
  secret: 'E_SECRET',
  /** The database cannot be reached. */
  connection: 'E_CONNECTION',
  /** The SSH tunnel failed. */
  tunnel: 'E_TUNNEL',
  /** The database refused the login. */
  auth: 'E_AUTH',
  /** The time limit was reached. */
  timeout: 'E_TIMEOUT',
  /** The caller cancelled, or the server is shutting down. */
  cancelled: 'E_CANCELLED',
  /** The database answered with an error of its own. */
  engine: 'E_ENGINE',
  /** A limit of mole was reached: waiting calls, size of an input. */
  limit: 'E_LIMIT',
  /** Our bug. */
  internal: 'E_INTERNAL',
} as const satisfies Record<string, `E_${string}`>;

export type FailureKind = keyof typeof failureKinds;
export type FailureCode = `E_${string}`;

export interface FailureOptions {
  /** A finer code than the kind's own, for example `E_SSH_HOST_KEY_CHANGED`. */
  code?: FailureCode;
  hint?: Hint;
  /** The engine's own code, for example an SQLSTATE. */
  engineCode?: string;
  /** Where in the statement, counted from 1. */
  position?: number;
  /** The piece of the caller's own text at the position, and below it where in that. */
  excerpt?: Excerpt;
  /** Existing names that resemble the one that was not found. */
  nearest?: readonly string[];
  detail?: FailureDetail;
  cause?: unknown;
}

/**
 * What the caller does next, in one or more sentences. A text suits every caller, so it names neither a tool nor a command. A step is
 * worded for the door through which it is shown, and left out where it is not possible.
 */
export type Hint = string | Step | readonly (string | Step)[];

export interface Step {
  /** A tool. The sentence is "Call NAME to …." where the server offers it. */
  call?: string;
  /** The call would write: where the connection is read-only, the sentence says who can change that. */
  writes?: true;
  /** A command. In a terminal the sentence is "Run `PROGRAM COMMAND` to ….", where CONNECTION is that of the command. */
  run?: string;
  /** How both of these sentences end. */
  to?: string;
  /** The sentence for a caller of tools who cannot call `call`. */
  tool?: string;
  /** The sentence in a terminal, where no command helps, or where it needs a connection that is not saved. */
  cli?: string;
}

/** What a failure is shown through: an answer to a caller of tools, or the command line of the program. */
export type Door = ToolDoor | CommandDoor;

export interface CommandDoor {
  program: string;
  /** The connection that the command was for. */
  connection?: string | undefined;
  /** It is not saved, so that no command can use it. */
  isUnsaved?: boolean;
}

export interface ToolDoor {
  /** Whether the server has this tool. */
  offers(tool: string): boolean;
  /** The call is for a connection that may only be read. */
  readonly: boolean;
  /** A command of a person calls the tool, and shows what it answers. */
  isCommand?: boolean;
  /** The server was started to read only. */
  isReadonlyServer?: boolean;
}

/** Facts about a failure for our own code to act on. They are never shown. */
export interface FailureDetail {
  /** The host key that an SSH server showed and that has not been accepted yet, with the name that known_hosts has for it. */
  unknownKey?: { name: string; type: string; key: Buffer };
  /** The command `trust` accepts the key of the SSH server. */
  awaitsTrust?: true;
  /** The SSH server hung up before the handshake, so before any credential, as a busy one does: a retry may succeed. */
  hungUpEarly?: boolean;
  /** An RSA key was among those that were refused; some servers take RSA only with SHA-512, which ssh2 cannot do. */
  refusedRsa?: boolean;
  /** The connection that a command was for. */
  connection?: string;
  /** A login that was accepted before is refused now. Nothing was done, so the call can be repeated with a new secret. */
  loginExpired?: boolean;
}

/** A piece of a text on one line, and the column of a place in it, counted from 0. */
export interface Excerpt {
  text: string;
  column: number;
}

type Details = { [K in keyof FailureOptions]: FailureOptions[K] | undefined };

const textLimit = 2_000;

/**
 * The only error that is shown to a caller. Secrets are removed here, in the constructor, so that no caller can forget;
 * the cause is kept for the debugger but never printed (`log` and `respond` only read the fields below).
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly code: FailureCode;
  /** The next step as data, for the door that shows it. */
  readonly next: Hint | undefined;
  /** The next step as a caller of all tools reads it. */
  readonly hint: string | undefined;
  readonly engineCode: string | undefined;
  readonly position: number | undefined;
  readonly excerpt: Excerpt | undefined;
  readonly nearest: readonly string[];
  readonly detail: FailureDetail;

  constructor(kind: FailureKind, message: string, options: Details = {}) {
    super(clean(message));
    // The cause is not enumerable: loggers and serializers that walk an error must not find driver objects with passwords in them.
    Object.defineProperty(this, 'cause', { value: options.cause, enumerable: false, configurable: true });
    this.kind = kind;
    this.code = options.code ?? failureKinds[kind];
    this.next = options.hint === undefined ? undefined : cleanHint(options.hint);
    this.hint = formatHint(this.next, { offers: () => true, readonly: false });
    this.engineCode = options.engineCode === undefined ? undefined : clean(options.engineCode);
    this.position = options.position;
    // A piece in which something has to be removed would no longer fit its column.
    const { excerpt } = options;
    this.excerpt = excerpt !== undefined && redact(excerpt.text) === excerpt.text ? excerpt : undefined;
    this.nearest = (options.nearest ?? []).map(clean);
    this.detail = options.detail ?? {};
    this.stack = redact(this.stack ?? '');
  }

  /** What Node prints, including for uncaught errors: by default it would follow the cause into the driver's objects. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.stack ?? this.message;
  }
}

/** Turns whatever was thrown into a Failure; anything unforeseen becomes `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return programReplaced(error);
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('internal', message || 'unknown error', {
    hint: 'This is a bug in the server; see the trace in its log on stderr.',
    cause: error,
  });
}

/** Parts of the program are loaded when they are first needed, and an update of the package removes them. */
function programReplaced(cause: Error): Failure {
  return new Failure('internal', 'the files of this server were updated or removed since it started', {
    code: 'E_RESTART_NEEDED',
    hint: askUser('restart this server, for example by reconnecting it in the client'),
    cause,
  });
}

/** A copy of the failure with some fields replaced; a field that is given as undefined is removed. */
export function failureWith(failure: Failure, changes: Details & { message?: string }): Failure {
  const { kind, message, code, next: hint, engineCode, position, excerpt, nearest, detail, cause } = failure;
  const details = { code, hint, engineCode, position, excerpt, nearest, detail, cause, ...changes };
  return new Failure(kind, changes.message ?? message, details);
}

/** A copy of the failure for a call that ended before the database confirmed the end of its statement. */
export function withoutConfirmedEnd(failure: Failure): Failure {
  const message = `${failure.message}; the database has not confirmed that it ended, so it may still be running`;
  return failureWith(failure, { message });
}

/** A step that only a person can take: the imperative without a period, such as `edit config.json`. */
export function askUser(step: string): Step {
  return { tool: `Ask the user to ${step}.`, cli: `${step.charAt(0).toUpperCase()}${step.slice(1)}.` };
}

/** The hints one after the other. */
export function joinHints(...hints: readonly (Hint | undefined)[]): Hint {
  return hints.flatMap((hint) => hint ?? []);
}

/** What failed and the next step, as the hint of another failure. */
export function describeFailure({ message, next }: Pick<Failure, 'message' | 'next'>): Hint {
  return joinHints(`${message}.`, next);
}

/** The server, or the way to it, was not there. */
export function isLoss(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'connection' || error.kind === 'tunnel');
}

/** The steps that are possible at this door, as sentences; undefined when there are none. */
export function formatHint(hint: Hint | undefined, door: Door): string | undefined {
  const sentences = [hint ?? []].flat().flatMap((step) => formatStep(step, door) ?? []);
  return sentences.length === 0 ? undefined : [...new Set(sentences)].join(' ');
}

/** What failed and the next step, as sentences that fit into another text. */
export function formatAdvice(failure: Pick<Failure, 'message' | 'next'>, door: Door): string {
  return formatHint(describeFailure(failure), door) ?? '';
}

/** The advice for a write on a read-only connection. */
export const readonlyAdvice = 'The connection is read-only; only the user can make it writable, where it is defined.';
const readonlyServerAdvice = 'The server was started with --readonly; only the user can make it writable.';

function formatStep(step: string | Step, door: Door): string | undefined {
  if (typeof step === 'string') return step;
  const { call, writes, run, to, tool, cli } = step;
  const purpose = to === undefined ? '.' : ` to ${to}.`;
  if ('program' in door) {
    const isPossible = run !== undefined && !(door.isUnsaved && run.includes('CONNECTION'));
    if (!isPossible) return cli;
    return `Run \`${door.program} ${run.replace('CONNECTION', door.connection ?? 'CONNECTION')}\`${purpose}`;
  }
  if (writes && door.isReadonlyServer) return readonlyServerAdvice;
  if (writes && door.readonly) return readonlyAdvice;
  return call !== undefined && door.offers(call) ? `Call ${call}${purpose}` : tool;
}

function cleanHint(hint: Hint): Hint {
  if (typeof hint === 'string') return clean(hint);
  if (Array.isArray(hint)) return hint.flatMap(cleanHint);
  return Object.fromEntries(Object.entries(hint).map(([key, value]) => [key, value === true ? value : clean(value)]));
}

function clean(text: string): string {
  const safe = redact(text);
  return safe.length > textLimit ? `${safe.slice(0, alignCut(safe, textLimit))}… (${safe.length} characters)` : safe;
}

/** The error for a write on a read-only connection. `instead` is how to read there. */
export function readonlyFailure(connection: string, instead?: Hint): Failure {
  return new Failure('refused', `the connection "${connection}" is read-only; nothing was run`, {
    code: 'E_READONLY',
    hint: joinHints(
      'Only the user can make it writable, where it is defined.',
      { call: 'list_connections', to: 'see where that is' },
      instead,
    ),
  });
}
