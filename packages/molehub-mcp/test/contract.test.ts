import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, openPackage } from '@dbmole/engines';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askingServer, everything, findModule, HubWorld, hostile, type Mode } from './hub-world.ts';

const node = process.execPath;
const files = (folder: string) => ({
  command: node,
  args: [findModule('@modelcontextprotocol/server-filesystem/dist/index.js'), folder],
});
const built = (name: string) => ({
  command: node,
  args: [fileURLToPath(new URL(`../../${name}/dist/main.js`, import.meta.url))],
});
/** Fetched when it is first needed: installed, it would be the largest package of the tests. */
const browserPackage = {
  ...{ name: 'chrome-devtools-mcp', version: '1.11.0', folder: 'chrome-devtools-mcp-1.11.0' },
  about: 'about 15 MB',
};
const asking = { command: node, args: ['--import', 'tsx', askingServer], cwd: findModule('..') };
const modes: readonly Mode[] = ['legacy', 'auto'];
const form = { form: {} };

describe.each(modes)('real servers behind the hub, for a client of the era %s', (mode) => {
  it('pass on structured content, images, links, progress, questions and errors', async () => {
    const world = new HubWorld({ everything });
    const client = await world.connect(mode, { elicitation: form });
    expect(await client.names()).toEqual(['hub_status', 'hub_restart']);
    expect(await client.seen()).toContain('everything__echo');
    expect(client.changes).toBeGreaterThan(0);
    expect(await client.text('everything__echo', { message: 'hi' })).toBe('Echo: hi');
    const structured = await client.result('everything__get-structured-content', { location: 'New York' });
    expect(structured.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    expect(JSON.stringify(await client.result('everything__get-tiny-image'))).toContain('"mimeType":"image/png"');
    const links = await client.result('everything__get-resource-links', { count: 2 });
    expect(links.content.filter(({ type }) => type === 'resource_link')).toHaveLength(2);
    const steps: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) };
    await client.text('everything__trigger-long-running-operation', { duration: 0.3, steps: 3 }, options);
    expect(steps.slice(0, 2)).toEqual([1, 2]);
    await client.text('everything__trigger-elicitation-request');
    expect(client.questions).toHaveLength(1);
    expect(await client.result('everything__echo', { wrong: 1 })).toMatchObject({ isError: true });
    expect(await client.text('hub_status')).toMatch(/everything: running; mcp-servers\/everything 2\.0\.0; .*pid \d+, 1 client/);
  });

  it('pass on what a server of either era asks its user', async () => {
    const world = new HubWorld({ asking, older: hostile() });
    const client = await world.connect(mode, { elicitation: form });
    await client.seen(21);
    expect(await client.text('asking__ask')).toContain('"name":"Ann"');
    expect(JSON.parse(await client.text('older__ask'))).toMatchObject({ action: 'accept', content: { name: 'Ann' } });
    expect(client.questions).toEqual(['asking: your name?', 'older: your name?']);
    expect(await client.result('asking__echo', { value: 'x' })).toEqual({
      content: [{ type: 'text', text: 'x' }],
      structuredContent: { value: 'x', trace: '[null,null,null]' },
    });
  });

  it('pass on what a server with sessions over HTTP asks in the middle of a call', async () => {
    const { port, file } = { port: await findFreePort(), file: everything.args[0] ?? '' };
    const server = spawn(node, [file, 'streamableHttp'], { env: { ...process.env, PORT: `${port}` }, stdio: 'ignore' });
    onTestFinished(() => void server.kill());
    const url = `http://127.0.0.1:${port}/mcp`;
    await expect
      .poll(
        () =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    const world = new HubWorld({ far: { url } });
    const client = await world.connect(mode, { elicitation: form });
    await client.seen(4);
    expect(await client.text('far__echo', { message: 'hi' })).toBe('Echo: hi');
    await client.text('far__trigger-elicitation-request');
    expect(client.questions).toHaveLength(1);
    expect(world.readEra('far')).toBe('legacy');
    const steps: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) };
    await client.text('far__trigger-long-running-operation', { duration: 0.3, steps: 3 }, options);
    expect(steps.slice(0, 2)).toEqual([1, 2]);
    const mute = await world.connect(mode, { session: 'two' });
    await mute.seen(4);
    expect(await mute.text('far__trigger-elicitation-request')).toContain('this client cannot ask its user');
  });

  it('tell a server that the client cannot ask', async () => {
    const world = new HubWorld({ asking, older: hostile() });
    const client = await world.connect(mode);
    await client.seen(21);
    expect(await client.text('older__ask')).toContain('this client cannot ask its user');
    await expect(client.text('asking__ask').then(String, String)).resolves.toMatch(/elicitation|cannot ask/i);
  });

  it('are kept in their folder, and keep their own errors', async () => {
    const world = new HubWorld();
    const folder = world.folder.at('notes');
    mkdirSync(folder);
    writeFileSync(world.folder.at('notes', 'a.txt'), 'hello');
    world.write({ files: { ...files(folder), tools: ['read_*', 'list_directory'] } });
    const client = await world.connect(mode);
    const names = await client.seen();
    expect(names).toContain('files__read_text_file');
    expect(names.filter((name) => /write|edit|move/.test(name))).toEqual([]);
    expect(await client.text('files__read_text_file', { path: world.folder.at('notes', 'a.txt') })).toBe('hello');
    expect(await client.result('files__read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true });
    expect(await client.text('files__write_file', { path: 'x', content: 'y' })).toContain('E_UNKNOWN');
  });

  it('list the tools of chrome-devtools-mcp, which starts no browser for that', async () => {
    const browserServer = join(await openPackage(browserPackage), 'build', 'src', 'bin', 'chrome-devtools-mcp.js');
    const browser = { command: node, args: [browserServer], share: 'session', env: { CI: '1' } };
    const client = await new HubWorld({ browser }).connect(mode, { search: true });
    await client.seen(5);
    const find = () => client.text('hub_search', { query: 'take screenshot' });
    await expect.poll(find, { timeout: 20_000 }).toContain('browser__take_screenshot');
    expect(await client.text('hub_status')).toMatch(/browser: stopped; chrome_devtools \d/);
  });

  it.each(['dbmole-mcp', 'esmole-mcp'])('list the tools of %s and answer them', async (name) => {
    const entry = built(name);
    if (!existsSync(entry.args[0] ?? '')) throw new Error(`${name} is not built: run \`npm run build\` first`);
    const world = new HubWorld({ mole: entry });
    const client = await world.connect(mode);
    expect(await client.seen()).toContain('mole__list_connections');
    expect(await client.text('mole__list_connections')).toContain('No connections');
    const wrong = await client.result('mole__test_connection', { name: 'nope' });
    expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'E_UNKNOWN' } });
    expect(await client.text('hub_status')).toContain('mole: running');
  });
});
