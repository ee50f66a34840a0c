import type { RunningEngine } from '@dbmole/engines';
import { afterEach } from 'vitest';
import type { Session } from '../../src/engine.ts';
import { engine } from '../../src/engines/mysql/engine.ts';
import { never, type TargetChanges, targetOf } from './mysql-rig.ts';

/** Sessions that are closed after each test. */
export function useSessions(server: () => RunningEngine): (changes?: TargetChanges) => Promise<Session> {
  const open: Session[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((session) => session.close()));
  });
  return async (changes) => {
    const session = await engine.openSession(targetOf(server(), changes), never);
    open.push(session);
    return session;
  };
}
