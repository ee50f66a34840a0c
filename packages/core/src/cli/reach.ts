import type { BaseConnection } from '../connection.ts';
import { toFailure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { withManaged } from '../tools/managed.ts';
import type { CommandCall } from './command.ts';
import { formatPersonAdvice } from './person-hint.ts';

interface Answered {
  /** What answered. */
  lines: readonly string[];
  /** What the account could do beyond reading; empty when that was not asked. */
  audit: readonly string[];
}

interface Question {
  signal: AbortSignal;
  audits: boolean;
}

/** Connects and asks who is there; or says in a line why nobody is, and what to do. */
export async function reach<C extends BaseConnection, B extends Backend>(
  name: string,
  { app, leaf }: CommandCall<C, B>,
  { signal, audits }: Question,
): Promise<Answered | string> {
  const ask = async (backend: B) => ({
    lines: await leaf.ping(backend, signal),
    audit: audits ? ((await leaf.audit?.(backend, signal)) ?? []) : [],
  });
  try {
    return await withManaged(app.manager, name, ask, { ...leaf, signal });
  } catch (error) {
    return formatProblem(error, leaf.name);
  }
}

export function formatProblem(error: unknown, program: string): string {
  const failure = toFailure(error);
  return `${failure.code}: ${formatPersonAdvice(failure, program)}`;
}
