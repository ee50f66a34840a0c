import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeMark } from '../../doors/project/running-mark.ts';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { findUnusedPort, listenOnLoopback } from '../../testing/loopback.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { CommandOptions } from '../command.ts';
import { clients } from './clients.ts';
import { install, uninstall } from './install.ts';

const folder = useTempFolder();
/** The state folder has a port already, so that a server of this machine on the first one does not matter. */
const port = await findUnusedPort();
const url = `http://127.0.0.1:${port}/mcp`;
const definition = { program: { name: 'thing-mcp', app: 'thing' } };

const stateFolder = () => folder.at('.config', 'thing', 'state');
const readPorts = () => JSON.parse(readFileSync(`${stateFolder()}/ports.json`, 'utf8'));

beforeEach(() => {
  mkdirSync(stateFolder(), { recursive: true });
  writeFileSync(`${stateFolder()}/ports.json`, JSON.stringify({ [folder.path]: port }));
});

interface Options {
  options?: CommandOptions;
  serverArgs?: string[];
}

async function run(command: typeof install, id: string, { options = { http: true }, serverArgs = [] }: Options = {}) {
  const terminal = createFakeTerminal({ folder: folder.path, answers: ['y', 'y'] });
  const words = id === '' ? [] : id.split(' ');
  const code = await command({ definition, terminal, words, options, serverArgs, platform: 'linux' });
  return { code, out: terminal.printed };
}

function find(id: string) {
  const client = clients.find((one) => one.id === id) ?? expect.fail(`no client ${id}`);
  return { ...client, path: client.file({ platform: 'linux', home: folder.path, env: {} }) };
}

function write(id: string, text: string): string {
  const { path } = find(id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function readEntry(id: string): Record<string, unknown> {
  const { path, section } = find(id);
  return JSON.parse(readFileSync(path, 'utf8'))[section].thing;
}

const withUrl = clients.filter(({ remote }) => remote !== undefined).map(({ id }) => id);

describe('install --http', () => {
  it.each([
    ['claude-code', { type: 'http', url, headers: { Authorization: 'Bearer ${THING_TOKEN}' } }],
    ['cursor', { url, headers: { Authorization: 'Bearer ${env:THING_TOKEN}' } }],
    ['vscode', { type: 'http', url, headers: { Authorization: 'Bearer ${input:thing-token}' } }],
    ['gemini', { httpUrl: url, headers: { Authorization: 'Bearer $THING_TOKEN' } }],
    ['windsurf', { serverUrl: url, headers: { Authorization: 'Bearer ${env:THING_TOKEN}' } }],
    ['zed', { url }],
    ['opencode', { type: 'remote', url, headers: { Authorization: 'Bearer {env:THING_TOKEN}' }, enabled: true }],
    ['copilot', { type: 'http', url, headers: { Authorization: 'Bearer ${THING_TOKEN}' }, tools: ['*'] }],
  ])('writes the URL and a reference to the token for %s', async (id, entry) => {
    const { code, out } = await run(install, id);
    expect(code).toBe(0);
    expect(readEntry(id)).toEqual(entry);
    expect(out).toContain('Start the server with `thing-mcp serve`.');
    expect(out).toContain('`thing-mcp serve --print-token`');
  });

  it('names the variable of the token for codex', async () => {
    await run(install, 'codex');
    expect(readFileSync(find('codex').path, 'utf8')).toBe(
      `[mcp_servers.thing]\nurl = "${url}"\nbearer_token_env_var = "THING_TOKEN"\n`,
    );
  });

  it.each(withUrl)('is taken back by uninstall for %s', async (id) => {
    await run(install, id);
    expect((await run(uninstall, id, { options: {} })).code).toBe(0);
    expect(existsSync(find(id).path)).toBe(false);
  });

  it.each([
    ['cursor', /Set THING_TOKEN in the environment of Cursor to the token that `thing-mcp serve --print-token` prints\./],
    ['codex', /Set THING_TOKEN in the environment of Codex to the token/],
    ['vscode', /VS Code asks for a token: enter the token that `thing-mcp serve --print-token` prints\./],
    [
      'zed',
      /Zed cannot refer to a secret: write "headers": \{ "Authorization": "Bearer TOKEN" \} into the entry, with the token/,
    ],
  ])('says what to do with the token for %s', async (id, words) => {
    expect((await run(install, id)).out).toMatch(words);
  });

  it('refuses a client that only starts programs, and does not offer it', async () => {
    await expect(run(install, 'claude-desktop')).rejects.toMatchObject({
      message: 'Claude Desktop takes no URL from its configuration file, only a command',
      hint: expect.stringMatching(/without --http, or use --http with claude-code, cursor/),
    });
    for (const id of ['claude-desktop', 'zed']) mkdirSync(dirname(find(id).path), { recursive: true });
    const terminal = createFakeTerminal({ folder: folder.path, answers: ['zed', 'y'] });
    await install({ definition, terminal, words: [], options: { http: true }, serverArgs: [], platform: 'linux' });
    expect(terminal.printed).toContain('Found here: zed (Zed)');
  });
});

describe('the address that install --http writes', () => {
  it('is on a port that is assigned to the project and free', async () => {
    rmSync(stateFolder(), { recursive: true });
    await run(install, 'cursor');
    const assigned = readPorts()[folder.path];
    expect(assigned).toBeGreaterThan(50_000);
    expect(readEntry('cursor')).toMatchObject({ url: `http://127.0.0.1:${assigned}/mcp` });
  });

  it('moves when another program uses the port', async () => {
    const server = createServer();
    const taken = await listenOnLoopback(server);
    writeFileSync(`${stateFolder()}/ports.json`, JSON.stringify({ [folder.path]: taken }));
    await run(install, 'cursor');
    server.close();
    expect(readPorts()[folder.path]).not.toBe(taken);
    expect(readEntry('cursor')).toMatchObject({ url: `http://127.0.0.1:${readPorts()[folder.path]}/mcp` });
  });

  it('is the URL of the server that runs for the project', async () => {
    mkdirSync(`${stateFolder()}/running`, { recursive: true });
    await writeMark(stateFolder(), { root: folder.path, url: 'https://127.0.0.1:4443/mcp', port: 4443 });
    const { out } = await run(install, 'cursor');
    expect(readEntry('cursor')).toMatchObject({ url: 'https://127.0.0.1:4443/mcp' });
    expect(out).not.toContain('Start the server');
  });

  it.each([
    ['https://mole.example.com', 'https://mole.example.com/mcp'],
    ['https://mole.example.com/', 'https://mole.example.com/mcp'],
    ['https://example.com/db/mcp', 'https://example.com/db/mcp'],
    ['http://localhost:8080/mcp', 'http://localhost:8080/mcp'],
    ['http://[::1]:8080/mcp', 'http://[::1]:8080/mcp'],
  ])('is the given URL %s', async (given, written) => {
    const { out } = await run(install, 'cursor', { options: { url: given } });
    expect(readEntry('cursor')).toMatchObject({ url: written });
    expect(out).toContain('Set THING_TOKEN in the environment of Cursor to the token of the server.');
    expect(readPorts()).toEqual({ [folder.path]: port });
  });

  it.each([
    ['mole.example.com', 'input', 'invalid --url "mole.example.com"'],
    ['ftp://mole.example.com', 'input', 'invalid --url'],
    ['https://me:secret@mole.example.com', 'input', 'invalid --url'],
    ['http://mole.example.com', 'refused', 'http://mole.example.com is not encrypted'],
  ])('is not %s', async (given, kind, message) => {
    const failed = run(install, 'cursor', { options: { url: given } });
    await expect(failed).rejects.toMatchObject({ kind, message: expect.stringContaining(message) });
    expect(existsSync(find('cursor').path)).toBe(false);
  });
});

describe('options beside install --http', () => {
  it('writes no token for a client that signs in', async () => {
    for (const id of ['claude-code', 'codex', 'vscode']) {
      const { out } = await run(install, id, { options: { url: 'https://mole.example.com', 'sign-in': true } });
      expect(readFileSync(find(id).path, 'utf8')).not.toMatch(/authorization|token|inputs/i);
      expect(out).toContain('signs in when it first connects.');
    }
  });

  it('turns --readonly into a header', async () => {
    await run(install, 'cursor', { serverArgs: ['--readonly'] });
    expect(readEntry('cursor')).toMatchObject({ headers: { 'X-Mole-Readonly': '1' } });
    await run(install, 'codex', { serverArgs: ['--readonly'] });
    expect(readFileSync(find('codex').path, 'utf8')).toContain('http_headers = { "X-Mole-Readonly" = "1" }');
  });

  it.each([
    [{ serverArgs: ['--config', '/x.json'] }, '--config'],
    [{ serverArgs: ['--readonly', '--tools', 'read'] }, '--tools'],
    [{ options: { http: true, env: ['A=1'] } }, '--env'],
  ])('refuses what belongs to the server: %j', async (given, option) => {
    await expect(run(install, 'cursor', given)).rejects.toMatchObject({
      kind: 'input',
      message: `${option} cannot be combined with --http: it is an option of the server`,
    });
  });

  it('refuses an option that only a server on stdio has', async () => {
    await expect(run(install, 'cursor', { serverArgs: ['--shared'] })).rejects.toMatchObject({
      message: '--shared cannot be combined with --http: it is an option of a server on standard input',
      next: 'Leave it out.',
    });
  });

  it('refuses --sign-in without a URL', async () => {
    const failed = run(install, 'cursor', { options: { 'sign-in': true } });
    await expect(failed).rejects.toThrow('--sign-in needs --http or --url');
    expect(existsSync(find('cursor').path)).toBe(false);
  });
});

describe('a file that install --http changes', () => {
  it('keeps the headers and settings that a person added', async () => {
    write('gemini', JSON.stringify({ mcpServers: { thing: { httpUrl: 'x', headers: { 'X-Mine': '1' }, timeout: 5 } } }));
    await run(install, 'gemini');
    expect(readEntry('gemini')).toEqual({
      httpUrl: url,
      headers: { 'X-Mine': '1', Authorization: 'Bearer $THING_TOKEN' },
      timeout: 5,
    });
  });

  it('keeps the token that a person wrote for a client without references', async () => {
    write('zed', JSON.stringify({ context_servers: { thing: { url: 'x', headers: { Authorization: 'Bearer mine' } } } }));
    await run(install, 'zed');
    expect(readEntry('zed')).toEqual({ url, headers: { Authorization: 'Bearer mine' } });
  });

  it.each(['cursor', 'opencode', 'copilot', 'codex'])('loses the command of %s, and gets it back', async (id) => {
    await run(install, id, { options: {} });
    await run(install, id);
    const remote = readFileSync(find(id).path, 'utf8');
    expect(remote).toContain(url);
    expect(remote).not.toMatch(/command|npx/);
    await run(install, id, { options: {} });
    const local = readFileSync(find(id).path, 'utf8');
    expect(local).toContain('npx');
    expect(local).not.toMatch(/url|token/i);
  });

  it('refuses to mix both kinds where codex has variables in a table of their own', async () => {
    const text = '[mcp_servers.thing]\ncommand = "x"\n\n[mcp_servers.thing.env]\nA = "1"\n';
    const path = write('codex', text);
    await expect(run(install, 'codex')).rejects.toMatchObject({ kind: 'config' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  const inputs = '  "inputs": [ // mine\n    { "id": "other", "type": "promptString" }, // why\n  ],\n';
  const servers = '  "servers": {\n    "other": { "command": "x" } // it\n  }\n';

  it.each([
    ['without inputs', `{\n${servers}}\n`],
    ['with inputs', `{\n${inputs}${servers}}\n`],
    ['with inputs in one line', '{ "inputs": [{ "id": "other" }], "servers": { "other": { "command": "x" } } }'],
    ['with a byte order mark', `\uFEFF{\r\n  "inputs": [\r\n    { "id": "a" }\r\n  ]\r\n}\r\n`],
  ])('gets and loses the input of VS Code in a file %s', async (_title, text) => {
    const path = write('vscode', text);
    const { out } = await run(install, 'vscode');
    expect(out).toContain('+ "inputs": [{"type":"promptString","id":"thing-token"');
    const written = readFileSync(path, 'utf8');
    expect(written).toMatch(/"id": ?"thing-token"/);
    for (const mine of ['// mine', '// why', '// it', '"other"', '\uFEFF'])
      if (text.includes(mine)) expect(written).toContain(mine);
    await run(install, 'vscode');
    expect(readFileSync(path, 'utf8')).toBe(written);
    // Only the entry is removed from a file that was changed since.
    writeFileSync(path, `${written}\n`);
    await run(uninstall, 'vscode', { options: {} });
    expect(readFileSync(path, 'utf8')).toBe(`${text}\n`);
  });

  it('loses the input when the command comes back', async () => {
    await run(install, 'vscode');
    await run(install, 'vscode', { options: {} });
    expect(readFileSync(find('vscode').path, 'utf8')).not.toContain('inputs');
  });

  it('is left alone when its inputs are no list', async () => {
    const path = write('vscode', '{ "inputs": {} }');
    await expect(run(install, 'vscode')).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(/^"inputs" in .*mcp\.json does not hold a list$/),
    });
    expect(readFileSync(path, 'utf8')).toBe('{ "inputs": {} }');
  });
});
