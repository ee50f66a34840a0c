import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HubWorld, typeCommand } from './hub-world.ts';

/** Each client's own file as the client writes it, with one server, and a word that only its own syntax has. */
const files: readonly (readonly [client: string, path: string, text: string])[] = [
  [
    'claude-code',
    '.claude.json',
    '{"mcpServers":{"one":{"type":"stdio","command":"run","args":["a"],"env":{"T":"${T}"}}},"kept":1}\n',
  ],
  [
    'claude-desktop',
    '.config/Claude/claude_desktop_config.json',
    '{\n\t"mcpServers": {\n\t\t"one": {"command": "run", "args": ["a"], "env": {"T": "${T}"}}\n\t}\n}',
  ],
  [
    'cursor',
    '.cursor/mcp.json',
    '{ "mcpServers": { "one": { "command": "run", "args": ["a"], "env": { "T": "${env:T}" } } } }\r\n',
  ],
  [
    'vscode',
    '.config/Code/User/mcp.json',
    '{\n  // mine\n  "servers": { "one": { "type": "stdio", "command": "run", "args": ["a"], "env": { "T": "${env:T}" } } },\n}\n',
  ],
  ['codex', '.codex/config.toml', 'model = "x" # mine\n\n[mcp_servers.one]\ncommand = "run"\nargs = ["a"]\nenv_vars = ["T"]\n'],
  [
    'gemini',
    '.gemini/settings.json',
    '{"mcpServers": {"one": {"command": "run", "args": ["a"], "env": {"T": "$T"}}}, "theme": "x"}',
  ],
  [
    'windsurf',
    '.codeium/windsurf/mcp_config.json',
    '{"mcpServers": {"one": {"command": "run", "args": ["a"], "env": {"T": "${env:T}"}}}}',
  ],
  [
    'zed',
    '.config/zed/settings.json',
    '// mine\n{\n  "context_servers": { "one": { "command": "run", "args": ["a"], "env": { "T": "${T}" } }, },\n}\n',
  ],
  [
    'opencode',
    '.config/opencode/opencode.json',
    '{"mcp": {"one": {"type": "local", "command": ["run", "a"], "environment": {"T": "{env:T}"}, "enabled": true}}}',
  ],
  [
    'copilot',
    '.copilot/mcp-config.json',
    '{"mcpServers": {"one": {"type": "local", "command": "run", "args": ["a"], "env": {"T": "${T}"}, "tools": ["*"]}}}',
  ],
];

describe.each(files)('the file of %s', (client, path, text) => {
  it('is imported, replaced by the hub, and given back to the byte', async () => {
    const world = new HubWorld();
    const env = { XDG_CONFIG_HOME: world.folder.at('.config') };
    const file = join(world.folder.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const imported = { one: { command: 'run', args: ['a'], env: { T: '${T}' } } };
    const own = () => JSON.parse(readFileSync(world.own, 'utf8')).mcpServers;
    expect(await typeCommand(world, `import ${client} --yes`, { env })).toMatchObject({ code: 0 });
    expect(own()).toEqual(imported);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await typeCommand(world, `install ${client} --yes`, { env })).toMatchObject({ code: 0 });
    const installed = readFileSync(file, 'utf8');
    expect(installed).toContain('molehub-mcp');
    expect(installed).not.toMatch(/"one"|\.one\]/);
    expect(own()).toEqual(imported);
    expect(await typeCommand(world, `uninstall ${client} --yes`, { env })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
