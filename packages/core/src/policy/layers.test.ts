import { describe, expect, it } from 'vitest';
import type { BaseConnection } from '../connection.ts';
import type { Registry } from '../registry/registry.ts';
import { failureOf } from '../testing/failure-of.ts';
import { type ExampleConnection, eachInRegistryWorld, example, type RegistryWorld } from '../testing/fakes/registry-world.ts';
import { listPolicies } from './layers.ts';

let world: RegistryWorld;
let registry: Registry<ExampleConnection>;
eachInRegistryWorld(
  (one) => {
    world = one;
    registry = one.registry;
  },
  { restrictionFields: ['mirror'] },
);

const hiddenBy = ({ alsoHolds }: BaseConnection) => alsoHolds;
const narrow = { ...example, type: 'south', mirror: 'own', environment: 'production', password: 'a-password-of-the-store' };

describe('a policy in the store, where a project file has a connection of the same name', () => {
  it('holds beside that of the project file, in the list and in use', async () => {
    world.writeStore(narrow);
    world.writeProject({ ...example, type: 'south', host: 'project.internal', mirror: 'theirs' });
    await world.allow();
    const { config } = await registry.get('prod');
    expect(config).toMatchObject({ host: 'project.internal', mirror: 'theirs' });
    expect(listPolicies(config).map(({ mirror, environment }) => [mirror, environment])).toEqual([
      ['theirs', undefined],
      ['own', 'production'],
    ]);
    expect(hiddenBy((await registry.resolve('prod')).config)).toEqual([{ mirror: 'own', environment: 'production' }]);
  });

  it('keeps the connection read-only', async () => {
    world.writeStore({ ...example, readonly: true });
    world.writeProject({ ...example, readonly: false });
    await world.allow();
    expect((await registry.get('prod')).config.readonly).toBe(true);
    expect((await registry.resolve('prod')).config.readonly).toBe(true);
  });

  it('counts at once when it changes', async () => {
    world.writeStore(example);
    world.writeProject(example);
    await world.allow();
    const before = await registry.get('prod');
    world.writeStore({ ...narrow, password: undefined });
    const after = await registry.get('prod');
    expect([before, after].map(({ config }) => hiddenBy(config))).toEqual([
      undefined,
      [expect.objectContaining({ mirror: 'own' })],
    ]);
    expect(after.version).not.toBe(before.version);
  });

  it('makes the connection unusable while it is not valid', async () => {
    world.writeStore({ ...narrow, mirror: 5 });
    world.writeProject(example);
    await world.allow();
    const failure = await failureOf(registry.get('prod'));
    expect(failure.message).toMatch(/the key "mirror" must be text.*its policy must hold in .*\.example\.json as well/);
    world.writeStore({ ...example, port: 'five' });
    expect((await registry.get('prod')).config.host).toBe('db.internal');
  });

  it('does not reach a connection of the environment, which a person wrote', async () => {
    world.writeStore(narrow);
    world.setVariable(example);
    expect(listPolicies((await registry.get('prod')).config)).toHaveLength(1);
  });
});

describe('the environment of a connection', () => {
  it('is for a person to write', async () => {
    world.writeStore({ ...example, environment: 'staging' });
    expect(await failureOf(registry.update('prod', { environment: 'test' }))).toMatchObject({ code: 'E_PERSON_ONLY' });
    expect(await failureOf(registry.update('prod', { environment: null }))).toMatchObject({ code: 'E_PERSON_ONLY' });
    await registry.person.update('prod', { environment: 'test' });
    expect((await registry.get('prod')).config.environment).toBe('test');
  });
});
