import { redact } from './redact.ts';
import { alignCut } from './text.ts';

/**
 * Every way a call can fail. The set is closed: whatever is not one of these is a bug of ours and is shown as `internal`.
 * The kind decides the default code, which is what scripts and documentation refer to.
 */
export const failureKinds = {
  /** The caller's arguments are wrong. */
  input: 'E_INPUT',
  /** A configuration file, variable or stored connection is wrong. */
  config: 'E_CONFIG',
  /** The thing that was named does not exist. */
  unknown: 'E_UNKNOWN',
  /** A rule of ours forbids it, whatever the database would say. */
  refused: 'E_REFUSED',
  /** A secret could not be resolved. */
  secret: 'E_SECRET',
  /** The database cannot be reached. */
  connection: 'E_CONNECTION',
  /** The SSH tunnel failed. */
  tunnel: 'E_TUNNEL',
  /** The database refused who we say we are. */
  auth: 'E_AUTH',
  /** The time limit passed. */
  timeout: 'E_TIMEOUT',
  /** The caller cancelled, or the server is shutting down. */
  cancelled: 'E_CANCELLED',
  /** The database answered with an error of its own. */
  engine: 'E_ENGINE',
  /** A limit of ours was reached: waiting calls, size of an input. */
  limit: 'E_LIMIT',
  /** Our bug. */
  internal: 'E_INTERNAL',
} as const satisfies Record<string, `E_${string}`>;

export type FailureKind = keyof typeof failureKinds;
export type FailureCode = `E_${string}`;

export interface FailureOptions {
  /** A finer code than the kind's own, for example `E_SSH_HOST_KEY_CHANGED`. */
  code?: FailureCode;
  /** The next step, as one sentence; names a tool or a command when one helps. */
  hint?: string;
  /** The next step of a person in a terminal, who has commands and no tools; where it is the same, `hint` alone is enough. */
  personHint?: string;
  /** The engine's own code, for example an SQLSTATE. */
  engineCode?: string;
  /** Where in the statement, counted from 1. */
  position?: number;
  /** Existing names that resemble the one that was not found. */
  nearest?: readonly string[];
  cause?: unknown;
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
  readonly hint: string | undefined;
  readonly personHint: string | undefined;
  readonly engineCode: string | undefined;
  readonly position: number | undefined;
  readonly nearest: readonly string[];

  constructor(kind: FailureKind, message: string, options: Details = {}) {
    super(clean(message));
    // Not enumerable: loggers and serializers that walk an error must not find driver objects with passwords in them.
    Object.defineProperty(this, 'cause', { value: options.cause, enumerable: false, configurable: true });
    this.kind = kind;
    this.code = options.code ?? failureKinds[kind];
    this.hint = options.hint === undefined ? undefined : clean(options.hint);
    this.personHint = options.personHint === undefined ? undefined : clean(options.personHint);
    this.engineCode = options.engineCode === undefined ? undefined : clean(options.engineCode);
    this.position = options.position;
    this.nearest = (options.nearest ?? []).map(clean);
    this.stack = redact(this.stack ?? '');
  }

  /** What Node prints, also of an error that nobody caught: by default it would follow the cause into the driver's objects. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.stack ?? this.message;
  }
}

/** Turns whatever was thrown into a Failure; what we did not foresee becomes `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('internal', message || 'unknown error', {
    hint: 'This is a bug in the server; the log on stderr has its trace.',
    cause: error,
  });
}

/** The same failure, with some of it said otherwise; what is given as undefined is left away. */
export function failureWith(failure: Failure, changes: Details & { message?: string }): Failure {
  const { kind, message, code, hint, personHint, engineCode, position, nearest, cause } = failure;
  const details = { code, hint, personHint, engineCode, position, nearest, cause, ...changes };
  return new Failure(kind, changes.message ?? message, details);
}

/** Of a call that ended before the database has confirmed that what it ran has ended as well. */
export function withoutConfirmedEnd(failure: Failure): Failure {
  const message = `${failure.message}; the database has not confirmed that it ended, so it may still be running`;
  return failureWith(failure, { message });
}

/** The same failure, with what a person in a terminal does next. */
export function forPerson(failure: Failure, personHint: string): Failure {
  return failureWith(failure, { personHint });
}

/** What failed and the next step, as sentences that can stand inside another text. */
export function formatAdvice({ message, hint }: Pick<Failure, 'message' | 'hint'>): string {
  return hint === undefined ? `${message}.` : `${message}. ${hint}`;
}

function clean(text: string): string {
  const safe = redact(text);
  return safe.length > textLimit ? `${safe.slice(0, alignCut(safe, textLimit))}… (${safe.length} characters)` : safe;
}
