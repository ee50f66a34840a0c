import { describe, expect, it } from 'vitest';
import { convertEntry } from './convert-entry.ts';

describe('convertEntry', () => {
  it.each([
    [
      { id: 'claude-code' },
      { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '${B}' } },
      { command: 'npx', args: ['-y', 'x'], env: { A: '${B}' } },
    ],
    [{ id: 'cursor' }, { command: 'x', env: { A: '${env:B}' } }, { command: 'x', env: { A: '${B}' } }],
    [{ id: 'gemini' }, { command: 'x', args: ['$HOME'], cwd: '/c' }, { command: 'x', args: ['${HOME}'], cwd: '/c' }],
    [
      { id: 'opencode', envKey: 'environment' },
      { type: 'local', command: ['x', 'y'], environment: { A: '{env:B}' }, enabled: false },
      { command: 'x', args: ['y'], env: { A: '${B}' }, enabled: false },
    ],
    [
      { id: 'codex', envList: 'env_vars' },
      { command: 'x', env_vars: ['TOKEN'], env: { A: '1' } },
      { command: 'x', env: { TOKEN: '${TOKEN}', A: '1' } },
    ],
    [
      { id: 'codex' },
      { url: 'https://h/mcp', bearer_token_env_var: 'T', http_headers: { X: '1' } },
      { url: 'https://h/mcp', headers: { X: '1', Authorization: 'Bearer ${T}' } },
    ],
    [{ id: 'windsurf' }, { serverUrl: 'https://h/mcp', disabled: true }, { url: 'https://h/mcp', enabled: false }],
  ])('takes the form of %j', (client, entry, converted) => {
    expect(convertEntry(entry, client)).toEqual(converted);
  });

  it.each([
    [{ command: 'x', env: { A: '${input:a}' } }, 'asks for an input'],
    [{ type: 'sse', url: 'https://h/sse' }, 'old SSE transport'],
    [{ args: [] }, 'neither a command nor a URL'],
  ])('says why %j cannot be taken', (entry, why) => {
    expect(convertEntry(entry, { id: 'vscode' })).toContain(why);
  });
});
