import type { BackendTarget, Log } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';

export type Dialect = 'postgres' | 'sqlite';

/** The sample shop on one engine. Nothing is made before `reach`, unless `prepare` is called. */
export interface Sample {
  /** The connections, with a placeholder for the place: by it, `isOwn` knows them. */
  connections: readonly ({ name: string } & Record<string, unknown>)[];
  isOwn(config: Connection): boolean;
  /** What is shown of the place. */
  shownPlace: Readonly<Record<string, string | undefined>>;
  /** Where the engine is, for the instructions of the server. */
  engine: string;
  /** Which of the saved queries are for it. */
  dialect: Dialect;
  /** The place behind one of its connections. */
  reach(target: BackendTarget<Connection>, signal: AbortSignal): Promise<BackendTarget<Connection>>;
  /** Makes it ready while the server starts. */
  prepare?(): void;
  dispose(): Promise<void>;
}

export interface SampleOptions {
  env: NodeJS.ProcessEnv;
  home: string;
  log: Log;
}
