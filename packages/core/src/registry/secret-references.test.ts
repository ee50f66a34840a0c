import { mkdirSync } from 'node:fs';
import { delimiter } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../failure.ts';
import { redact } from '../redact/redact.ts';
import { failureOf, readHint } from '../testing/failure-of.ts';
import { createFakeProgram } from '../testing/fakes/fake-program.ts';
import {
  type ExampleConnection,
  eachInRegistryWorld,
  example,
  type RegistryWorld,
  writeConnections,
} from '../testing/fakes/registry-world.ts';
import { secretContext } from '../testing/secret-context.ts';
import type { SecretSource } from './secrets/secret-sources.ts';
import { resolveSecret } from './secrets/secrets.ts';

let world: RegistryWorld;
eachInRegistryWorld((one) => {
  world = one;
  mkdirSync(world.folder.at('config'), { recursive: true });
  world.env.PATH = [world.folder.at('bin'), process.env.PATH].join(delimiter);
});

const stored = () => world.readStore().connections;
const readPassword = async (registry = world.registry) => (await registry.resolve('prod')).config.password;
const problemOf = async (registry = world.registry) => (await registry.list()).entries[0]?.problem;
const allow = async (...connections: object[]) => {
  world.writeProject(...connections);
  await world.allow();
};

describe('a keychain', () => {
  const keychain = { service: 'shop db', account: 'me; id' };

  it('is read by its own program, word by word', async () => {
    const secretTool = createFakeProgram(world.folder, 'secret-tool', { prints: 'from-the-keychain' });
    world.writeStore({ ...example, password: { keychain } });
    expect(await readPassword()).toBe('from-the-keychain');
    expect(secretTool.runs).toEqual([['lookup', 'service', 'shop db', 'account', 'me; id']]);
    expect(redact('from-the-keychain')).toBe('[secret]');
    const security = createFakeProgram(world.folder, 'security', { prints: 'from-macos\n' });
    const context = secretContext(world.folder, { env: world.env, platform: 'darwin' });
    expect(await resolveSecret({ keychain }, context)).toBe('from-macos');
    expect(security.runs).toEqual([['find-generic-password', '-s', 'shop db', '-a', 'me; id', '-w']]);
  });

  it('says how to put the secret there when it is not', async () => {
    createFakeProgram(world.folder, 'secret-tool', { exitCode: 1 });
    world.writeStore({ ...example, password: { keychain } });
    const failure = await failureOf(world.registry.resolve());
    expect(failure).toMatchObject({ kind: 'secret', code: 'E_SECRET_KEYCHAIN' });
    expect(failure.message).toContain(
      '(service "shop db", account "me; id"), and secret-tool, which reads it, ended with exit code 1',
    );
    expect(failure.hint).toContain('secret-tool store --label="shop db" service "shop db" account "me; id"');
  });

  it.each([
    ['linux', 'could not be started (ENOENT)', 'libsecret-tools'],
    ['win32', 'this system has no program', '{"command": […]}'],
  ] as const)('says what else there is on %s without its program', async (platform, message, hint) => {
    const context = secretContext(world.folder, { env: { PATH: world.folder.path }, platform });
    const failure = await failureOf(resolveSecret({ keychain }, context));
    expect(failure).toMatchObject({ kind: 'secret', code: 'E_SECRET_KEYCHAIN' });
    expect(failure.message).toContain(message);
    expect(failure.hint).toContain(hint);
    expect(failure.hint).toContain('{"env": …}');
  });

  it.each([
    [{ service: '-x', account: 'a' }],
    [{ service: 'a', account: '' }],
    [{ service: 'a' }],
    [{ service: 'a\nb', account: 'a' }],
  ])('is not asked for %j', async (wrong) => {
    world.writeStore({ ...example, password: { keychain: wrong } });
    expect((await problemOf())?.message).toContain('password');
  });

  it('is not asked by the environment variable, nor by a tool', async () => {
    const program = createFakeProgram(world.folder, 'secret-tool', { prints: 'canary' });
    const reference = { ...example, password: { keychain } };
    expect(await failureOf(world.registry.add(reference))).toMatchObject({ code: 'E_SECRET_REFERENCE' });
    world.setVariable(reference);
    expect(await problemOf()).toMatchObject({ kind: 'secret', code: 'E_SECRET_COMMAND' });
    expect(await failureOf(world.registry.resolve())).toMatchObject({ code: 'E_SECRET_COMMAND' });
    expect(program.runs).toEqual([]);
  });
});

describe('an op:// reference', () => {
  const password = 'op://Infra/prod db/password';
  const read = (reference: string) => ['read', '--no-newline', reference];
  let op: ReturnType<typeof createFakeProgram>;
  beforeEach(() => {
    op = createFakeProgram(world.folder, 'op', { prints: 'from-the-vault' });
  });

  it('an op:// reference in a file that a person has allowed is read by op', async () => {
    world.env.VAULT = 'Infra';
    await allow({ ...example, password, ssh: { host: 'b', privateKey: 'op://${VAULT}/key/private key' } });
    const { config } = await world.registry.resolve();
    expect(config).toMatchObject({ password: 'from-the-vault', ssh: { privateKey: 'from-the-vault' } });
    expect(op.runs.toSorted()).toEqual([read('op://Infra/key/private key'), read(password)]);
    expect(redact(password)).toBe(password);
  });

  it('is followed in a file that the user named, and not in one that was never allowed', async () => {
    world.writeProject({ ...example, password });
    expect(await problemOf()).toMatchObject({ code: 'E_NOT_ALLOWED' });
    expect(op.runs).toEqual([]);
    expect(await readPassword(world.another({ configPath: world.projectPath }))).toBe('from-the-vault');
  });

  it('an op:// reference that a person gives at the command line is stored as the command', async () => {
    await world.registry.person.add({ ...example, password });
    expect(stored()[0]?.password).toEqual({ command: ['op', ...read(password)] });
    await world.registry.person.update('prod', { token: 'op://a/b/c' });
    expect(stored()[0]?.token).toEqual({ command: ['op', ...read('op://a/b/c')] });
    expect(await readPassword()).toBe('from-the-vault');
  });

  it('is refused from a tool, wherever a secret can stand', async () => {
    const changes = [
      { password },
      { token: 'op://' },
      { ssh: { host: 'b', privateKey: password } },
      { ssh: { host: 'b', password } },
      { ssh: { host: 'b', jump: [{ host: 'c', passphrase: password }] } },
    ];
    for (const change of changes) {
      expect(await failureOf(world.registry.add({ ...example, ...change }))).toMatchObject({ code: 'E_SECRET_REFERENCE' });
    }
    world.writeStore(example);
    expect(await failureOf(world.registry.update('prod', { password }))).toMatchObject({ code: 'E_SECRET_REFERENCE' });
    expect(stored()).toEqual([example]);
  });

  it('an op:// reference as text in the store is not followed: a tool of an earlier version may have put it there', async () => {
    world.writeStore({ ...example, host: 'evil.example', password });
    const problem = await problemOf();
    expect(problem).toMatchObject({ kind: 'secret', code: 'E_SECRET_REFERENCE' });
    expect(readHint(problem)).toContain('`example-mcp connections update prod KEY=VALUE` to set password');
    expect(await failureOf(world.registry.resolve())).toMatchObject({ code: 'E_SECRET_REFERENCE' });
    await world.registry.update('prod', { database: 'x' });
    expect(stored()[0]?.password).toBe(password);
    expect(op.runs).toEqual([]);
  });

  it('is not followed in the environment variable', async () => {
    world.setVariable({ ...example, password });
    expect(await problemOf()).toMatchObject({ kind: 'secret', code: 'E_SECRET_REFERENCE' });
    expect(await failureOf(world.registry.resolve())).toMatchObject({ code: 'E_SECRET_REFERENCE' });
    expect(op.runs).toEqual([]);
  });

  it.each([['${PW}'], ['${NONE:-op://a/b/c}'], ['${SCHEME}//a/b/c'], [{ env: 'PW' }]])(
    'that comes out of a variable is neither followed nor sent as a password (%j)',
    async (reference) => {
      Object.assign(world.env, { PW: 'op://a/b/c', SCHEME: 'op:' });
      await allow({ ...example, password: reference });
      expect(await failureOf(world.registry.resolve())).toMatchObject({ kind: 'secret', code: 'E_SECRET_REFERENCE' });
      writeConnections(world.storePath, [{ ...example, name: 'two', password: reference }]);
      expect(await failureOf(world.registry.resolve('two'))).toMatchObject({ kind: 'secret', code: 'E_SECRET_REFERENCE' });
      expect(op.runs).toEqual([]);
    },
  );

  it('is plain text where no secret is allowed', async () => {
    await allow({ ...example, database: 'op://a/b/c' });
    expect((await world.registry.resolve()).config.database).toBe('op://a/b/c');
    expect(op.runs).toEqual([]);
  });
});

describe('a source of the definition', () => {
  const asked: unknown[] = [];
  const ledger: SecretSource<ExampleConnection> = (config, { name, home }) => {
    asked.push([config.host, config.port, name, home]);
    if (name === 'broken')
      throw new Failure('secret', 'the ledger is open to others', { code: 'E_SECRET_FILE', hint: 'Close it.' });
    return name === 'none' ? undefined : `of-${config.host}`;
  };
  const open = () => world.another({ secretSources: { ledger } });

  it('is asked for the connection as it is used', async () => {
    world.env.DB_HOST = 'real.example';
    world.writeStore({ ...example, host: '${DB_HOST}', port: 5, password: { from: 'ledger', name: 'x' } });
    expect(await readPassword(open())).toBe('of-real.example');
    expect(asked).toEqual([['real.example', 5, 'x', world.folder.at('home')]]);
    expect(redact('of-real.example')).toBe('[secret]');
  });

  it.each([
    ['none', 'E_SECRET_SOURCE', 'ledger ("none"): it has no entry for this connection'],
    ['broken', 'E_SECRET_FILE', 'ledger ("broken"): the ledger is open to others'],
  ])('says why there is nothing (%s)', async (name, code, message) => {
    world.writeStore({ ...example, password: { from: 'ledger', name } });
    const failure = await failureOf(open().resolve());
    expect(failure).toMatchObject({ kind: 'secret', code });
    expect(failure.message).toContain(message);
    expect(failure.hint).toBeTruthy();
  });

  it.each(['legder', 'toString'])('an unknown source is named with the known ones (%s)', async (from) => {
    world.writeStore({ ...example, password: { from } });
    const problem = await problemOf(open());
    expect(problem).toMatchObject({ kind: 'secret', code: 'E_SECRET_SOURCE' });
    expect(readHint(problem)).toContain('ledger');
    expect(readHint(await problemOf())).toContain('reads no files of other programs');
  });

  it('is for the connection itself, never for a server on the way', async () => {
    world.writeStore({ ...example, ssh: { host: 'b', password: { from: 'ledger' } } });
    expect((await problemOf(open()))?.message).toContain('ssh');
    world.writeStore({ ...example, ssh: { host: 'b', privateKey: { from: 'ledger' } } });
    expect((await problemOf(open()))?.message).toContain('ssh');
  });

  it('gives no other secret because a tool changes what it is looked up by', async () => {
    const registry = open();
    world.writeStore({ ...example, password: { from: 'ledger' } });
    for (const change of [{ user: 'admin' }, { port: 5 }, { database: 'other' }, { type: 'south' }, { user: 'x', token: 'y' }]) {
      expect(await failureOf(registry.update('prod', change))).toMatchObject({ kind: 'refused', code: 'E_SECRET_REDIRECT' });
    }
    await registry.update('prod', { user: 'me', readonly: true, timeoutMs: 5 });
    await registry.update('prod', { user: 'admin', password: 'own-password' });
    await registry.update('prod', { user: 'other' });
    expect(stored()).toEqual([{ ...example, user: 'other', readonly: true, timeoutMs: 5, password: 'own-password' }]);
  });

  it('is not for tools', async () => {
    asked.length = 0;
    const registry = open();
    expect(await failureOf(registry.add({ ...example, password: { from: 'ledger' } }))).toMatchObject({
      code: 'E_SECRET_REFERENCE',
    });
    world.writeStore({ ...example, password: { from: 'ledger' } });
    expect(await failureOf(registry.update('prod', { host: 'evil.example' }))).toMatchObject({ code: 'E_SECRET_REDIRECT' });
    expect(await failureOf(registry.update('prod', { token: { from: 'ledger' } }))).toMatchObject({ code: 'E_SECRET_REFERENCE' });
    expect(asked).toEqual([]);
  });
});
