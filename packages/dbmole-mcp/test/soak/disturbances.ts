import { performance } from 'node:perf_hooks';
import type { RunningEngine } from '@dbmole/engines';
import type { SoakConnection, SoakSite } from './soak-site.ts';

export interface Disturbances {
  /** The next one in turn, from its beginning to its end. */
  next(): Promise<void>;
  /** Descriptions, in the order in which they came. */
  readonly done: readonly string[];
  /** Whether something that the connection needs was away since then, or just before. */
  hit(connection: SoakConnection, since: number): boolean;
}

type Part = RunningEngine | 'bastion';

interface Disturbance {
  name: string;
  part: Part;
  run(): Promise<unknown>;
}

/** For this long, an engine that is back may still be starting up, or a lost connection be unnoticed. */
const graceMs = 3_000;

/** Every engine ends in order and by a power cut, and the bastion cuts its sessions or goes away as a whole. */
export function createDisturbances({ engines, topology: { bastion } }: SoakSite): Disturbances {
  const all: Disturbance[] = [
    { name: 'the sessions of the bastion cut', part: 'bastion', run: () => bastion.killSessions() },
    ...engines.map((engine) => ({ name: `${engine.id} restarted`, part: engine, run: () => restart(engine, 'shutDown') })),
    { name: 'the bastion restarted', part: 'bastion', run: () => restart(bastion, 'shutDown') },
    ...engines.map((engine) => ({ name: `${engine.id} killed`, part: engine, run: () => restart(engine, 'kill') })),
  ];
  const done: string[] = [];
  const lastSeen = new Map<Part, number>();
  return {
    done,
    async next() {
      const one = all[done.length % all.length];
      if (one === undefined) return;
      lastSeen.set(one.part, Number.POSITIVE_INFINITY);
      done.push(one.name);
      await one.run();
      lastSeen.set(one.part, performance.now());
    },
    hit({ engine, tunnelled }, since) {
      const parts: Part[] = tunnelled ? [engine, 'bastion'] : [engine];
      return parts.some((part) => (lastSeen.get(part) ?? Number.NEGATIVE_INFINITY) > since - graceMs);
    },
  };
}

async function restart({ control }: Pick<RunningEngine, 'control'>, how: 'shutDown' | 'kill'): Promise<void> {
  if (control === undefined) throw new Error('this engine is not an owned process');
  await control[how]();
  await control.start();
}
