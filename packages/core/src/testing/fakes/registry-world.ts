import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import * as z from 'zod';
import { type BaseConnection, baseConnectionShape, secretRef } from '../../connection.ts';
import type { Failure } from '../../failure.ts';
import { forgetSecrets } from '../../redact/redact.ts';
import { createRegistry, type Registry, type RegistryOptions } from '../../registry/registry.ts';
import { allowProjectFile } from '../../registry/trust/trust.ts';
import { createTempFolder, type TempFolder } from '../temp-folder.ts';

/** A server's schema with one more secret, one more way to move a connection, and a rule across fields. */
export const exampleSchema = z
  .strictObject({
    ...baseConnectionShape,
    user: z.string().optional(),
    type: z.enum(['north', 'south']),
    database: z.string().min(1).optional(),
    token: secretRef.describe('another secret').optional(),
    mirror: z.string().optional(),
    verify: z.boolean().optional(),
  })
  .refine((connection) => connection.mirror === undefined || connection.type === 'south', {
    path: ['mirror'],
    message: 'only south has mirrors',
  });

export type ExampleConnection = z.output<typeof exampleSchema>;

export interface RegistryWorld extends Disposable {
  folder: TempFolder;
  env: Record<string, string | undefined>;
  registry: Registry<ExampleConnection>;
  storePath: string;
  /** In `work/deep` of the folder, which is the working directory. */
  projectPath: string;
  logged: string[];
  writeStore(...connections: object[]): void;
  writeProject(...connections: object[]): void;
  /** The environment's connections. */
  setVariable(...connections: object[]): void;
  /** Allows the project file as it is now. */
  allow(): Promise<unknown>;
  /** What is wrong with a connection, as it is listed. */
  problemOf(name: string): Promise<Failure | undefined>;
  readStore(): { version: number; connections: Record<string, unknown>[]; [key: string]: unknown };
  /** Another registry over the same files, as another process would have. */
  another(options?: Partial<RegistryOptions<ExampleConnection>>): Registry<ExampleConnection>;
}

export const example = { name: 'prod', type: 'north', host: 'db.internal', user: 'me' } as const;

/** Before each test of a file another one; after it nothing is left, nor what it remembered as a secret. */
export function eachInRegistryWorld(
  enter: (world: RegistryWorld) => void,
  options: Partial<RegistryOptions<ExampleConnection>> = {},
): void {
  let world: RegistryWorld | undefined;
  beforeEach(() => {
    world = createRegistryWorld(options);
    enter(world);
  });
  afterEach(() => {
    world?.[Symbol.dispose]();
    forgetSecrets();
  });
}

function createRegistryWorld(options: Partial<RegistryOptions<ExampleConnection>> = {}): RegistryWorld {
  const folder = createTempFolder();
  const env: Record<string, string | undefined> = {};
  const storePath = folder.at('config', 'connections.json');
  const projectPath = folder.at('work', '.example.json');
  const logged: string[] = [];
  mkdirSync(folder.at('work', 'deep'), { recursive: true });
  const another = (more: Partial<RegistryOptions<ExampleConnection>> = {}) =>
    createRegistry<ExampleConnection>({
      storePath,
      env,
      schema: exampleSchema,
      logPrefix: 'example-mcp',
      envVar: 'EXAMPLE_CONNECTIONS',
      projectFileName: '.example.json',
      cwd: folder.at('work', 'deep'),
      home: folder.at('home'),
      resolvePort: ({ port, type }: BaseConnection) => port ?? (type === 'north' ? 1 : 2),
      log: (_level, message) => logged.push(message),
      ...options,
      ...more,
    });
  const registry = another();
  return {
    folder,
    env,
    registry,
    storePath,
    projectPath,
    logged,
    writeStore: (...connections) => writeConnections(storePath, connections),
    writeProject: (...connections) => writeConnections(projectPath, connections),
    setVariable(...connections) {
      env.EXAMPLE_CONNECTIONS = JSON.stringify(connections);
    },
    allow: () => allowProjectFile({ trustPath: folder.at('config', 'allowed.json'), file: projectPath }),
    problemOf: async (name) => (await registry.list()).entries.find((entry) => entry.name === name)?.problem,
    readStore: () => JSON.parse(readFileSync(storePath, 'utf8')),
    another,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

export function writeConnections(path: string, connections: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ version: 1, connections }, null, 2), { mode: 0o600 });
}
