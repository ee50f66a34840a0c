import { type Backend, formatAdvice, runProgram, type ServerDefinition, type Terminal, toFailure } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { withDemo } from './with-demo.ts';

/** `runProgram` with the sample database. It needs no disposal: it ends with this process. */
export async function runDemo<B extends Backend>(
  definition: ServerDefinition<Connection, B>,
  terminal: Terminal,
): Promise<number | undefined> {
  try {
    return await runProgram(withDemo(definition, terminal).definition, terminal);
  } catch (error) {
    const program = definition.program.name;
    terminal.printError(`${program}: ${formatAdvice(toFailure(error), { program })}`);
    return 1;
  }
}
