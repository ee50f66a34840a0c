import type { BaseConnection } from '../../connection.ts';
import { type CommandDoor, type Failure, formatAdvice, toFailure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import type { Audit } from '../../tools/connections/connection-tools.ts';
import { withManaged } from '../../tools/connections/managed.ts';
import type { CommandCall } from '../command.ts';

/** What answered, and what the account could do beyond reading if that was asked; or why nothing did. */
export type Reached = { lines: readonly string[]; audit?: Audit | undefined } | { failure: Failure };

interface Question {
  signal: AbortSignal;
  audits: boolean;
}

/** Connects and asks for name and version. */
export async function reach<C extends BaseConnection, B extends Backend>(
  name: string,
  { app, definition }: Pick<CommandCall<C, B>, 'app' | 'definition'>,
  { signal, audits }: Question,
): Promise<Reached> {
  const ask = async (backend: B) => ({
    lines: await definition.backend.ping(backend, signal),
    audit: audits ? await definition.backend.audit?.(backend, signal) : undefined,
  });
  try {
    return await withManaged(app.manager, name, ask, { ...definition.backend, signal });
  } catch (error) {
    return { failure: toFailure(error) };
  }
}

/** The next step names the connection, unless it is not saved. */
export function formatProblem(error: unknown, program: string, about: Omit<CommandDoor, 'program'> = {}): string {
  const failure = toFailure(error);
  return `${failure.code}: ${formatAdvice(failure, { program, ...about })}`;
}
