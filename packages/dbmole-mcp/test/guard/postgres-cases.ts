import type { Param } from '../../src/engine.ts';
import { fillCase, type GuardCase } from './case-file.ts';
import type { PostgresFixture } from './postgres-fixture.ts';

/** Where the cases are tried, and what they are asked by in `only:`. */
export const guardServers = { postgres14: '14', postgres18: '18' } as const;
export const guardServerIds = ['postgres14', 'postgres18'] as const;

/** The values for the placeholders of the engine, `$1`, as the case notes them. */
export function paramsOf({ notes }: GuardCase, values: Readonly<Record<string, string | number>>): readonly Param[] {
  // The cases are ours.
  return JSON.parse(fillCase(notes.params ?? '[]', values)) as Param[];
}

/** A case may need an extension that this machine cannot load. */
export function isMissing({ notes }: GuardCase, { extensions }: PostgresFixture): boolean {
  return notes.needs !== undefined && !extensions.has(notes.needs);
}
