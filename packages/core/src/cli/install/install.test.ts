import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { CommandOptions } from '../command.ts';
import { clients } from './clients.ts';
import { install, uninstall } from './install.ts';

const folder = useTempFolder();

interface Options {
  answers?: (string | undefined)[];
  options?: CommandOptions;
  serverArgs?: string[];
  platform?: NodeJS.Platform;
}

async function run(
  command: typeof install,
  id: string | undefined,
  { answers = ['y'], serverArgs = [], platform = 'linux', options = {} }: Options = {},
) {
  const terminal = createFakeTerminal({ folder: folder.path, answers });
  const definition = { program: { name: 'thing-mcp', app: 'thing' } };
  const code = await command({
    definition,
    terminal,
    words: id === undefined ? [] : id.split(' '),
    options,
    serverArgs,
    platform,
  });
  return { code, out: terminal.printed };
}

const getFile = (id: string, platform: NodeJS.Platform = 'linux') => {
  const client = clients.find((one) => one.id === id);
  return client?.file({ platform, home: folder.path, env: {} }) ?? expect.fail(`no client ${id}`);
};

function write(id: string, text: string | Buffer): string {
  const path = getFile(id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const ids = clients.map((client) => client.id);

describe('install', () => {
  it.each(ids)('writes a new file for %s, and uninstall leaves none', async (id) => {
    expect((await run(install, id)).code).toBe(0);
    const text = readFileSync(getFile(id), 'utf8');
    expect(text).toContain('thing-mcp');
    if (id !== 'codex') expect(JSON.parse(text)).toEqual(expect.any(Object));
    expect((await run(install, id, { answers: [] })).out).toContain('already');
    expect((await run(uninstall, id)).code).toBe(0);
    expect(existsSync(getFile(id))).toBe(false);
    expect((await run(uninstall, id, { answers: [] })).out).toContain('does not have');
  });

  const commented = `// mine\n{\n\t"theme": "dark", // as I like it\n\t"mcpServers": { /* one */ "other": { "command": "x" }, },\n\t"context_servers": {},\n}\n`;
  const odd = {
    'claude-code': `{"numStartups":12,"mcpServers":{"other":{"command":"x","env":{"A":"1"}}},"oauth":{"n":12345678901234567890}}`,
    zed: commented,
    gemini: commented,
    cursor: '\uFEFF{\r\n    "mcpServers": {\r\n    }\r\n}\r\n',
    vscode: '',
    opencode: '{ "$schema": "https://opencode.ai/config.json", "mcp": { "thing": { "type": "remote" } } }',
    codex:
      'model = "o"\n\n[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.other.env]\nA = "[mcp_servers.thing]"\n\n[tui]\ntext = """\n[mcp_servers.thing]\n"""',
  };

  it.each(Object.entries(odd))('keeps everything that %s has, and takes back exactly what it added', async (id, text) => {
    const path = write(id, text);
    expect((await run(install, id)).code).toBe(0);
    const written = readFileSync(path, 'utf8');
    expect(written).toContain('thing-mcp');
    for (const word of ['// mine', '// as I like it', '/* one */', '12345678901234567890', '\uFEFF', '[tui]', '"model = "o"'])
      if (text.includes(word)) expect(written).toContain(word);
    if (text.includes('\r\n')) expect(written.replaceAll('\r\n', '')).not.toContain('\n');
    expect((await run(uninstall, id)).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each(['claude-code', 'gemini', 'codex'] as const)(
    'takes only its own out of %s when the file was changed since',
    async (id) => {
      const path = write(id, odd[id]);
      await run(install, id);
      const addition = id === 'codex' ? '\n[mine]\na = 1\n' : '\n';
      writeFileSync(path, readFileSync(path, 'utf8') + addition);
      expect((await run(uninstall, id)).code).toBe(0);
      const text = readFileSync(path, 'utf8');
      expect(text).not.toContain('thing-mcp');
      expect(text.replace(/\s+/g, '')).toBe((odd[id] + addition).replace(/\s+/g, ''));
    },
  );

  it.each(['once', 'beside others'])('reverts all of it when it was written again %s', async (when) => {
    await run(install, 'cursor');
    const path = getFile('cursor');
    if (when === 'beside others') writeFileSync(path, readFileSync(path, 'utf8').replace('"thing"', '"other": {}, "thing"'));
    await run(install, 'cursor', { serverArgs: ['--readonly'] });
    expect((await run(uninstall, 'cursor')).code).toBe(0);
    expect(existsSync(path)).toBe(when === 'beside others');
    if (when === 'beside others') expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { other: {} } });
  });

  it.each([
    ['gemini', { command: 'old', args: [], env: { A: '1' }, trust: true, timeout: 5 }],
    ['opencode', { type: 'local', command: ['old'], enabled: false, environment: { A: '1' } }],
    ['copilot', { type: 'local', command: 'old', args: [], tools: ['query'] }],
  ])('keeps what a person added to the entry of %s', async (id, own) => {
    const section = clients.find((client) => client.id === id)?.section ?? '';
    const path = write(id, JSON.stringify({ [section]: { thing: own } }));
    expect((await run(install, id, { serverArgs: ['--readonly'] })).out).toMatch(/^\+ .*"--readonly"/m);
    const { type: _type, command: _command, args: _args, ...more } = own as Record<string, unknown>;
    const entry = JSON.parse(readFileSync(path, 'utf8'))[section].thing;
    expect(entry).toMatchObject(more);
    expect(JSON.stringify(entry)).toContain('"--readonly"');
    expect(JSON.stringify(entry)).not.toContain('old');
  });

  it.each([
    ['claude-code', { env: { A: '${A}', B: 'x=y' } }],
    ['vscode', { env: { A: '${env:A}', B: 'x=y' } }],
    ['gemini', { env: { A: '$A', B: 'x=y' } }],
    ['opencode', { environment: { A: '{env:A}', B: 'x=y' } }],
  ])('writes variables into the entry of %s', async (id, expected) => {
    await run(install, id, { options: { env: ['A', 'B=x=y'] } });
    const section = clients.find((client) => client.id === id)?.section ?? '';
    expect(JSON.parse(readFileSync(getFile(id), 'utf8'))[section].thing).toMatchObject(expected);
  });

  it('writes variables into the entry of codex, and none that a client cannot pass on', async () => {
    await run(install, 'codex', { options: { env: ['A', 'B=1'] } });
    expect(readFileSync(getFile('codex'), 'utf8')).toMatch(/env = \{ "B" = "1" \}\nenv_vars = \["A"\]/);
    await expect(run(install, 'zed', { options: { env: ['A'] } })).rejects.toMatchObject({ hint: 'Write --env A=VALUE.' });
    await expect(run(install, 'zed', { options: { env: ['A-B=1'] } })).rejects.toMatchObject({ kind: 'input' });
  });

  it.each(['claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'opencode'])('writes the project file of %s', async (id) => {
    const { out, code } = await run(install, id, { options: { project: true } });
    const client = clients.find((one) => one.id === id);
    const path = folder.at(client?.projectFile ?? '');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(path) });
    expect(readFileSync(path, 'utf8')).toContain('thing-mcp');
    expect((await run(uninstall, id, { options: { project: true } })).code).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it('has no project file for a client without one', async () => {
    await expect(run(install, 'zed', { options: { project: true } })).rejects.toMatchObject({
      message: 'Zed has no project file',
    });
  });

  it('takes several clients, or asks which of those that are there', async () => {
    await run(install, 'cursor gemini', { answers: ['y', 'y'] });
    for (const id of ['cursor', 'gemini']) expect(readFileSync(getFile(id), 'utf8')).toContain('thing-mcp');
    mkdirSync(folder.at('.config', 'zed'), { recursive: true });
    const { out } = await run(install, undefined, { answers: ['zed', 'y'] });
    expect(out).toContain('Found here: cursor (Cursor), gemini (Gemini CLI), zed (Zed)');
    expect(readFileSync(getFile('zed'), 'utf8')).toContain('thing-mcp');
    await expect(run(install, undefined, { answers: [undefined] })).rejects.toMatchObject({
      hint: expect.stringContaining('name them: cursor'),
    });
    await expect(run(install, undefined, { options: { yes: true } })).rejects.toMatchObject({ kind: 'input' });
  });

  it('shows the change, and what it replaces, before it asks', async () => {
    const path = write('opencode', odd.opencode);
    const { code, out } = await run(install, 'opencode', { answers: ['n'], serverArgs: ['--readonly'] });
    expect(code).toBe(1);
    expect(out).toContain(path);
    expect(out).toMatch(/^- .*"type": "remote"/m);
    expect(out).toMatch(/^\+ .*"--readonly"/m);
    expect(readFileSync(path, 'utf8')).toBe(odd.opencode);
    await expect(run(install, 'opencode', { answers: [undefined] })).rejects.toMatchObject({ kind: 'refused' });
    expect(readFileSync(path, 'utf8')).toBe(odd.opencode);
  });

  it('keeps a copy of what was there, and who may read the file', async () => {
    const path = write('gemini', '{}');
    const { mode } = statSync(path);
    await run(install, 'gemini');
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('{}');
    expect(statSync(path).mode).toBe(mode);
  });

  it('changes nothing of a file that it cannot read', async () => {
    const texts = ['{ "a": ', '[]', '{ "a": 1 } x', '{ "mcpServers": null }', Buffer.from('{ "a": "\xe9" }', 'latin1')];
    for (const text of texts) {
      const path = write('cursor', text);
      await expect(run(install, 'cursor')).rejects.toMatchObject({ kind: 'config' });
      expect(readFileSync(path)).toEqual(Buffer.from(text));
    }
  });

  it.each([
    ['{ "a": tru }', 'line 1, column 8: this is not a value'],
    ['// mine\n{\n  "a": 1\n  "b": 2 }', 'line 4, column 3: expected a comma'],
    ['{ "a": "x\n', 'line 1, column 8: this text has no closing quote'],
    ['{ a: 1 }', 'line 1, column 3: '],
    ['{ "a": 1', 'line 1, column 9: expected a comma or }'],
    ['{ "a": 1 } x', 'line 1, column 12: '],
    ['{ "a": "\\q" }', 'line 1, column 8: this escape is not one of JSON'],
  ])('says what is wrong with %j, and where', async (text, words) => {
    write('cursor', text);
    const message = expect.stringContaining(`mcp.json is not valid JSON at ${words}`);
    await expect(run(install, 'cursor')).rejects.toMatchObject({ code: 'E_JSON', message });
  });

  it('starts npx through the shell on Windows', async () => {
    await run(install, 'cursor', { platform: 'win32' });
    const { mcpServers } = JSON.parse(readFileSync(getFile('cursor', 'win32'), 'utf8'));
    expect(mcpServers.thing).toEqual({ command: 'cmd', args: ['/c', 'npx', '-y', 'thing-mcp'] });
  });

  it('names the clients that there are', async () => {
    await expect(run(install, 'curser')).rejects.toMatchObject({ kind: 'input', nearest: ['cursor'] });
  });
});
