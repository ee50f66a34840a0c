import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureOf, readHint } from '../testing/failure-of.ts';
import {
  type ExampleConnection,
  eachInRegistryWorld,
  example,
  type RegistryWorld,
  writeConnections,
} from '../testing/fakes/registry-world.ts';
import type { Registry } from './registry.ts';
import { allowProjectFile, disallowProjectFile } from './trust/trust.ts';

let world: RegistryWorld;
let registry: Registry<ExampleConnection>;
eachInRegistryWorld((one) => {
  world = one;
  registry = one.registry;
});

const names = async () => (await registry.list()).entries.map(({ name }) => name);
const problems = async () => (await registry.list()).problems.map(({ failure }) => failure.message);

describe('the three sources', () => {
  it('win over each other in order, and what they hide is reported', async () => {
    world.setVariable({ ...example, host: 'from-env' });
    world.writeProject({ ...example, host: 'from-project' }, { ...example, name: 'two', host: 'from-project' });
    world.writeStore({ ...example, host: 'from-store' }, { ...example, name: 'two' }, { ...example, name: 'three' });
    await world.allow();
    const { entries, problems: none } = await registry.list();
    expect(none).toEqual([]);
    expect(
      entries.map(({ name, origin, shadows, editable, config }) => [
        name,
        origin.kind,
        config?.host,
        shadows.map(({ kind }) => kind),
        editable,
      ]),
    ).toEqual([
      ['prod', 'env', 'from-env', ['project', 'store'], false],
      ['two', 'project', 'from-project', ['store'], false],
      ['three', 'store', 'db.internal', [], true],
    ]);
    expect(entries.map(({ origin }) => origin.where)).toEqual(['EXAMPLE_CONNECTIONS', world.projectPath, world.storePath]);
  });

  it('are empty at first', async () => {
    expect(await registry.list()).toEqual({ entries: [], problems: [] });
    expect(await failureOf(registry.get())).toMatchObject({ kind: 'unknown', message: 'there are no connections yet' });
    expect(await failureOf(registry.get('x'))).toMatchObject({ kind: 'unknown' });
  });

  it('do not fall back when the stronger one is broken', async () => {
    world.setVariable({ ...example, host: 7 });
    world.writeStore(example);
    expect(await failureOf(registry.get('prod'))).toMatchObject({ kind: 'config' });
  });

  it.each([
    ['{', 'EXAMPLE_CONNECTIONS is not valid JSON at line 1, column 2'],
    ['{}', 'the variable EXAMPLE_CONNECTIONS does not hold a list'],
    ['[7]', 'EXAMPLE_CONNECTIONS (connections[0]) is not an object'],
    ['[{"host": "x"}]', 'EXAMPLE_CONNECTIONS (connections[0]) has no "name"'],
    ['[{"name": "a b"}]', 'has an invalid name'],
    ['[{"name": "__proto__"}]', 'has a reserved name'],
  ])('take a variable that holds %s as a problem of its own', async (text, message) => {
    world.env.EXAMPLE_CONNECTIONS = text;
    world.writeStore(example);
    expect(await problems()).toEqual([expect.stringContaining(message)]);
    expect(await names()).toEqual(['prod']);
  });

  it('take an empty variable as none', async () => {
    world.env.EXAMPLE_CONNECTIONS = ' ';
    expect(await registry.list()).toEqual({ entries: [], problems: [] });
  });

  it('take a file named by a person instead of the one that was found', async () => {
    world.writeProject({ ...example, name: 'found' });
    const named = world.folder.at('named.json');
    const other = world.another({ configPath: '../../named.json' });
    expect((await other.list()).problems[0]?.failure.message).toBe(`${named} does not exist`);
    writeConnections(named, [{ ...example, name: 'named' }]);
    const { entries, problems: none } = await other.list();
    expect(entries).toMatchObject([{ name: 'named', origin: { kind: 'project', where: named } }]);
    expect(none).toEqual([]);
  });
});

describe('one broken connection', () => {
  it.each([
    [{ prt: 5 }, 'the key "prt" is unknown (did you mean "port"?)'],
    [{ port: 'x' }, 'the key "port" must be a number, not text'],
    [{ port: 70_000 }, 'the key "port" is not accepted'],
    [{ port: 1.5 }, 'the key "port" must be a whole number, not a fraction'],
    [{ type: 'nort' }, 'the key "type" must be one of "north", "south" (did you mean "north"?)'],
    [{ host: undefined }, 'the key "host" is missing'],
    [{ host: null }, 'the key "host" must be text, not null'],
    [{ readonly: 'yes' }, 'the key "readonly" must be true or false, not text'],
    [{ password: 7 }, 'the key "password" is not accepted (expected text or an object)'],
    [{ password: { envv: 'X' } }, 'the key "password.envv" is unknown (did you mean "env"?)'],
    [{ ssh: { host: 'b', usr: 'x' } }, 'the key "ssh.usr" is unknown (did you mean "user"?)'],
    [{ ssh: { host: 'b', jump: [{ host: 'c', port: 'x' }] } }, 'the key "ssh.jump[0].port" must be a number, not text'],
    [{ ssh: '-oProxyCommand=x' }, 'the key "ssh" is not accepted'],
    [{ mirror: 'x' }, 'the key "mirror" is not accepted (only south has mirrors)'],
    [{ a: 1, b: 2 }, 'the keys "a", "b" are unknown'],
  ])('with %j is shown, and the others work', async (change, message) => {
    world.writeStore({ ...example, ...change }, { ...example, name: 'good' });
    const problem = await world.problemOf('prod');
    expect(problem).toMatchObject({ kind: 'config', nearest: [] });
    expect(problem?.message).toContain(
      `connection "prod" (connections[0], line 4) in ${world.storePath} cannot be used: ${message}`,
    );
    expect((await registry.get('good')).config.host).toBe('db.internal');
    expect(await failureOf(registry.resolve('prod'))).toBe(problem);
  });

  it('never shows a value, wherever it is', async () => {
    const canary = 'canary-4711-value';
    const places = [
      { password: { [canary.slice(0, 3)]: canary } },
      { pasword: canary },
      { port: canary },
      { type: canary },
      { ssh: { user: 7, password: canary, x: canary } },
      { readonly: canary },
      { user: [canary] },
    ];
    world.writeStore(...places.map((change, index) => ({ ...example, ...change, name: `n${index}` })));
    const { entries } = await registry.list();
    expect(entries.filter(({ problem }) => problem)).toHaveLength(places.length);
    expect(JSON.stringify(entries.map(({ problem }) => [problem?.message, problem?.hint, problem?.nearest]))).not.toContain(
      canary,
    );
    expect(world.logged.join()).not.toContain(canary);
  });

  it('two connections with one name name both places', async () => {
    world.writeStore(example, { ...example, name: 'good' }, { ...example, host: 'other' });
    const { entries } = await registry.list();
    expect(entries.map(({ name }) => name)).toEqual(['prod', 'good']);
    expect(entries[0]?.problem).toMatchObject({ code: 'E_DUPLICATE_NAME' });
    expect(entries[0]?.problem?.message).toContain('(connections[0], line 4 and connections[2], line 16)');
    expect(entries[0]?.config).toBeUndefined();
  });

  it('a connection without a name is a problem of its file', async () => {
    world.writeStore({ host: 'x' }, example);
    expect(await problems()).toEqual([expect.stringContaining('(connections[0], line 4) has no "name"')]);
    expect(await names()).toEqual(['prod']);
  });

  it('is logged once', async () => {
    world.writeStore({ ...example, prt: 1 });
    await registry.list();
    await registry.list();
    world.env.EXAMPLE_CONNECTIONS = '[';
    await registry.list();
    expect(world.logged).toEqual([expect.stringContaining('"prt"'), expect.stringContaining('EXAMPLE_CONNECTIONS')]);
  });
});

describe('asking for a connection', () => {
  it('takes the only one when the name is left out', async () => {
    world.writeStore(example);
    expect((await registry.get()).name).toBe('prod');
    world.writeStore({ ...example, prt: 1 });
    expect((await failureOf(registry.get())).message).toContain('"prt"');
  });

  it('needs a name when there are more, also when one of them is broken', async () => {
    world.writeStore(example, { ...example, name: 'two', prt: 1 });
    expect(await failureOf(registry.get())).toMatchObject({ kind: 'input', hint: 'Name one of "prod", "two".' });
  });

  it('names the nearest', async () => {
    world.writeStore(example, { ...example, name: 'staging' });
    expect(await failureOf(registry.get('prdo'))).toMatchObject({ kind: 'unknown', nearest: ['prod'] });
    expect(await failureOf(registry.resolve('toString'))).toMatchObject({ kind: 'unknown' });
  });
});

describe('edits while the server runs', () => {
  it('count at the next call, and nothing else is made again', async () => {
    world.writeStore(example);
    const first = await registry.list();
    expect(await registry.list()).toBe(first);
    world.writeStore(example, { ...example, name: 'two' });
    expect(await names()).toEqual(['prod', 'two']);
    unlinkSync(world.storePath);
    expect(await names()).toEqual([]);
    world.writeProject(example);
    expect((await registry.list()).entries).toMatchObject([{ name: 'prod', problem: { code: 'E_NOT_ALLOWED' } }]);
    await world.allow();
    expect((await registry.get('prod')).origin.kind).toBe('project');
    writeConnections(world.folder.at('work', 'deep', '.example.json'), [{ ...example, host: 'nearer' }]);
    expect((await registry.get('prod')).config.host).toBe('db.internal');
  });

  it('broken edits keep the last good state, with line and column', async () => {
    world.writeStore(example);
    await registry.list();
    writeFileSync(world.storePath, '{ "version": 1,\n "connections": [ }');
    expect(await names()).toEqual(['prod']);
    expect((await problems())[0]).toMatch(/line 2, column 19: expected a value; the connections it held before/);
    expect((await registry.resolve('prod')).config.host).toBe('db.internal');
    const restarted = world.another();
    expect((await restarted.list()).entries).toEqual([]);
  });

  it('edits of an allowed file withdraw the permission, even of a broken one', async () => {
    world.writeProject(example);
    await world.allow();
    expect((await registry.get('prod')).origin.kind).toBe('project');
    writeFileSync(world.projectPath, '{');
    expect(await failureOf(registry.get('prod'))).toMatchObject({ code: 'E_NOT_ALLOWED' });
    expect((await registry.list()).problems[0]?.failure).toMatchObject({ code: 'E_NOT_ALLOWED' });
  });
});

describe('an allowed file that has changed', () => {
  const fields = { ...example, host: 'from-project' };
  async function change(...connections: object[]): Promise<void> {
    world.writeProject(fields, { ...fields, name: 'two' });
    await world.allow();
    await registry.list();
    world.writeProject(...connections);
  }

  it('keeps the names that it defined from weaker sources until it is allowed again', async () => {
    world.writeStore(example, { ...example, name: 'added' });
    await change({ ...fields, name: 'added' });
    for (const name of ['prod', 'two']) {
      const failure = await failureOf(registry.get(name));
      expect(failure).toMatchObject({ code: 'E_NOT_ALLOWED', message: expect.stringContaining('prod, two cannot be used') });
    }
    expect((await registry.list()).entries.find(({ name }) => name === 'prod')?.shadows).toMatchObject([{ kind: 'store' }]);
    // What it defines now has never been allowed, so it hides nothing.
    expect((await registry.get('added')).origin.kind).toBe('store');
    await world.allow();
    expect((await registry.get('prod')).origin.kind).toBe('store');
    expect((await registry.get('added')).origin.kind).toBe('project');
  });

  it('keeps them in another process too, and from a file further up', async () => {
    await change();
    writeConnections(world.folder.at('.example.json'), [fields]);
    const trustPath = world.folder.at('config', 'allowed.json');
    await allowProjectFile({ trustPath, file: world.folder.at('.example.json') });
    expect(await failureOf(world.another().get('prod'))).toMatchObject({ code: 'E_NOT_ALLOWED' });
  });

  it('goes by what is in the file where an earlier version has allowed it', async () => {
    world.writeStore(example);
    await change({ ...fields, host: 'elsewhere' });
    const trustPath = world.folder.at('config', 'allowed.json');
    const memory = JSON.parse(readFileSync(trustPath, 'utf8'));
    for (const one of memory.allowed) delete one.names;
    writeFileSync(trustPath, JSON.stringify(memory), { mode: 0o600 });
    expect(await failureOf(registry.get('prod'))).toMatchObject({ code: 'E_NOT_ALLOWED' });
    // A process that has read the file while it was allowed knows better.
    world.writeProject();
    expect(await failureOf(registry.get('prod'))).toMatchObject({ code: 'E_NOT_ALLOWED' });
    expect((await world.another().get('prod')).origin.kind).toBe('store');
  });

  it('keeps them from weaker sources when it is taken away, and only then', async () => {
    world.writeStore({ ...example, name: 'own' });
    await change(fields);
    await world.allow();
    unlinkSync(world.projectPath);
    expect(await registry.list()).toMatchObject({ entries: [{ name: 'own' }], problems: [] });
    world.writeStore(example, { ...example, name: 'own' });
    const failure = await failureOf(registry.get('prod'));
    expect(failure.code).toBe('E_NOT_ALLOWED');
    expect(readHint(failure)).toContain('or run `example-mcp disallow');
    expect((await registry.get('own')).origin.kind).toBe('store');
    await disallowProjectFile({ trustPath: world.folder.at('config', 'allowed.json'), file: world.projectPath });
    expect((await registry.get('prod')).origin.kind).toBe('store');
  });

  it('does not take names from the environment, which is stronger', async () => {
    world.setVariable(example);
    await change();
    expect((await registry.get('prod')).origin.kind).toBe('env');
  });

  it('leaves no other connection as the only one, and its names are taken', async () => {
    world.writeStore({ ...example, name: 'last' });
    await change();
    expect(await failureOf(registry.get())).toMatchObject({ kind: 'input' });
    expect(await failureOf(registry.add({ ...example, name: 'two' }))).toMatchObject({ code: 'E_NAME_TAKEN' });
  });
});

it('comments are read in project files, and refused in the store, which is rewritten', async () => {
  writeFileSync(world.projectPath, `// ours\n{ "version": 1, "connections": [${JSON.stringify(example)} /* one */] }`);
  await world.allow();
  expect((await registry.get('prod')).origin.kind).toBe('project');
  world.writeStore(example);
  writeFileSync(world.storePath, `// mine\n${readFileSync(world.storePath, 'utf8')}`);
  expect(await problems()).toEqual([expect.stringContaining('comments are not allowed in this file')]);
});
