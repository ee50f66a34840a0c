import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolReply } from '../../answer/respond.ts';
import { Failure } from '../../failure.ts';
import type { Narrowing } from '../../program/narrowing.ts';
import { connectTestClient, type TestClient } from '../../testing/client.ts';
import { listenOnLoopback, openSilentServer } from '../../testing/loopback.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { Caller } from '../../tools/caller.ts';
import { defineTool, type ToolContext } from '../../tools/tool.ts';
import { createToolServer, type ToolServer } from '../../tools/tool-server.ts';
import { createTokenAuth } from '../http/authenticate.ts';
import { createHostRules } from '../http/host-check.ts';
import { HttpDoor } from '../http/http-door.ts';
import { readLimits } from '../http/limits/limit-options.ts';
import { createTokenFile } from '../http/token-file.ts';
import { type OpenProject, openProject } from './open-project.ts';
import { findProjectRoot } from './project-root.ts';
import { withProjects } from './project-tools.ts';

const folder = useTempFolder();
const stateFolder = () => folder.at('state');
/** JSON can write this in several ways, of which one has to be kept. */
const odd = 'a\u2028b\ud83d\ude00 \\ " / \u0000\u007f </script> \r\n\t é';

let doors: HttpDoor[];
let projects: OpenProject[];
let clients: TestClient[];
beforeEach(() => {
  clients = [];
  doors = [];
  projects = [];
});
afterEach(async () => {
  for (const client of clients) await client.close();
  for (const door of doors) await door.close();
  for (const project of projects) await project.close();
});

const text = (value: string): ToolReply => ({ content: [{ type: 'text', text: value }] });

interface Behaviour {
  name: string;
  wait?: (context: ToolContext) => Promise<ToolReply>;
}

/** A server whose tools say which one it is. */
function createTools({ name, wait = async () => text('waited') }: Behaviour): ToolServer {
  const server = createToolServer({ name, version: '1', instructions: 'none', log: () => undefined });
  const tool = { title: 'Tool', description: 'Does something.', effect: 'read' } as const;
  server.register(
    defineTool({
      ...tool,
      name: 'echo',
      input: () => z.strictObject({ message: z.string() }),
      handler: async ({ message }) => ({ ...text(`${name}: ${message}`), structuredContent: { message, list: [1, null] } }),
    }),
  );
  server.register(defineTool({ ...tool, name: 'wait', input: () => z.strictObject({}), handler: (_, context) => wait(context) }));
  server.register(
    defineTool({
      ...tool,
      name: 'write',
      effect: 'destroy',
      input: () => z.strictObject({}),
      handler: (_, context) => wait(context),
    }),
  );
  return server;
}

function makeRoot(name: string): string {
  mkdirSync(folder.at(name), { recursive: true });
  return findProjectRoot({ cwd: folder.at(name), projectFileName: '.thing.json' });
}

/** Serves tools over HTTP for a project, as the command does. */
async function serve(root: string, toolServer: ToolServer, narrowings: Narrowing[] = []): Promise<HttpDoor> {
  const tokens = createTokenFile(stateFolder());
  await tokens.ensure();
  const door = new HttpDoor({
    openView: (narrowing) => {
      narrowings.push(narrowing);
      return toolServer;
    },
    log: () => undefined,
    limits: readLimits({}),
    authenticate: createTokenAuth({ realm: 'thing', readToken: tokens.read, advice: 'Ask.' }),
    hostRules: createHostRules({ address: '127.0.0.1', allowedHosts: [], allowedOrigins: [], isBehindProxy: false }),
    root,
  });
  doors.push(door);
  await open(root, (port) => door.listen(port, '127.0.0.1'));
  return door;
}

async function open(root: string, listen: (port: number) => Promise<number>): Promise<void> {
  const project = await openProject({
    stateFolder: stateFolder(),
    root,
    port: 0,
    takeover: false,
    listen,
    urlFor: (port) => `http://127.0.0.1:${port}/mcp`,
    warn: (failure) => expect.fail(failure.message),
    projectFileName: '.thing.json',
    storePath: folder.at('connections.json'),
  });
  projects.push(project);
}

const openLocal = (options: { idleMs?: number; readonly?: boolean } = {}) =>
  withProjects(createTools({ name: 'local' }), {
    program: 'thing-mcp',
    projectFileName: '.thing.json',
    stateFolder: stateFolder(),
    readonly: false,
    ...options,
  });

async function connect(server: ToolServer): Promise<TestClient> {
  const client = await connectTestClient(server);
  clients.push(client);
  return client;
}

const caller = (more: Partial<Caller> = {}): Caller => ({
  signal: new AbortController().signal,
  progressToken: undefined,
  notify: async () => undefined,
  ...more,
});

/** The message and the code of an answer that is an error. */
async function failureOfCall(server: ToolServer, name: string, args: object) {
  const { structuredContent, isError } = await server.call(name, args, caller());
  expect(isError).toBe(true);
  return structuredContent;
}

describe('the argument project', () => {
  it('is offered by each tool, after its own arguments', async () => {
    const client = await connect(openLocal());
    const { tools } = await client.client.listTools();
    const names = tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(names).toEqual([['message', 'project'], ['project'], ['project']]);
    expect(tools[0]?.inputSchema).toMatchObject({ required: ['message'] });
  });

  it.each([{}, { project: undefined }, { project: null }])('leaves a call with %j to the local server', async (given) => {
    await serve(makeRoot('shop'), createTools({ name: 'shop' }));
    expect(await openLocal().call('echo', { message: 'hi', ...given }, caller())).toMatchObject(text('local: hi'));
  });

  it('passes a call to the server of the project and returns its answer unchanged', async () => {
    const remote = createTools({ name: 'shop' });
    const root = makeRoot('shop');
    await serve(root, remote);
    await serve(makeRoot('blog'), createTools({ name: 'blog' }));
    const direct = await remote.call('echo', { message: odd }, caller());
    const passed = await openLocal().call('echo', { message: odd, project: root }, caller());
    expect(JSON.stringify(passed)).toBe(JSON.stringify(direct));
  });

  it('returns the errors of the other server unchanged', async () => {
    const remote = createTools({
      name: 'shop',
      wait: () => Promise.reject(new Failure('limit', 'too much', { hint: 'Ask for less.' })),
    });
    const root = makeRoot('shop');
    await serve(root, remote);
    for (const [name, args] of [
      ['wait', {}],
      ['echo', { message: 1 }],
      ['echo', { massage: 'x' }],
    ] as const) {
      const direct = await remote.call(name, args, caller());
      const passed = await openLocal().call(name, { ...args, project: root }, caller());
      expect(JSON.stringify(passed)).toBe(JSON.stringify(direct));
    }
  });

  it('the argument project also takes a folder inside the project, and a symbolic link to it', async () => {
    const root = makeRoot('shop');
    writeFileSync(folder.at('shop', '.thing.json'), '{ "version": 1 }');
    mkdirSync(folder.at('shop', 'src'));
    symlinkSync(root, folder.at('link'));
    await serve(root, createTools({ name: 'shop' }));
    for (const project of [folder.at('shop', 'src'), folder.at('link'), folder.at('link', 'src')])
      expect(await openLocal().call('echo', { message: 'hi', project }, caller())).toMatchObject(text('shop: hi'));
  });

  it('does not call a tool that this server does not offer', async () => {
    const root = makeRoot('shop');
    await serve(root, createTools({ name: 'shop' }));
    const local = openLocal();
    local.keepOnly({ wanted: 'wait', readonly: false });
    await expect(local.call('echo', { message: 'hi', project: root }, caller())).rejects.toThrow('no tool is called "echo"');
  });
});

describe('a call to another project fails', () => {
  it.each(['shop', './shop', '~/shop', '', 5, true, ['/shop'], {}])(
    'a call to another project fails when the path is %j',
    async (project) => {
      expect(await failureOfCall(openLocal(), 'echo', { message: 'hi', project })).toMatchObject({
        code: 'E_INPUT',
        message: 'project must be an absolute path',
      });
    },
  );

  it('a call to another project fails when the path does not exist', async () => {
    const project = folder.at('nothing');
    expect(await failureOfCall(openLocal(), 'wait', { project })).toMatchObject({ message: 'project does not exist' });
  });

  it('a call to another project fails when no server runs for it, and says how to start one', async () => {
    const project = makeRoot('shop');
    expect(await failureOfCall(openLocal(), 'wait', { project })).toMatchObject({
      code: 'E_NO_SERVER',
      message: `no server is running for project ${project}`,
      hint: `Ask the user to run \`thing-mcp serve\` in ${project}.`,
    });
  });

  it('a call to another project fails when its server has closed its port', async () => {
    const project = makeRoot('shop');
    const door = await serve(project, createTools({ name: 'shop' }));
    await door.close();
    expect(await failureOfCall(openLocal(), 'write', { project })).toMatchObject({
      code: 'E_NO_ANSWER',
      message: `the server of project ${project} did not answer`,
    });
  });

  it('a call to another project fails when its server breaks off, and says whether a write may have happened', async () => {
    const project = makeRoot('shop');
    const remote = createTools({ name: 'shop', wait: () => new Promise(() => undefined) });
    const door = await serve(project, remote);
    const local = openLocal();
    const read = failureOfCall(local, 'wait', { project });
    const write = failureOfCall(local, 'write', { project });
    await expect.poll(() => door.calls).toBe(2);
    await door.close();
    const message = `the server of project ${project} did not answer`;
    expect(await read).toMatchObject({ code: 'E_NO_ANSWER', message });
    expect(await write).toMatchObject({ code: 'E_OUTCOME_UNKNOWN', message });
  });

  it('a call to another project fails when its server accepts and says nothing', async () => {
    const project = makeRoot('shop');
    const silent = await openSilentServer();
    await open(project, async () => silent.port);
    expect(await failureOfCall(openLocal({ idleMs: 200 }), 'wait', { project })).toMatchObject({
      message: `the server of project ${project} did not answer`,
    });
    await silent.close();
  });

  it.each(['application/json', 'text/event-stream'])(
    'a call to another project fails when its server sends %s without an end',
    async (type) => {
      const project = makeRoot('shop');
      const line = `data: ${'x'.repeat(1_000_000)}`;
      let sent = 0;
      const endless = createServer((request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': type });
        const fill = () => {
          while (!response.destroyed && sent < 200 && response.write(line)) sent++;
        };
        response.on('drain', fill).on('error', () => undefined);
        fill();
      });
      await open(project, async () => await listenOnLoopback(endless));
      expect(await failureOfCall(openLocal({ idleMs: 3_000 }), 'wait', { project })).toMatchObject({
        message: `the server of project ${project} did not answer`,
      });
      expect(sent).toBeLessThan(100);
      endless.closeAllConnections();
      endless.close();
    },
  );

  it('a call to another project fails when its server has another token', async () => {
    const project = makeRoot('shop');
    await serve(project, createTools({ name: 'shop' }));
    rmSync(folder.at('state', 'serve-token'));
    expect(await failureOfCall(openLocal(), 'wait', { project })).toMatchObject({
      code: 'E_AUTH',
      message: `the server of project ${project} refused the token`,
    });
  });
});

describe('a running call to another project', () => {
  it('is cancelled there when its caller cancels it', async () => {
    const project = makeRoot('shop');
    const ended: string[] = [];
    const remote = createTools({
      name: 'shop',
      wait: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            ended.push(String(signal.reason));
            reject(signal.reason);
          }),
        ),
    });
    const door = await serve(project, remote);
    const local = openLocal();
    const client = await connect(local);
    const controller = new AbortController();
    const call = client.call('wait', { project }, { signal: controller.signal });
    await expect.poll(() => door.calls).toBe(1);
    expect(local.calls.count).toBe(1);
    controller.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => ended).toEqual([expect.stringContaining('cancelled by the client')]);
    await expect.poll(() => local.calls.count).toBe(0);
  });

  it('is cancelled there when this server stops', async () => {
    const project = makeRoot('shop');
    const remote = createTools({ name: 'shop', wait: () => new Promise(() => undefined) });
    const door = await serve(project, remote);
    const local = openLocal();
    const call = failureOfCall(local, 'wait', { project });
    await expect.poll(() => door.calls).toBe(1);
    local.calls.abortAll(new Failure('cancelled', 'the server is stopping', { code: 'E_SHUTTING_DOWN' }));
    expect(await call).toMatchObject({ code: 'E_SHUTTING_DOWN' });
    await expect.poll(() => remote.calls.count).toBe(0);
  });

  it('reports the progress of the other server to a caller that asked for it', async () => {
    const project = makeRoot('shop');
    const wait = async ({ progress }: ToolContext) => {
      progress(1, 2, 'half');
      progress(2, 2, 'whole');
      return text('done');
    };
    await serve(project, createTools({ name: 'shop', wait }));
    const client = await connect(openLocal());
    const seen: object[] = [];
    const reply = await client.call('wait', { project }, { onProgress: (progress) => seen.push(progress) });
    expect(reply.text).toBe('done');
    expect(seen).toEqual([
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2, message: 'whole' },
    ]);
    expect((await client.call('wait', { project })).text).toBe('done');
  });
});

it('waits for a server that reports to be at work for longer than it may be silent', async () => {
  const project = makeRoot('shop');
  const wait = async () => {
    await delay(6_500);
    return text('done');
  };
  await serve(project, createTools({ name: 'shop', wait }));
  expect(await openLocal({ idleMs: 6_000 }).call('wait', { project }, caller())).toMatchObject(text('done'));
});

it.each([true, false])('asks the other server to only read when this one was started so (%s)', async (readonly) => {
  const project = makeRoot('shop');
  const narrowings: Narrowing[] = [];
  await serve(project, createTools({ name: 'shop' }), narrowings);
  await openLocal({ readonly }).call('wait', { project }, caller());
  expect(narrowings.map((one) => one.readonly === true)).toEqual([readonly]);
});
