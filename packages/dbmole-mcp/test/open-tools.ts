import { type OpenProgram, openProgram } from '@dbmole/core/testing';
import { definition } from '../src/server.ts';
import type { Account } from './direct.ts';

export type OpenTools = OpenProgram;

type TestConnection = Partial<Omit<Account, 'type'>> & Record<string, unknown> & { name: string };

/** A client of all tools in this process, over these connections; `close` ends everything that it opened. */
export async function openTools(connections: readonly TestConnection[], env: Record<string, string> = {}): Promise<OpenTools> {
  return await openProgram(definition, { DBMOLE_CONNECTIONS: JSON.stringify(connections), ...env });
}
