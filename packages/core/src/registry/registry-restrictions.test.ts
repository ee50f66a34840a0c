import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { failureOf, readHint } from '../testing/failure-of.ts';
import { type ExampleConnection, eachInRegistryWorld, example, type RegistryWorld } from '../testing/fakes/registry-world.ts';
import type { Registry } from './registry.ts';

let world: RegistryWorld;
let registry: Registry<ExampleConnection>;
eachInRegistryWorld((one) => {
  world = one;
  registry = one.registry;
});

const stored = () => world.readStore().connections;
const configOf = async (name = 'prod') => (await registry.get(name)).config;

describe('read-only', () => {
  it.each([false, null])('is set and never cleared (%s)', async (value) => {
    world.writeStore(example);
    await registry.update('prod', { readonly: true });
    const failure = await failureOf(registry.update('prod', { readonly: value }));
    expect(failure).toMatchObject({ kind: 'refused', code: 'E_READONLY_LOCKED' });
    expect(readHint(failure)).toContain(world.storePath);
    await registry.update('prod', { readonly: true, port: 5 });
    expect((await configOf()).readonly).toBe(true);
  });

  it('read-only that depends on a variable counts as set', async () => {
    world.writeStore({ ...example, readonly: '${RO:-false}' });
    expect(await failureOf(registry.update('prod', { readonly: false }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
  });

  it('cannot be got round by removing and adding', async () => {
    world.writeStore({ ...example, readonly: true });
    await registry.remove('prod');
    expect(world.readStore()).toMatchObject({ connections: [], readonlyPlaces: [{ host: 'db.internal', port: 1 }] });
    expect(await failureOf(registry.add(example))).toMatchObject({ kind: 'refused', code: 'E_READONLY_LOCKED' });
    expect(await failureOf(registry.add({ ...example, host: 'DB.internal.', port: 1 }))).toMatchObject({
      code: 'E_READONLY_LOCKED',
    });
    await registry.add({ ...example, name: 'else', port: 77 });
    await registry.add({ ...example, readonly: true });
    expect((await registry.list()).problems).toEqual([]);
  });

  it.each([
    ['localhost', ['127.1', '2130706433', '0x7f.0.0.1', '0', '::', '::ffff:127.0.0.1', '[0:0:0:0:0:0:0:1]', 'a.localhost']],
    ['localhost', ['/var/run/socket', 'x@localhost', ' localhost', 'local\thost', 'ｌocalhost', 'lo%63alhost', '::1%lo']],
    ['/var/run/socket', ['/run/socket/', 'localhost']],
    ['10.1.2.3', ['167838211', '10.66051', '::ffff:a01:203', '012.1.2.3']],
    ['2001:db8::1', ['2001:0DB8:0::1', '[2001:db8::1]']],
    ['bücher.example', ['xn--bcher-kva.example', 'BÜCHER.example..']],
  ])('cannot be got round by another spelling of %s', async (host, spellings) => {
    world.writeStore({ ...example, host, readonly: true });
    for (const spelling of spellings) {
      const failure = await failureOf(registry.add({ ...example, name: 'x', host: spelling }));
      // A path is refused for what it is.
      expect([spelling, failure.code]).toEqual([spelling, spelling.startsWith('/') ? 'E_PERSON_ONLY' : 'E_READONLY_LOCKED']);
    }
    await registry.add({ ...example, name: 'x', host: 'another.example' });
  });

  it('cannot be got round by the name or an address of this machine', async () => {
    world.writeStore({ ...example, host: 'localhost', readonly: true });
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
    for (const host of [hostname(), ...addresses]) {
      const failure = await failureOf(registry.add({ ...example, name: 'x', host }));
      expect([host, failure.code]).toEqual([host, 'E_READONLY_LOCKED']);
    }
  });

  it('cannot be got round by another SSH server in front of the same name', async () => {
    const guarded = { ...example, name: 'guarded', host: 'localhost', ssh: 'there', readonly: true };
    world.writeStore({ ...example, host: 'localhost', ssh: 'here' }, guarded);
    for (const ssh of ['there', { host: 'there' }, null]) {
      expect(await failureOf(registry.update('prod', { ssh }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
    }
    await registry.update('prod', { ssh: 'here', user: 'someone' });
    await registry.update('prod', { ssh: 'there', readonly: true });
  });

  it('cannot be got round by a broken one that names no port', async () => {
    world.env.EXAMPLE_CONNECTIONS = JSON.stringify([{ ...example, name: 'guarded', readonly: true, port: 5 }]);
    world.writeStore({ ...example, port: 'five' });
    expect(await failureOf(registry.update('prod', { port: 5 }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
    await registry.update('prod', { port: 6 });
  });

  it('cannot be got round by a second connection, nor by moving one', async () => {
    world.env.EXAMPLE_CONNECTIONS = JSON.stringify([{ ...example, name: 'guarded', readonly: true, host: 'localhost', port: 5 }]);
    world.writeStore(example);
    expect(await failureOf(registry.add({ ...example, name: 'x', host: '127.0.0.1', port: 5 }))).toMatchObject({
      code: 'E_READONLY_LOCKED',
    });
    expect(await failureOf(registry.update('prod', { host: 'localhost', port: 5 }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
    await registry.update('prod', { host: 'localhost', port: 6 });
    expect(await failureOf(registry.update('prod', { port: 5 }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
  });

  it('cannot be got round by moving the guarded one away', async () => {
    world.writeStore({ ...example, readonly: true });
    await registry.update('prod', { user: 'someone' });
    expect(world.readStore().readonlyPlaces).toBeUndefined();
    await registry.update('prod', { host: 'elsewhere' });
    expect(await failureOf(registry.add({ ...example, name: 'two' }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
  });

  it('leaves alone what a person has arranged', async () => {
    world.writeStore({ ...example, readonly: true }, { ...example, name: 'writer' });
    await registry.update('writer', { user: 'another' });
    expect((await configOf('writer')).user).toBe('another');
  });
});

describe('what a person has narrowed', () => {
  const narrow = { ...example, mirror: 'only-this', type: 'south', readonly: true, port: 7 };
  const narrowed = () => world.another({ restrictionFields: ['mirror'] });

  it.each([{ mirror: null }, { mirror: 'more' }, { host: 'other.internal' }, { port: 8 }, { ssh: 'b' }])(
    'is not widened by %j',
    async (patch) => {
      world.writeStore(narrow);
      expect(await failureOf(narrowed().update('prod', patch))).toMatchObject({ kind: 'refused', code: 'E_PERSON_ONLY' });
      expect(stored()).toEqual([narrow]);
    },
  );

  it('can neither be removed by a tool, nor be got round by another connection to the same place', async () => {
    world.writeStore(narrow, { ...example, name: 'other', host: 'other.internal' });
    const refused = { kind: 'refused', code: 'E_PERSON_ONLY' };
    expect(await failureOf(narrowed().remove('prod'))).toMatchObject(refused);
    const twin = { ...example, name: 'twin', port: 7, readonly: true };
    expect(await failureOf(narrowed().add(twin))).toMatchObject(refused);
    expect(await failureOf(narrowed().update('other', { host: 'db.internal', port: 7 }))).toMatchObject(refused);
    await narrowed().add({ ...twin, port: 9 });
    expect((await narrowed().update('prod', { database: 'x' })).config).toMatchObject({ mirror: 'only-this', database: 'x' });
  });

  it('counts where a text says so, or a variable could', async () => {
    const marked = () => world.another({ restrictingTexts: { environment: /^production$/ } });
    const refused = { kind: 'refused', code: 'E_PERSON_ONLY' };
    for (const environment of ['production', '${WHERE}']) {
      world.writeStore({ ...example, environment });
      expect(await failureOf(marked().remove('prod'))).toMatchObject(refused);
      expect(await failureOf(marked().add({ ...example, name: 'twin' }))).toMatchObject(refused);
      expect(await failureOf(marked().update('prod', { host: 'other.internal' }))).toMatchObject(refused);
    }
    world.writeStore({ ...example, environment: 'staging' });
    await marked().add({ ...example, name: 'twin' });
    await marked().remove('prod');
  });

  it('a restriction in another source counts too, and a person may do as they like', async () => {
    world.setVariable(narrow);
    const twin = { ...example, name: 'twin', port: 7, readonly: true };
    expect(await failureOf(narrowed().add(twin))).toMatchObject({ code: 'E_PERSON_ONLY' });
    await narrowed().person.add({ ...twin, mirror: 'a', type: 'south' });
    await narrowed().person.update('twin', { mirror: null, host: 'other.internal' });
    await narrowed().person.remove('twin');
    expect(stored()).toEqual([]);
  });
});

describe('a stored secret', () => {
  const secretive = { ...example, password: 'stored-password' };

  it.each([
    [{ host: 'evil.example' }, 'host'],
    [{ ssh: 'evil' }, 'ssh'],
    [{ ssh: { host: 'evil', password: 'x' } }, 'ssh'],
    [{ mirror: 'evil', type: 'south' }, 'mirror'],
    [{ host: 'evil.example', token: 'new' }, 'host'],
  ])('is not sent somewhere else by %j', async (change, field) => {
    const routed = world.another({ routeFields: ['mirror'] });
    for (const password of ['stored-password', '${PW}', { env: 'PW' }, { command: ['x'] }]) {
      world.writeStore({ ...secretive, password });
      const failure = await failureOf(routed.update('prod', change));
      expect(failure).toMatchObject({ kind: 'refused', code: 'E_SECRET_REDIRECT' });
      expect(failure.message).toMatch(new RegExp(`with another ${field}( and port)? it would`));
      expect(readHint(failure)).toContain('password');
      expect(stored()).toEqual([{ ...secretive, password }]);
    }
  });

  it('goes along when the patch brings its own, or drops it', async () => {
    world.writeStore(secretive);
    await registry.update('prod', { host: 'new', password: 'own-password' });
    expect(stored()).toEqual([{ ...example, host: 'new', password: 'own-password' }]);
    await registry.update('prod', { host: 'newer', password: null });
    await registry.update('prod', { host: 'newest', ssh: 'b' });
    expect(stored()).toEqual([{ ...example, host: 'newest', ssh: 'b' }]);
  });

  it('is no reason to refuse what stays where it is', async () => {
    world.writeStore({ ...secretive, ssh: { host: 'b', password: 'another-secret' } });
    await registry.update('prod', { host: 'db.internal', port: 1, ssh: { password: 'another-secret', host: 'b' }, user: 'x' });
    expect(stored()).toEqual([{ ...secretive, port: 1, user: 'x', ssh: { host: 'b', password: 'another-secret' } }]);
  });

  it('a stored secret of an SSH server stays with that server', async () => {
    world.writeStore({ ...example, ssh: { host: 'b', password: 'another-secret' } });
    await registry.update('prod', { host: 'other' });
    await registry.update('prod', { ssh: { host: 'c' } });
    expect(stored()).toEqual([{ ...example, host: 'other', ssh: { host: 'c' } }]);
  });

  it('a stored secret that is not the password counts too', async () => {
    world.writeStore({ ...example, token: 'stored-token' });
    const failure = await failureOf(registry.update('prod', { host: 'x', password: 'new' }));
    expect(failure.message).toContain('a stored token');
  });
});
