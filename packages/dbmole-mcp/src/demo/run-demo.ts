import {
  type Backend,
  type BackendTarget,
  Failure,
  formatAdvice,
  type Log,
  rememberSecret,
  runProgram,
  type ServerDefinition,
  type Terminal,
  toFailure,
} from '@dbmole/core';
import type { Connection, ServerConnection } from '../connection/schema.ts';
import { createDemoEngine, type DemoEngine } from './demo-engine.ts';
import { shop } from './sample-template.ts';

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

/** A placeholder for the address in the configuration; by its ending it can never be one of a real server. */
const demoHost = 'demo.invalid';
const variable = 'DBMOLE_CONNECTIONS';

const demoConnections = [
  { name: 'demo', type: 'postgres', host: demoHost, database: shop.database, user: shop.reader, readonly: true },
  { name: 'demo-rw', type: 'postgres', host: demoHost, database: shop.database, user: shop.owner, readonly: false },
] as const;

const demoInstructions = `
The user asked for sample data: "demo" is a shop (customers, orders, products) in a PostgreSQL that starts at the first call.
"demo-rw" is the same and may be written to; what is written there is gone when this server ends.`;

interface Demo<C extends Connection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  dispose(): Promise<void>;
}

/**
 * A server with two connections to the sample database, beside the person's own. They are listed from the start, but there is no
 * engine, and no address, before one of them is opened.
 */
export function withDemo<B extends Backend>(
  definition: ServerDefinition<Connection, B>,
  { env, home }: { env: NodeJS.ProcessEnv; home: string },
): Demo<Connection, B> {
  refuseTaken(env);
  let log: Log = () => undefined;
  const engine = createDemoEngine({ env, home, log: (...line) => log(...line) });
  const { connections, backend, tools, queries } = definition;
  const demoDefinition: ServerDefinition<Connection, B> = {
    ...definition,
    connections: {
      ...connections,
      ownConnections: [{ from: '--demo', list: demoConnections }],
      publicView: (config) => ({
        ...connections.publicView(config),
        ...(isDemo(config) && { host: 'embedded', port: undefined }),
      }),
    },
    backend: {
      ...backend,
      create: async (target, signal, options) => backend.create(await reached(target, engine, signal), signal, options),
    },
    ...(queries && { queries: { ...queries, bring: async () => (await import('./sample-queries.ts')).sampleQueries } }),
    tools: {
      ...tools,
      instructions: `${tools.instructions}${demoInstructions}`,
      register(app) {
        log = app.log;
        tools.register?.(app);
      },
    },
  };
  return { definition: demoDefinition, dispose: () => engine.dispose() };
}

function isDemo(config: Connection): config is ServerConnection {
  return config.host === demoHost;
}

async function reached(
  target: BackendTarget<Connection>,
  engine: DemoEngine,
  signal: AbortSignal,
): Promise<BackendTarget<Connection>> {
  const { config: asked } = target;
  if (!isDemo(asked)) return target;
  const { port, password } = await engine.address(signal);
  rememberSecret(password);
  const host = '127.0.0.1';
  const config: ServerConnection = { ...asked, host, port, password, tls: 'disable' };
  return { config, connectHost: host, connectPort: port, serverName: host };
}

/** What is wrong with the variable is left for the registry to say. */
function refuseTaken(env: NodeJS.ProcessEnv): void {
  const names = parseList(env[variable]).map((one) =>
    typeof one === 'object' && one !== null ? Reflect.get(one, 'name') : undefined,
  );
  const taken = demoConnections.find(({ name }) => names.includes(name));
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
