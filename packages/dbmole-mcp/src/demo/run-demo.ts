import { type Backend, type Leaf, runLeaf, type Terminal, toFailure } from '@dbmole/core';
import type { Connection } from '../schema.ts';
import { withDemo } from './with-demo.ts';

/** `runLeaf` with the sample database. Nobody has to dispose it: it ends with this process. */
export async function runDemo<B extends Backend>(leaf: Leaf<Connection, B>, terminal: Terminal): Promise<number | undefined> {
  try {
    return await runLeaf(withDemo(leaf, terminal).leaf, terminal);
  } catch (error) {
    const { message, hint } = toFailure(error);
    terminal.printError(`${leaf.name}: ${message}${hint === undefined ? '' : `\n${hint}`}`);
    return 1;
  }
}
