import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuiltServer } from './life-suite.ts';

const inspector = fileURLToPath(new URL('../../../../../node_modules/.bin/mcp-inspector', import.meta.url));
const tools = ['list_connections', 'add_connection', 'update_connection', 'remove_connection', 'test_connection'];

interface ErasOptions extends Pick<BuiltServer, 'name' | 'file'> {
  storeVar: string;
  /** More variables of the server. */
  variables?: Record<string, string>;
}

/** The clients that exist: the current line in both eras, the line before it, and the Inspector's strict look at the schemas. */
export function describeEras({ name, file, storeVar, variables = {} }: ErasOptions): void {
  describe([`${name} in both eras of the protocol`, ...Object.keys(variables)].join(' '), () => {
    let home: string;
    let env: Record<string, string>;
    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), 'mole-eras-'));
      env = { PATH: process.env.PATH ?? '', HOME: home, [storeVar]: join(home, 'store.json'), ...variables };
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    const server = () => ({ command: process.execPath, args: [file], env, stderr: 'inherit' as const });

    it.each([
      ['2025-11-25', 'legacy'],
      ['2026-07-28', 'auto'],
      ['2026-07-28', { pin: '2026-07-28' }],
    ] as const)('the current client speaks %s (%s)', async (version, mode) => {
      const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new ModernTransport(server()));
      try {
        expect(client.getNegotiatedProtocolVersion()).toBe(version);
        const listed = await client.listTools();
        expect(listed.tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(tools));
        const reply = await client.callTool({ name: 'list_connections', arguments: {} });
        expect(JSON.stringify(reply.content)).toContain('No connections');
        const wrong = await client.callTool({ name: 'test_connection', arguments: { name: 'nope' } });
        expect(wrong.isError).toBe(true);
        expect(wrong.structuredContent).toMatchObject({ code: 'E_UNKNOWN' });
      } finally {
        await client.close();
      }
    });

    it('the client of the 1.x line speaks 2025-11-25', async () => {
      const client = new FirstClient({ name: 'test', version: '1' });
      await client.connect(new FirstTransport(server()));
      try {
        expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(tools));
        const reply = await client.callTool({ name: 'list_connections', arguments: {} });
        expect(JSON.stringify(reply.content)).toContain('No connections');
        const wrong = await client.callTool({ name: 'test_connection', arguments: { name: 'nope' } });
        expect(wrong.isError).toBe(true);
      } finally {
        await client.close();
      }
    });

    it.each(['legacy', 'modern'])('the Inspector finds no portability error in the schemas (%s)', async (era) => {
      const args = [
        '--cli',
        process.execPath,
        file,
        '--method',
        'tools/list',
        '--format',
        'json',
        '--strict',
        '--protocol-era',
        era,
      ];
      const { stdout } = await promisify(execFile)(process.execPath, [inspector, ...args], { env, timeout: 60_000 });
      for (const tool of tools) expect(stdout).toContain(`"${tool}"`);
    });
  });
}
