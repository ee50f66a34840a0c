import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRegistry } from '../registry/registry.ts';
import { failureOf } from '../testing/failure-of.ts';
import {
  type ExampleConnection,
  eachInRegistryWorld,
  example,
  exampleSchema,
  type RegistryWorld,
} from '../testing/fakes/registry-world.ts';
import { type ConnectionListOptions, formatConnections } from './connections/connection-list.ts';

/**
 * There is no limit to the number of connections but the size of the file, 1 MB: it is what makes reading it quick, and it says so
 * when it is reached (`E_STORE_FULL`).
 */
let world: RegistryWorld;
eachInRegistryWorld((one) => {
  world = one;
});

const count = 5_000;
const shown = (limit: number): ConnectionListOptions<ExampleConnection> => ({
  page: { limit, offset: 0 },
  publicView: ({ type, host }) => ({ type, host }),
  status: () => ({ state: 'closed' }),
  door: { offers: () => true, readonly: false },
});

function writeMany(): void {
  const { name: _name, ...fields } = example;
  world.writeStore(
    ...Array.from({ length: count }, (_, index) => ({ ...fields, name: `c${index}`, host: `h${index}.internal` })),
  );
}

it('5,000 connections are listed in pages, named shortly in an error, and changed', { timeout: 60_000 }, async () => {
  writeMany();
  expect(statSync(world.storePath).size).toBeLessThan(1_048_576);
  const started = performance.now();
  const { registry } = world;
  const snapshot = await registry.list();
  expect(snapshot.entries).toHaveLength(count);
  // A quiet machine needs half a second.
  expect(performance.now() - started).toBeLessThan(20_000);
  const replies = [100, 1_000].map((limit) => formatConnections(snapshot, shown(limit)));
  for (const { content } of replies) expect(JSON.stringify(content).length).toBeLessThan(40_000);
  for (const name of ['c', undefined]) expect((await failureOf(registry.get(name))).toString().length).toBeLessThan(500);
  await registry.add({ ...example, name: 'new', host: 'new.internal' });
  expect((await registry.get('new')).config).toMatchObject({ host: 'new.internal' });
});

it('nothing is made again while nothing changes, with a place for a project file and without one', async () => {
  world.writeStore(example);
  const { storePath, env, folder } = world;
  const options = { storePath, env, schema: exampleSchema, logPrefix: 'x', envVar: 'EXAMPLE_CONNECTIONS', log: () => {} };
  const more = { cwd: folder.path, home: folder.path, resolvePort: () => 1 };
  const plain = createRegistry<ExampleConnection>({ ...options, ...more });
  for (const registry of [world.registry, plain]) expect(await registry.list()).toBe(await registry.list());
});
