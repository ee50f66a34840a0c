import {
  type Backend,
  Failure,
  type FlagState,
  formatAdvice,
  type Log,
  runProgram,
  type ServerDefinition,
  type Terminal,
  toFailure,
} from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { findNode } from '../engines/sqlite/wire/find-node.ts';
import type { Dialect, Sample, SampleOptions } from './sample-shop.ts';

/** `runProgram` with the sample database. It needs no disposal: it ends with this process. `word` is what `--demo` was given. */
export async function runDemo<B extends Backend>(
  definition: ServerDefinition<Connection, B>,
  terminal: Terminal,
  word: FlagState,
): Promise<number | undefined> {
  try {
    const { definition: withSample, prepare } = await withDemo(definition, terminal, word);
    // Without a command, it is a server that will be asked at once.
    if (terminal.argv.every((argument) => argument.startsWith('--demo'))) prepare();
    return await runProgram(withSample, terminal);
  } catch (error) {
    const program = definition.program.name;
    terminal.printError(`${program}: ${formatAdvice(toFailure(error), { program })}`);
    return 1;
  }
}

const variable = 'DBMOLE_CONNECTIONS';

interface Demo<C extends Connection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  prepare(): void;
  dispose(): Promise<void>;
}

/** A server with two connections to the sample database, beside the person's own. */
export async function withDemo<B extends Backend>(
  definition: ServerDefinition<Connection, B>,
  { env, home }: { env: NodeJS.ProcessEnv; home: string },
  word: FlagState = true,
): Promise<Demo<Connection, B>> {
  let log: Log = () => undefined;
  const sample = await createSample(chooseDialect(word, env), { env, home, log: (...line) => log(...line) });
  refuseTaken(env, sample);
  const { connections, backend, tools, queries } = definition;
  const demoDefinition: ServerDefinition<Connection, B> = {
    ...definition,
    connections: {
      ...connections,
      ownConnections: [{ from: '--demo', list: sample.connections }],
      publicView: (config) => ({ ...connections.publicView(config), ...(sample.isOwn(config) && sample.shownPlace) }),
    },
    backend: {
      ...backend,
      create: async (target, signal, options) => backend.create(await sample.reach(target, signal), signal, options),
    },
    ...(queries && {
      queries: { ...queries, bring: async () => (await import('./sample-queries.ts')).listSampleQueries(sample.dialect) },
    }),
    tools: {
      ...tools,
      instructions: `${tools.instructions}${describe(sample)}`,
      register(app) {
        log = app.log;
        tools.register?.(app);
      },
    },
  };
  return { definition: demoDefinition, prepare: () => sample.prepare?.(), dispose: () => sample.dispose() };
}

function describe({ engine }: Sample): string {
  return `
The user asked for sample data: "demo" is a shop (customers, orders, products) in ${engine}.
"demo-rw" is the same and may be written to; what is written there is gone when this server ends.`;
}

/** SQLite, unless another one is named or this Node has none. */
function chooseDialect(word: FlagState, env: NodeJS.ProcessEnv): Dialect {
  if (word === 'postgres' || word === 'sqlite') return word;
  try {
    findNode(env);
    return 'sqlite';
  } catch {
    return 'postgres';
  }
}

async function createSample(dialect: Dialect, options: SampleOptions): Promise<Sample> {
  if (dialect === 'sqlite') return (await import('./sqlite/sqlite-sample.ts')).createSqliteSample(options);
  return (await import('./postgres-sample.ts')).createPostgresSample(options);
}

/** What is wrong with the variable is left for the registry to say. */
function refuseTaken(env: NodeJS.ProcessEnv, { connections }: Sample): void {
  const names = parseList(env[variable]).map((one) =>
    typeof one === 'object' && one !== null ? Reflect.get(one, 'name') : undefined,
  );
  const taken = connections.find(({ name }) => names.includes(name));
  if (taken === undefined) return;
  throw new Failure('config', `${variable} has a connection named "${taken.name}", which --demo would hide`, {
    hint: 'Give it another name, or start without --demo.',
  });
}

/** The list in the variable; nothing when it holds something else. */
function parseList(text: string | undefined): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
