import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redact } from '../redact/redact.ts';
import { failureOf } from '../testing/failure-of.ts';
import { type ExampleConnection, eachInRegistryWorld, example, type RegistryWorld } from '../testing/fakes/registry-world.ts';
import type { Registry } from './registry.ts';

let world: RegistryWorld;
let registry: Registry<ExampleConnection>;
eachInRegistryWorld((one) => {
  world = one;
  registry = one.registry;
});

describe('variables', () => {
  const at = { host: '${DB_HOST}', port: '${DB_PORT}', readonly: '${RO:-true}', user: 'a$${b}', password: 'p-${DB_PW}' };

  it('are expanded when the connection is used, as what the schema asks for', async () => {
    world.writeStore({ ...example, ...at });
    Object.assign(world.env, { DB_HOST: 'real', DB_PORT: '77', DB_PW: 'a"/@${DB_HOST}' });
    expect((await registry.get()).config).toMatchObject({
      host: '${DB_HOST}',
      port: 77,
      readonly: true,
      user: 'a${b}',
      password: 'p-${DB_PW}',
    });
    expect((await registry.resolve()).config).toEqual({
      ...example,
      host: 'real',
      port: 77,
      readonly: true,
      user: 'a${b}',
      password: 'p-a"/@${DB_HOST}',
    });
    expect(redact('p-a"/@${DB_HOST}')).toBe('[secret]');
  });

  it('variables that are not set cause no problem before that', async () => {
    world.writeStore({ ...example, host: '${DB_HOST}', password: '${DB_PW}' }, { ...example, name: 'good' });
    expect(await registry.get('prod')).toMatchObject({ config: { host: '${DB_HOST}' }, unset: ['DB_HOST', 'DB_PW'] });
    const failure = await failureOf(registry.resolve('prod'));
    expect(failure).toMatchObject({ kind: 'config', code: 'E_ENV_UNSET' });
    expect(failure.message).toBe(
      `the field host of connection "prod" (${world.storePath}) uses the environment variable DB_HOST, which is not set`,
    );
    world.env.DB_HOST = 'real';
    expect(await failureOf(registry.resolve('prod'))).toMatchObject({ kind: 'secret', code: 'E_ENV_UNSET' });
    await registry.resolve('good');
    world.env.DB_PW = 'now-it-is-set';
    expect((await registry.resolve('prod')).config.password).toBe('now-it-is-set');
    expect((await registry.get('prod')).unset).toBeUndefined();
  });

  it('variables that are not set make the connection unusable where no text is accepted', async () => {
    world.writeStore({ ...example, readonly: '${RO}' });
    expect(await world.problemOf('prod')).toMatchObject({ code: 'E_ENV_UNSET' });
    world.env.RO = 'maybe';
    expect((await world.problemOf('prod'))?.message).toContain('the key "readonly" must be true or false');
    world.env.RO = 'false';
    expect((await registry.get('prod')).config.readonly).toBe(false);
  });

  it.each(['0x10', '1e3', ' 5', '05', '', '5 '])('a variable that holds %j is not a port', async (value) => {
    world.env.DB_PORT = value;
    world.writeStore({ ...example, port: '${DB_PORT}' });
    expect((await world.problemOf('prod'))?.message).toContain('the key "port"');
    expect((await world.problemOf('prod'))?.message).not.toContain(`"${value}"`);
  });

  it('variables with an impossible host are found when listing', async () => {
    world.env.DB_HOST = '';
    world.writeStore({ ...example, host: '${DB_HOST}' });
    expect((await world.problemOf('prod'))?.message).toContain('the key "host" is not accepted');
  });

  it('invalid names of variables are a problem', async () => {
    world.writeStore({ ...example, password: 'canary${-value' });
    const problem = await world.problemOf('prod');
    expect(problem?.message).toContain('the field password of connection "prod" (connections[0], line 4)');
    expect(problem?.message).not.toContain('canary');
  });

  it('are not expanded in the environment variable, where the client has done it', async () => {
    world.setVariable({ ...example, password: '${HOME}$${x', user: '${A}' });
    expect((await registry.resolve()).config).toMatchObject({ password: '${HOME}$${x', user: '${A}' });
  });
});

describe('secrets', () => {
  it('are read from everywhere a person may put them, also for the SSH servers', async () => {
    mkdirSync(world.folder.at('home'));
    writeFileSync(
      world.folder.at('config', '..', 'home', 'key'),
      '-----BEGIN X PRIVATE KEY-----\nabc\n-----END X PRIVATE KEY-----\n',
    );
    const jump = [{ host: 'j', password: { env: 'JUMP_PW' }, privateKey: './id' }, 'named'];
    world.writeStore({
      ...example,
      token: { command: [process.execPath, '-e', 'console.log("the-token-value")'] },
      ssh: { host: 'b', privateKey: { file: '~/key' }, passphrase: '${PHRASE}', jump },
    });
    Object.assign(world.env, { JUMP_PW: 'the-jump-password', PHRASE: 'the-passphrase' });
    const { config } = await registry.resolve();
    expect(config.token).toBe('the-token-value');
    expect(config.ssh).toEqual({
      host: 'b',
      privateKey: '-----BEGIN X PRIVATE KEY-----\nabc\n-----END X PRIVATE KEY-----',
      passphrase: 'the-passphrase',
      jump: [{ host: 'j', password: 'the-jump-password', privateKey: world.folder.at('config', 'id') }, 'named'],
    });
    expect(redact('the-token-value the-jump-password the-passphrase')).toBe('[secret] [secret] [secret]');
    expect(JSON.stringify(await registry.list())).not.toMatch(/the-(jump|pass)/);
  });

  it('secrets that are written in a file are known from the first listing on', async () => {
    world.writeStore({ ...example, password: 'literal-password' });
    await registry.list();
    expect(redact('literal-password')).toBe('[secret]');
  });

  it('are not taken from a command in the environment variable', async () => {
    world.setVariable({
      ...example,
      password: { command: [process.execPath, '-e', `require("fs").writeFileSync("${world.folder.at('ran')}", "")`] },
    });
    expect(await world.problemOf('prod')).toMatchObject({ kind: 'secret', code: 'E_SECRET_COMMAND' });
    expect(await failureOf(registry.resolve())).toMatchObject({ code: 'E_SECRET_COMMAND' });
    world.setVariable({ ...example, password: { env: 'PW' } });
    expect(await failureOf(registry.resolve())).toMatchObject({ code: 'E_SECRET_UNSET' });
    world.env.PW = 'set-it-is';
    expect((await registry.resolve()).config.password).toBe('set-it-is');
  });

  it('stop being read when the caller gives up', async () => {
    world.writeStore({ ...example, password: { command: [process.execPath, '-e', 'setTimeout(() => {}, 60000)'] } });
    const controller = new AbortController();
    const pending = failureOf(registry.resolve('prod', controller.signal));
    controller.abort();
    expect(await pending).toMatchObject({ kind: 'cancelled' });
  });
});

describe('the version of an entry', () => {
  const version = async () => (await registry.get('prod')).version;

  it('is the same for what is the same, in every registry and every order of keys', async () => {
    world.writeStore({ ...example, port: 5 });
    const first = await version();
    world.writeStore({ port: 5, ...Object.fromEntries(Object.entries(example).reverse()) });
    expect(await version()).toBe(first);
    expect((await world.another().get('prod')).version).toBe(first);
    expect((await registry.resolve('prod')).version).toBe(first);
    world.writeStore({ ...example, port: 6 });
    expect(await version()).not.toBe(first);
  });

  it('changes with a variable, and with a file that a secret is read from', async () => {
    world.env.DB_HOST = 'one';
    world.env.PW = 'canary-password';
    world.writeStore({ ...example, host: '${DB_HOST}', password: { env: 'PW' }, token: { file: 'token' } });
    const seen = new Set([await version(), await version()]);
    expect(seen.size).toBe(1);
    world.env.DB_HOST = 'two';
    seen.add(await version());
    world.env.PW = 'another-password';
    seen.add(await version());
    writeFileSync(world.folder.at('config', 'token'), 'x');
    seen.add(await version());
    unlinkSync(world.folder.at('config', 'token'));
    writeFileSync(world.folder.at('config', 'token'), 'yy');
    seen.add(await version());
    expect(seen.size).toBe(5);
    expect([...seen].join()).not.toContain('canary');
  });
});
