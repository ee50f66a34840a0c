import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HubWorld, hostile, typeCommand as type } from './hub-world.ts';

const cursorFile = (world: HubWorld) => world.folder.at('.cursor', 'mcp.json');

function writeCursor(world: HubWorld): string {
  const text = `{
  // mine
  "mcpServers": {
    "one": { "command": "npx", "args": ["-y", "one"], "env": { "API_KEY": "s3cr3t-value", "B": "\${env:B}" } },
    "two": { "url": "https://two.example.com/mcp" },
    "asks": { "command": "x", "env": { "A": "\${input:a}" } }
  },
  "other": 1
}
`;
  mkdirSync(dirname(cursorFile(world)), { recursive: true });
  writeFileSync(cursorFile(world), text);
  return text;
}

const readOwn = (world: HubWorld) => JSON.parse(readFileSync(world.own, 'utf8'));

/** A port on which nothing listens any more. */
async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('import and install', () => {
  it('copies the servers of a client, shows no secret, and copies nothing twice', async () => {
    const world = new HubWorld({ mine: { command: 'mine' } });
    writeCursor(world);
    const first = await type(world, 'import cursor', { answers: ['y'] });
    expect(first).toMatchObject({ code: 0, text: expect.stringContaining('- asks: it asks for an input') });
    expect(first.text).not.toContain('s3cr3t-value');
    expect(readOwn(world).mcpServers).toEqual({
      mine: { command: 'mine' },
      one: { command: 'npx', args: ['-y', 'one'], env: { API_KEY: 's3cr3t-value', B: '${B}' } },
      two: { url: 'https://two.example.com/mcp' },
    });
    expect((await type(world, 'import cursor')).text).toContain('= one: is there already');
  });

  it('asks first, and changes nothing after a no', async () => {
    const world = new HubWorld();
    const before = writeCursor(world);
    expect(await type(world, 'import cursor', { answers: ['n'] })).toMatchObject({ code: 1 });
    expect(await type(world, 'install cursor', { answers: ['n'] })).toMatchObject({ code: 1 });
    expect(readFileSync(cursorFile(world), 'utf8')).toBe(before);
    expect(readOwn(world).mcpServers).toEqual({});
  });

  it('replaces what it took, and gives it back to the byte', async () => {
    const world = new HubWorld();
    const before = writeCursor(world);
    const installed = await type(world, 'install cursor --yes --shared');
    expect(installed).toMatchObject({ code: 0, text: expect.stringContaining('Run `molehub-mcp check` once') });
    expect(Object.keys(readOwn(world).mcpServers)).toEqual(['one', 'two']);
    const after = readFileSync(cursorFile(world), 'utf8');
    expect(after).toContain('// mine');
    expect(after).toContain('"asks"');
    expect(after).not.toMatch(/"one"|"two"/);
    expect(after).toMatch(/"molehub": \{[\s\S]*"--shared"/);
    expect(await type(world, 'uninstall cursor --yes')).toMatchObject({ code: 0 });
    expect(readFileSync(cursorFile(world), 'utf8')).toBe(before);
  });

  it('puts back the replaced entries when the file was changed since', async () => {
    const world = new HubWorld();
    writeCursor(world);
    await type(world, 'install cursor --yes');
    writeFileSync(cursorFile(world), readFileSync(cursorFile(world), 'utf8').replace('"other": 1', '"other": 2'));
    expect(await type(world, 'uninstall cursor --yes')).toMatchObject({ code: 0 });
    const { mcpServers, other } = JSON.parse(readFileSync(cursorFile(world), 'utf8').replace('// mine', ''));
    expect([Object.keys(mcpServers).toSorted(), other]).toEqual([['asks', 'one', 'two'], 2]);
  });

  it('leaves the others with --keep, and works on TOML', async () => {
    const world = new HubWorld();
    const path = world.folder.at('.codex', 'config.toml');
    const before = 'model = "x"\n\n[mcp_servers.one]\ncommand = "one"\nargs = ["a"]\n\n[mcp_servers.one.env]\nA = "1"\n';
    mkdirSync(dirname(path));
    writeFileSync(path, before);
    await type(world, 'install codex --yes --keep');
    expect(readFileSync(path, 'utf8')).toMatch(/\[mcp_servers\.one\][\s\S]*\[mcp_servers\.molehub\]/);
    await type(world, 'uninstall codex --yes');
    await type(world, 'install codex --yes');
    expect(readOwn(world).mcpServers).toEqual({ one: { command: 'one', args: ['a'], env: { A: '1' } } });
    expect(readFileSync(path, 'utf8')).not.toContain('mcp_servers.one');
    await type(world, 'uninstall codex --yes');
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});

describe('the other commands', () => {
  it('check starts each server once and says what is wrong, and status starts nothing', async () => {
    const world = new HubWorld({ good: hostile(), broken: hostile('broken'), off: hostile('', { enabled: false }) });
    expect((await type(world, 'status')).text).toMatch(/good: stopped; never seen/);
    const checked = await type(world, 'check');
    expect(checked.code).toBe(1);
    expect(checked.text).toMatch(/ok {2}good: hostile 6\.6\.6, 13 tools, an older protocol/);
    expect(checked.text).toMatch(/!! {2}broken: .*no license found/);
    expect(checked.text).not.toContain('off');
    expect((await type(world, 'status good')).text).toMatch(
      /good: stopped; hostile 6\.6\.6; 13 tools[\s\S]*log: .*good\.log[\s\S]*good__echo = echo/,
    );
    expect(await type(world, 'status nope')).toMatchObject({ code: 1, text: expect.stringContaining('is not configured') });
  });

  it('check says why a server cannot be started, and what to do', async () => {
    const world = new HubWorld({
      program: { command: 'no-such-program' },
      folder: hostile('', { cwd: '/no/such/folder' }),
      other: { command: 'cat' },
      away: { url: 'http://127.0.0.1:1/mcp' },
      refused: { url: `http://127.0.0.1:${await findClosedPort()}/mcp` },
      unseen: hostile('', { enabled: false }),
    });
    const { code, text } = await type(world, 'check');
    expect(code).toBe(1);
    for (const part of [
      'the program "no-such-program" was not found (ENOENT). Write the full path',
      'its folder /no/such/folder does not exist. Correct "cwd".',
      'does not answer like an MCP server',
      'cannot be reached at http://127.0.0.1:1: bad port. Check its "url"',
      'nothing accepts connections there. Check its "url"',
    ])
      expect(text).toContain(part);
    expect(
      text
        .split('\n')
        .filter((line) => line.startsWith('!!'))
        .map((line) => line.split(/[ :]+/)[1]),
    ).toEqual(['program', 'folder', 'other', 'away', 'refused']);
    expect((await type(world, 'status program')).text).toMatch(/never seen[\s\S]*next: Run `molehub-mcp check program`/);
  });

  it('accept shows what changed, and --pin withholds it until then', async () => {
    const world = new HubWorld({ bad: hostile() });
    await type(world, 'check');
    expect((await type(world, 'accept bad')).text).toContain('Nothing has changed');
    world.write({ bad: hostile('', { env: { VERSION: '2' } }) });
    const client = await world.connect('legacy', { pin: true });
    await expect.poll(async () => (await client.names()).includes('bad__hidden'), { timeout: 10_000 }).toBe(false);
    expect(await client.text('bad__hidden')).toMatch(/^E_TOOL_CHANGED: .*\nNext: Ask the user to run `molehub-mcp accept bad`/);
    expect(await client.text('bad__echo', { value: 'x' })).toBe('x');
    const shown = await type(world, 'accept bad', { answers: ['n'] });
    expect(shown).toMatchObject({
      code: 1,
      text: expect.stringMatching(/hidden \(changed\):[\s\S]*safe⟦U\+202E⟧ 2/),
    });
    expect(await type(world, 'accept bad --yes')).toMatchObject({ code: 0 });
    await expect.poll(async () => (await client.names()).includes('bad__hidden'), { timeout: 10_000 }).toBe(true);
  });

  it('allow lets the servers of a project count, as they were then', async () => {
    const world = new HubWorld({ same: hostile(), own: hostile() });
    const project = world.folder.at('.mole', 'mcp.json');
    world.write({ same: hostile('', { enabled: false }), theirs: hostile() }, project);
    expect((await type(world, 'status')).text).toMatch(
      /Problem: .*is not allowed yet.*\. Run `molehub-mcp allow` in the project\./,
    );
    expect(await type(world, 'allow', { answers: ['n'] })).toMatchObject({ code: 1, text: expect.stringContaining('"theirs"') });
    expect(await type(world, 'allow --yes')).toMatchObject({ code: 0 });
    expect((await type(world, 'allow')).text).toContain('is allowed already');
    const { text } = await type(world, 'status');
    expect(text).toMatch(
      /same: disabled[\s\S]*shadows the entry in .*molehub\/mcp\.json[\s\S]*theirs: stopped[\s\S]*own: stopped/,
    );
    world.write({ theirs: hostile('changed') }, project);
    expect((await type(world, 'status')).text).toMatch(/has changed since it was allowed/);
    expect((await type(world, 'disallow')).text).toContain('is no longer allowed');
    expect(await type(world, 'allow nothing.json')).toMatchObject({ code: 1, text: expect.stringContaining('does not exist') });
  });

  it('say what is wrong with words, options and entries', async () => {
    const world = new HubWorld({
      misspelled: { command: 'x', callTimout: '1s' },
      neither: { args: [] },
      wrong: { command: 'x', idle: 'soon' },
      unset: { command: '${NOT_SET}' },
    });
    expect(await type(world, '--version')).toEqual({ code: 0, text: '0.0.0' });
    expect((await type(world, '--help')).text).toContain('molehub-mcp install CLIENT');
    expect((await type(world, 'help install')).text).toContain('--keep');
    expect(await type(world, 'instal cursor')).toMatchObject({ code: 2, text: expect.stringContaining('Did you mean install') });
    expect(await type(world, 'check --shared')).toMatchObject({ code: 2 });
    expect(await type(world, 'import')).toMatchObject({ code: 2 });
    expect(await type(world, 'import nothing')).toMatchObject({ code: 2 });
    expect(await type(world, '--serch')).toMatchObject({ code: 2, text: expect.stringContaining('--search') });
    expect(await type(world, 'status', { env: { MOLEHUB_PIN: 'perhaps' } })).toMatchObject({ code: 2 });
    const { text } = await type(world, 'check');
    for (const part of [
      'did you mean "callTimeout"',
      'neither "command" nor "url"',
      'the key "idle"',
      'NOT_SET, which is not set',
    ])
      expect(text).toContain(part);
    expect((await type(world, 'status --config nothing.json')).text).toContain('nothing.json does not exist');
  });
});
