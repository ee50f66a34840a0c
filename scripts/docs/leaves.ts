import type { ProgramFlag, ProgramSetting } from '@dbmole/core';
import { definition as dbmole } from '../../packages/dbmole-mcp/src/server.ts';
import { definition as esmole } from '../../packages/esmole-mcp/src/server.ts';
import { flags, program, settings } from '../../packages/molehub-mcp/src/options.ts';

/** What the pages say of a server; it says so itself. */
export interface ShownLeaf {
  /** The name of the package and its program. */
  name: string;
  app: string;
  summary: string;
  settings?: readonly ProgramSetting[];
  flags?: readonly ProgramFlag[];
}

/** The servers of connections, in the order of the pages. */
export const leaves: readonly ShownLeaf[] = [dbmole.program, esmole.program];

/** Published as they are, with other pages: it has no connections. */
export const hub: ShownLeaf = { ...program, settings, flags };
