import { Failure } from '@dbmole/core';
import type { SqlBackend } from '../../src/backend/backend.ts';
import type { Param } from '../../src/engine.ts';
import { fillCase, type GuardCase } from './case-file.ts';
import { type GuardServer, never, openGuarded, type Role, readGuarded } from './mysql-guarded.ts';
import { compareStates, type ServerState } from './mysql-server-state.ts';
import { readSessionState } from './mysql-session-state.ts';

/** What came of one statement, as the tests compare it. */
interface Outcome {
  /** `ran`, or the code of the failure, or what kind it was. */
  readonly end: string;
  readonly detail: string;
  /** What is not as it was before. Not looked for when the statement was refused: then it never went out. */
  readonly effects: readonly string[];
}

const refusedCode = 'E_NOT_A_READ';
const refusedCodes: readonly string[] = [refusedCode, 'E_TOO_COMPLEX', 'E_MULTIPLE_STATEMENTS'];

/** One account at the guard, for one case after another. */
export interface Attacker {
  attack(one: GuardCase): Promise<Outcome>;
  close(): Promise<void>;
}

export async function openAttacker(server: GuardServer, role: Role): Promise<Attacker> {
  const backend = await openGuarded(server.engine, role);
  let before = await readBoth(server, backend);
  return {
    async attack(one) {
      const end = await tryCase(backend, one, server.values(role));
      if (end.end === refusedCode) return { ...end, effects: [] };
      const after = await readBoth(server, backend);
      const effects = compareStates(before, after);
      if (effects.length > 0) {
        await server.rebuild();
        before = await readBoth(server, backend);
      }
      return { ...end, effects };
    },
    close: () => backend.dispose(),
  };
}

async function readBoth(server: GuardServer, backend: SqlBackend): Promise<ServerState> {
  const session = await readSessionState(backend.catalogRun({ signal: never }));
  return { ...(await server.readState()), ...session };
}

async function tryCase(backend: SqlBackend, one: GuardCase, values: Readonly<Record<string, string | number>>) {
  try {
    await readGuarded(backend, fillCase(one.sql, values), paramsOf(one, values));
    return { end: 'ran', detail: '' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { end: checkRefusal(error), detail: `${error.kind} ${error.code}: ${error.message}` };
  }
}

/** A refusal says where, why, and what to do instead; anything less does not count. The engine refuses too, once it has begun. */
function checkRefusal(failure: Failure): string {
  if (failure.kind === 'refused' && failure.code === 'E_READONLY') return 'engine';
  if (failure.kind !== 'refused') return failure.kind;
  const complete = refusedCodes.includes(failure.code) && (failure.position ?? 0) > 0 && Boolean(failure.hint);
  return complete ? refusedCode : 'an incomplete refusal';
}

export function paramsOf({ id, notes }: GuardCase, values: Readonly<Record<string, string | number>> = {}): Param[] {
  if (notes.params === undefined) return [];
  const params: unknown = JSON.parse(fillCase(notes.params, values));
  if (!Array.isArray(params)) throw new Error(`${id}: params is no list`);
  // Written as such in the case file.
  return params as Param[];
}

/** The outcomes that are right. */
export function acceptable({ verdict, notes }: GuardCase): readonly string[] {
  if (verdict === 'refuse') return notes.input === 'yes' ? [refusedCode, 'input'] : [refusedCode];
  return [refusedCode, 'ran', 'engine', 'input', 'timeout', 'limit'];
}
