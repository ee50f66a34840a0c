import type { LeafFlag, LeafSetting } from '@dbmole/core';
import { leaf as dbmole } from '../../packages/dbmole-mcp/src/server.ts';
import { leaf as esmole } from '../../packages/esmole-mcp/src/server.ts';

/** What the pages say of a server; it says so itself. */
export interface ShownLeaf {
  /** Of the package and its program. */
  name: string;
  app: string;
  summary: string;
  settings?: readonly LeafSetting[];
  flags?: readonly LeafFlag[];
}

/** In the order of the pages. */
export const leaves: readonly ShownLeaf[] = [dbmole, esmole];
