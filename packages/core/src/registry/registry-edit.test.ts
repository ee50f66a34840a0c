import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { redact } from '../redact/redact.ts';
import { failureOf, readHint } from '../testing/failure-of.ts';
import {
  type ExampleConnection,
  eachInRegistryWorld,
  example,
  exampleSchema,
  type RegistryWorld,
} from '../testing/fakes/registry-world.ts';
import type { Registry } from './registry.ts';

let world: RegistryWorld;
let registry: Registry<ExampleConnection>;
eachInRegistryWorld((one) => {
  world = one;
  registry = one.registry;
});

const stored = () => world.readStore().connections;
const configOf = async (name = 'prod') => (await registry.get(name)).config;

describe('add', () => {
  it('stores what was passed, and it can be used', async () => {
    const entry = await registry.add({ ...example, port: undefined, mirror: null, password: 'a-literal' });
    expect(entry).toMatchObject({ name: 'prod', origin: { kind: 'store', where: world.storePath }, editable: true });
    expect(stored()).toEqual([{ ...example, password: 'a-literal' }]);
    expect((await registry.resolve()).config).toEqual({ ...example, readonly: false, password: 'a-literal' });
    expect(redact('a-literal')).toBe('[secret]');
  });

  it('refuses what would make the store too large to be read', async () => {
    world.writeStore({ ...example, user: 'x'.repeat(1_040_000) });
    const failure = await failureOf(registry.add({ ...example, name: 'more', user: 'x'.repeat(16_000) }));
    expect(failure).toMatchObject({ kind: 'limit', code: 'E_STORE_FULL' });
    expect(await failureOf(registry.add({ ...example, user: 'x'.repeat(20_000) }))).toMatchObject({ code: 'E_TOO_LONG' });
    expect((await registry.list()).problems).toEqual([]);
    await registry.remove('prod');
  });

  it('remembers no secret of a call that was refused', async () => {
    world.writeStore(example);
    await failureOf(registry.add({ ...example, password: 'an-ordinary-word' }));
    expect(redact('an-ordinary-word')).toBe('an-ordinary-word');
  });

  it('keeps ${ as text, in every field', async () => {
    world.env.AWS_SECRET_ACCESS_KEY = 'canary';
    const tricky = {
      ...example,
      user: '${AWS_SECRET_ACCESS_KEY}',
      password: '$${AWS_SECRET_ACCESS_KEY:-x}',
      ssh: { host: '${AWS_SECRET_ACCESS_KEY}' },
    };
    await registry.add(tricky);
    expect(readFileSync(world.storePath, 'utf8')).toContain('$${AWS_SECRET_ACCESS_KEY}');
    expect((await registry.resolve()).config).toEqual({ ...tricky, readonly: false });
    expect(await configOf()).toMatchObject({ user: '${AWS_SECRET_ACCESS_KEY}' });
    await registry.update('prod', { database: '${AWS_SECRET_ACCESS_KEY}' });
    expect((await registry.resolve()).config).toEqual({ ...tricky, readonly: false, database: '${AWS_SECRET_ACCESS_KEY}' });
  });

  it.each([
    [{ password: { env: 'HOME' } }, 'E_SECRET_REFERENCE', 'password'],
    [{ password: { file: '/etc/shadow' } }, 'E_SECRET_REFERENCE', 'password'],
    [{ token: { command: ['id'] } }, 'E_SECRET_REFERENCE', 'token'],
    [{ ssh: { host: 'b', password: { env: 'HOME' } } }, 'E_SECRET_REFERENCE', 'ssh.password'],
    [{ ssh: { host: 'b', jump: [{ host: 'c', passphrase: { file: 'x' } }] } }, 'E_SECRET_REFERENCE', 'ssh.jump[0].passphrase'],
    [{ ssh: { host: 'b', privateKey: '~/.ssh/id_rsa' } }, 'E_PERSON_ONLY', 'ssh.privateKey'],
    [{ ssh: { host: 'b', jump: ['x', { host: 'c', privateKey: 'y' }] } }, 'E_PERSON_ONLY', 'ssh.jump[1].privateKey'],
    [{ ssh: { host: 'b', hostKeys: [`SHA256:${'a'.repeat(43)}`] } }, 'E_PERSON_ONLY', 'ssh.hostKeys'],
    [{ ssh: { host: 'b', agent: '/tmp/x' } }, 'E_PERSON_ONLY', 'ssh.agent'],
  ])('refuses %j', async (change, code, field) => {
    const failure = await failureOf(registry.add({ ...example, ...change }));
    expect(failure).toMatchObject({ kind: 'refused', code });
    expect(failure.message).toContain(`the field ${field} `);
    world.writeStore(example);
    expect(await failureOf(registry.update('prod', change))).toMatchObject({ kind: 'refused', code });
    expect(stored()).toEqual([example]);
  });

  it('refuses what only a person may set by the rules of the definition', async () => {
    const strict = world.another({ userOnlyFields: ['verify'] });
    expect(await failureOf(strict.add({ ...example, verify: false }))).toMatchObject({ code: 'E_PERSON_ONLY' });
  });

  it.each(['/var/run', '/', '..\\x', 'C:\\x'])('refuses the path %s as a host, which a person may write', async (host) => {
    world.writeStore(example);
    const refusals = [registry.add({ ...example, name: 'other', host }), registry.update('prod', { host })].map(failureOf);
    for (const failure of await Promise.all(refusals)) {
      expect(failure).toMatchObject({ kind: 'refused', code: 'E_PERSON_ONLY' });
      expect(readHint(failure, 'tools')).toContain('connections add');
    }
    expect(stored()).toEqual([example]);
    await registry.person.update('prod', { host });
    expect((await registry.update('prod', { readonly: true })).config).toMatchObject({ host, readonly: true });
  });

  it.each([
    [{ prt: 1 }, 'the key "prt" is unknown (did you mean "port"?)'],
    [{ host: undefined }, 'the key "host" is missing'],
    [{ name: undefined }, 'the key "name" is missing'],
    [{ name: 'a b' }, 'the key "name" is not accepted'],
    [{ type: 'x' }, 'the key "type" must be one of'],
  ])('says what is wrong with %j', async (change, message) => {
    const failure = await failureOf(registry.add({ ...example, ...change }));
    expect(failure).toMatchObject({ kind: 'input' });
    expect(failure.message).toContain(message);
  });

  it('takes no name that is there, in any source', async () => {
    world.writeStore(example);
    expect(await failureOf(registry.add(example))).toMatchObject({ kind: 'input', code: 'E_NAME_TAKEN' });
    world.env.EXAMPLE_CONNECTIONS = JSON.stringify([{ ...example, name: 'other' }]);
    expect((await failureOf(registry.add({ ...example, name: 'other' }))).message).toContain('in EXAMPLE_CONNECTIONS');
    expect(stored()).toEqual([example]);
  });

  it('happens once when it is asked for twice at the same time', async () => {
    const results = await Promise.allSettled([registry.add(example), world.another().add(example)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(stored()).toEqual([example]);
  });
});

describe('update', () => {
  it('changes, adds and removes fields, and keeps the rest', async () => {
    world.writeStore({ ...example, port: 5, database: 'a' }, { ...example, name: 'two', unknown: 1 });
    await registry.update('prod', { port: 6, database: null, user: undefined, verify: true });
    expect(stored()).toEqual([
      { ...example, port: 6, verify: true },
      { ...example, name: 'two', unknown: 1 },
    ]);
  });

  it('an update of the type drops the port, unless it brings one', async () => {
    world.writeStore({ ...example, port: 5 });
    await registry.update('prod', { type: 'north' });
    expect(stored()).toEqual([{ ...example, port: 5 }]);
    await registry.update('prod', { type: 'south' });
    expect(stored()).toEqual([{ ...example, type: 'south' }]);
    await registry.update('prod', { type: 'north', port: 9 });
    expect(stored()).toEqual([{ ...example, port: 9 }]);
  });

  it('cannot rename, nor make invalid, nor remove what is needed', async () => {
    world.writeStore(example);
    expect(await failureOf(registry.update('prod', { name: 'x' }))).toMatchObject({ kind: 'input' });
    expect((await failureOf(registry.update('prod', { host: null }))).message).toContain('the key "host" is missing');
    expect((await failureOf(registry.update('prod', { mirror: 'x' }))).message).toContain('only south has mirrors');
    await registry.update('prod', { name: 'prod', mirror: 'x', type: 'south' });
    expect(stored()).toEqual([{ ...example, type: 'south', mirror: 'x' }]);
  });

  it('can mend a broken connection', async () => {
    world.writeStore({ ...example, prt: 1 });
    await registry.update('prod', { prt: null });
    expect((await configOf()).host).toBe('db.internal');
  });

  it('names the nearest when the name is unknown', async () => {
    world.writeStore(example);
    expect(await failureOf(registry.update('prodd', {}))).toMatchObject({ kind: 'unknown', nearest: ['prod'] });
    expect(await failureOf(registry.remove('prodd'))).toMatchObject({ kind: 'unknown', nearest: ['prod'] });
  });

  it('leaves the references a person wrote', async () => {
    const person = { ...example, password: { env: 'PW' }, database: '${DB}', ssh: { host: 'b', privateKey: '~/k' } };
    world.writeStore(person);
    await registry.update('prod', { timeoutMs: 7 });
    expect(stored()).toEqual([{ ...person, timeoutMs: 7 }]);
  });
});

describe('what is not in the store', () => {
  it('is refused with where to edit it', async () => {
    world.env.EXAMPLE_CONNECTIONS = JSON.stringify([example]);
    world.writeStore(example);
    for (const work of [registry.update('prod', { port: 5 }), registry.remove('prod')]) {
      const failure = await failureOf(work);
      expect(failure).toMatchObject({ kind: 'refused', code: 'E_NOT_EDITABLE' });
      expect(readHint(failure)).toBe('Edit EXAMPLE_CONNECTIONS.');
      expect(readHint(failure, 'tools')).toBe('Ask the user to edit EXAMPLE_CONNECTIONS.');
      expect(failure.message).toContain(`one of that name in ${world.storePath} is hidden`);
    }
    expect(stored()).toEqual([example]);
  });
});

describe('remove', () => {
  it('takes one away and keeps the others', async () => {
    world.writeStore(example, { ...example, name: 'two' });
    await registry.remove('prod');
    expect(stored()).toEqual([{ ...example, name: 'two' }]);
    expect(await failureOf(registry.get('prod'))).toMatchObject({ kind: 'unknown' });
  });

  it('remove and update refuse when the connection is ambiguous', async () => {
    world.writeStore(example, example);
    expect(await failureOf(registry.remove('prod'))).toMatchObject({ code: 'E_DUPLICATE_NAME' });
    expect(await failureOf(registry.update('prod', { port: 5 }))).toMatchObject({ code: 'E_DUPLICATE_NAME' });
  });
});

describe('a connection that is added', () => {
  let validations = 0;
  const counting = exampleSchema.superRefine(() => {
    validations += 1;
  });

  beforeEach(() => {
    registry = world.another({ schema: counting });
    world.writeStore({ ...example, name: 'guarded', readonly: true, port: 9 });
    validations = 0;
  });

  it('is validated once by a tool, its guards, the list and its use', async () => {
    await registry.list();
    expect(validations).toBe(1);
    await registry.add({ ...example, password: 'a-literal' });
    await registry.resolve('prod');
    await registry.update('prod', { readonly: true });
    await registry.resolve('prod');
    expect(validations).toBe(3);
  });

  it('is validated once by a person who tries it before it is saved', async () => {
    const input = { ...example, password: { env: 'PW' } };
    world.env.PW = 'a-secret-of-the-person';
    await registry.person.draft(input).get('prod');
    await registry.person.add(input);
    await registry.list();
    expect(validations).toBe(2);
    expect((await registry.resolve('prod')).config).toMatchObject({ password: 'a-secret-of-the-person' });
    // The expected connection with its secret.
    expect(validations).toBe(3);
  });

  it('is validated with its variables and as it is written, and again when one of them changes', async () => {
    world.env.PORT = '5';
    await registry.person.add({ ...example, port: '${PORT}' });
    for (const port of [5, 5, 6]) {
      world.env.PORT = String(port);
      expect((await registry.resolve('prod')).config).toMatchObject({ port });
    }
    expect(validations).toBe(1 + 2 + 2);
  });
});

it('everything at once loses nothing', async () => {
  const other = world.another();
  const work = Array.from({ length: 12 }, async (_, index) => {
    const name = `n${index}`;
    const [first, second] = index % 2 ? [registry, other] : [other, registry];
    await first.add({ ...example, name });
    await Promise.all([second.update(name, { port: index + 1 }), first.update(name, { database: 'd' }), second.list()]);
    if (index % 3 === 0) await first.remove(name);
  });
  await Promise.all(work);
  const kept = [1, 2, 4, 5, 7, 8, 10, 11].map((index) => ({ ...example, name: `n${index}`, port: index + 1, database: 'd' }));
  const byPort = (a: Record<string, unknown>, b: Record<string, unknown>) => Number(a.port) - Number(b.port);
  expect(stored().sort(byPort)).toEqual(kept);
});
