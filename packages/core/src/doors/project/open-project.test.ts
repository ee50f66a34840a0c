import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../failure.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { type OpenProject, type OpenProjectOptions, openProject } from './open-project.ts';
import { parsePort } from './ports.ts';
import { findProjectRoot } from './project-root.ts';
import { readRunning } from './running-mark.ts';

const folder = useTempFolder();
let servers: Server[];
let warnings: Failure[];
beforeEach(() => {
  servers = [];
  warnings = [];
});
afterEach(async () => {
  await Promise.all(servers.map(close));
});

const stateFolder = () => folder.at('state');
const portsFile = () => join(stateFolder(), 'ports.json');
const readPorts = (): Record<string, number> => JSON.parse(readFileSync(portsFile(), 'utf8'));

function makeRoot(name: string): string {
  mkdirSync(folder.at(name), { recursive: true });
  return findProjectRoot({ cwd: folder.path, projectFileName: '.thing.json', given: folder.at(name) });
}

function listen(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      servers.push(server);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function close(server: Server | undefined): Promise<void> {
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
}

async function open(root: string, options: Partial<OpenProjectOptions> = {}): Promise<OpenProject> {
  return await openProject({
    stateFolder: stateFolder(),
    root,
    port: undefined,
    takeover: false,
    listen,
    urlFor: (port) => `http://127.0.0.1:${port}/mcp`,
    warn: (failure) => warnings.push(failure),
    projectFileName: '.thing.json',
    storePath: folder.at('connections.json'),
    ...options,
  });
}

/** Ends like a server: first its port becomes free, then the project is closed. */
async function end(project: OpenProject): Promise<void> {
  await close(servers.pop());
  await project.close();
}

describe('openProject', () => {
  it('remembers the port of a project and uses it again', async () => {
    const root = makeRoot('shop');
    const first = await open(root);
    expect(first.port).toBeGreaterThanOrEqual(50_001);
    expect(readPorts()).toEqual({ [root]: first.port });
    await end(first);
    expect(readRunning(stateFolder(), root)).toBeUndefined();
    const second = await open(root);
    expect(second.port).toBe(first.port);
    expect(readRunning(stateFolder(), root)).toMatchObject({ pid: process.pid, port: first.port, root });
  });

  it('keeps the port of a project that is not served for that project', async () => {
    const [shop, blog] = [makeRoot('shop'), makeRoot('blog')];
    const first = await open(shop);
    await end(first);
    const second = await open(blog);
    expect(second.port).not.toBe(first.port);
    expect(readPorts()).toEqual({ [shop]: first.port, [blog]: second.port });
  });

  it('leaves out the ports that the other program of this user has assigned', async () => {
    const others = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`/project${i}`, 50_001 + i]));
    mkdirSync(folder.at('config', 'esmole', 'state'), { recursive: true });
    writeFileSync(folder.at('config', 'esmole', 'state', 'ports.json'), JSON.stringify(others));
    const { port } = await open(makeRoot('shop'), { stateFolder: folder.at('config', 'dbmole', 'state') });
    expect(port).toBeGreaterThan(50_050);
  });

  it('moves to a free port when another program listens on the remembered one', async () => {
    const root = makeRoot('shop');
    const first = await open(root);
    await end(first);
    await listen(first.port);
    const second = await open(root);
    expect(second.port).toBeGreaterThan(first.port);
    expect(readPorts()).toEqual({ [root]: second.port });
  });

  it('uses a random port for 0, and does not remember it', async () => {
    const root = makeRoot('shop');
    const first = await open(root);
    await end(first);
    const random = await open(root, { port: 0 });
    expect(random.port).not.toBe(first.port);
    expect(readRunning(stateFolder(), root)?.port).toBe(random.port);
    expect(readPorts()).toEqual({ [root]: first.port });
  });

  it('remembers a port that the user chose, and fails when it is in use', async () => {
    const root = makeRoot('shop');
    const free = await listen(0);
    await close(servers.pop());
    const chosen = await open(root, { port: free });
    expect([chosen.port, readPorts()]).toEqual([free, { [root]: free }]);
    await end(chosen);
    await listen(free);
    await expect(open(root, { port: free })).rejects.toMatchObject({ code: 'E_PORT_TAKEN', message: `port ${free} is in use` });
    expect(readRunning(stateFolder(), root)).toBeUndefined();
  });

  it('refuses a second server for the same project and names the URL of the first', async () => {
    const root = makeRoot('shop');
    const { port } = await open(root);
    await expect(open(root)).rejects.toMatchObject({
      kind: 'refused',
      message: `a server is running for project ${root}: http://127.0.0.1:${port}/mcp (process ${process.pid})`,
    });
    expect(servers).toHaveLength(1);
  });

  it('never signals its own process to take over', async () => {
    const root = makeRoot('shop');
    await open(root);
    await expect(open(root, { takeover: true })).rejects.toThrow('cannot be stopped from here');
  });

  it('takes two paths of one folder for one project', async () => {
    const root = makeRoot('shop');
    symlinkSync(root, folder.at('link'));
    expect(makeRoot('link')).toBe(root);
    await open(root);
    await expect(open(makeRoot('link'))).rejects.toMatchObject({ code: 'E_ALREADY_RUNNING' });
  });

  it.each(['', '{ "a": ', '[1, 2]', 'null', '{ "/shop": "50001", "/blog": 70000, "/news": 1.5, "/old": null }'])(
    'replaces a file of ports that holds %j',
    async (text) => {
      const root = makeRoot('shop');
      mkdirSync(stateFolder());
      writeFileSync(portsFile(), text);
      const { port } = await open(root);
      expect(readPorts()).toEqual({ [root]: port });
    },
  );

  it.each(['', '{', '{ "pid": 1 }', '[]'])('replaces a running mark that holds %j', async (text) => {
    const root = makeRoot('shop');
    await end(await open(root));
    await open(makeRoot('blog'));
    const [name = ''] = readdirSync(join(stateFolder(), 'running'));
    await end(await open(root));
    writeFileSync(join(stateFolder(), 'running', name), text);
    await open(root);
    expect(readRunning(stateFolder(), root)?.root).toBe(root);
  });

  it.each([{ host: 'elsewhere' }, { boot: 'before' }, { namespace: 'pid:[1]' }, { start: '1' }, { pid: 4_194_303 }])(
    'does not count a process with %j as running here',
    async (other) => {
      const root = makeRoot('shop');
      await open(root);
      const [name = ''] = readdirSync(join(stateFolder(), 'running'));
      const path = join(stateFolder(), 'running', name);
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...other }));
      expect(readRunning(stateFolder(), root)).toBeUndefined();
      expect((await open(root)).root).toBe(root);
    },
  );

  it.runIf(process.platform !== 'win32')('does not count a mark that another user could have written', async () => {
    const root = makeRoot('shop');
    await open(root);
    const [name = ''] = readdirSync(join(stateFolder(), 'running'));
    chmodSync(join(stateFolder(), 'running', name), 0o666);
    expect(readRunning(stateFolder(), root)).toBeUndefined();
  });

  it('starts with a warning when the state folder cannot be written', async () => {
    const root = makeRoot('shop');
    writeFileSync(folder.at('state'), 'a file where the folder should be');
    const { port, close: closeProject } = await open(root, { stateFolder: folder.at('state', 'inner') });
    await closeProject();
    expect(port).toBeGreaterThanOrEqual(50_001);
    expect(warnings).toMatchObject([{ code: 'E_STORE_WRITE', message: expect.stringContaining('is not remembered') }]);
  });

  it('serves even when its mark cannot be written', async () => {
    const root = makeRoot('shop');
    const blocked = async (port: number) => {
      const bound = await listen(port);
      const [lock = ''] = readdirSync(join(stateFolder(), 'running'));
      mkdirSync(join(stateFolder(), 'running', lock.replace(/\.lock$/, '')));
      return bound;
    };
    const { port } = await open(root, { listen: blocked });
    expect([warnings.length, readPorts()[root]]).toEqual([1, port]);
  });

  it('passes on what is wrong with listening', async () => {
    const root = makeRoot('shop');
    await expect(open(root, { listen: () => Promise.reject(new Error('no certificate')) })).rejects.toThrow('no certificate');
    expect(readRunning(stateFolder(), root)).toBeUndefined();
  });

  it('binds nothing where the project file disables it', async () => {
    const root = makeRoot('shop');
    writeFileSync(join(root, '.thing.json'), '{ "version": 1, "serve": { "enabled": false } }');
    await expect(open(root)).rejects.toMatchObject({ code: 'E_SERVE_DISABLED' });
    expect(servers).toEqual([]);
  });
});

describe('parsePort', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['65535', 65_535],
  ])('accepts the port %s', (text, port) => expect(parsePort(text)).toBe(port));

  it.each(['65536', '-1', '', ' 80', '80a', '1e3', '0x50', '999999', '1.5'])('refuses the port %j', (text) => {
    expect(() => parsePort(text)).toThrow(`invalid --port ${JSON.stringify(text)}: expected a number from 0 to 65535`);
  });

  it('names the option that it was read from', () => {
    expect(() => parsePort('x', '--metrics')).toThrow('invalid --metrics "x": expected a number from 0 to 65535');
  });
});

describe('findProjectRoot', () => {
  const find = (cwd: string, given?: string) => findProjectRoot({ cwd, projectFileName: '.thing.json', given });

  it('is the folder of the nearest project file, else the working directory', () => {
    const inner = makeRoot('shop/src');
    expect(find(inner)).toBe(inner);
    writeFileSync(folder.at('shop', '.thing.json'), '{}');
    expect(find(inner)).toBe(realpathSync(folder.at('shop')));
  });

  it('is the given folder even above a project file', () => {
    writeFileSync(join(makeRoot('shop'), '.thing.json'), '{}');
    expect(find(folder.at('shop'), folder.path)).toBe(realpathSync(folder.path));
  });

  it.each(['shop', './shop', '', '~/shop'])('refuses the relative path %j', (given) => {
    expect(() => find(folder.path, given)).toThrow('project must be an absolute path');
  });

  it('refuses what is not there, and what is a file', () => {
    writeFileSync(folder.at('file'), '');
    expect(() => find(folder.path, folder.at('none'))).toThrow('project does not exist');
    expect(() => find(folder.path, folder.at('file'))).toThrow('project does not exist');
  });
});
