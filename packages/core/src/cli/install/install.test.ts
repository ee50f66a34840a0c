import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeTerminal } from '../../testing/fake-terminal.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { clients } from './clients.ts';
import { install, uninstall } from './install.ts';

const folder = useTempFolder();

interface Options {
  answers?: (string | undefined)[];
  serverArgs?: string[];
  platform?: NodeJS.Platform;
}

async function run(command: typeof install, id: string, { answers = ['y'], serverArgs = [], platform = 'linux' }: Options = {}) {
  const terminal = createFakeTerminal({ folder: folder.path, answers });
  const leaf = { name: 'thing-mcp', app: 'thing' };
  const code = await command({ leaf, terminal, words: [id], options: {}, serverArgs, platform });
  return { code, out: terminal.printed };
}

const fileOf = (id: string, platform: NodeJS.Platform = 'linux') => {
  const client = clients.find((one) => one.id === id);
  return client?.file({ platform, home: folder.path, env: {} }) ?? expect.fail(`no client ${id}`);
};

function write(id: string, text: string | Buffer): string {
  const path = fileOf(id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const ids = clients.map((client) => client.id);

describe('install', () => {
  it.each(ids)('writes a new file for %s, and uninstall leaves none', async (id) => {
    expect((await run(install, id)).code).toBe(0);
    const text = readFileSync(fileOf(id), 'utf8');
    expect(text).toContain('thing-mcp');
    if (id !== 'codex') expect(JSON.parse(text)).toEqual(expect.any(Object));
    expect((await run(install, id, { answers: [] })).out).toContain('already');
    expect((await run(uninstall, id)).code).toBe(0);
    expect(existsSync(fileOf(id))).toBe(false);
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

  it.each(['once', 'beside others'])('takes back all of it when it was written anew %s', async (when) => {
    await run(install, 'cursor');
    const path = fileOf('cursor');
    if (when === 'beside others') writeFileSync(path, readFileSync(path, 'utf8').replace('"thing"', '"other": {}, "thing"'));
    await run(install, 'cursor', { serverArgs: ['--readonly'] });
    expect((await run(uninstall, 'cursor')).code).toBe(0);
    expect(existsSync(path)).toBe(when === 'beside others');
    if (when === 'beside others') expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { other: {} } });
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
    ['{ "a": tru }', 'line 1, column 8: this word is no value'],
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
    const { mcpServers } = JSON.parse(readFileSync(fileOf('cursor', 'win32'), 'utf8'));
    expect(mcpServers.thing).toEqual({ command: 'cmd', args: ['/c', 'npx', '-y', 'thing-mcp'] });
  });

  it('names the clients that there are', async () => {
    await expect(run(install, 'curser')).rejects.toMatchObject({ kind: 'input', nearest: ['cursor'] });
  });
});
