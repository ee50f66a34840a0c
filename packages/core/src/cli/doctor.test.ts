import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFakeEngine } from '../testing/fake-engine.ts';
import { createFakeLeaf } from '../testing/fake-leaf.ts';
import { createFakeTerminal } from '../testing/fake-terminal.ts';
import { runCommand } from '../testing/run-command.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { doctor } from './doctor.ts';

const folder = useTempFolder();

async function run(connections: readonly object[]) {
  const engine = createFakeEngine({ password: 'canary-of-the-doctor' });
  const leaf = createFakeLeaf({
    createBackend: engine.createBackend,
    ping: async () => ['thing 1.0'],
    audit: async () => ['it could write to 3 tables'],
  });
  const { host, port } = engine.address;
  const whole = connections.map((one) => ({ host, port, user: 'me', password: 'canary-of-the-doctor', ...one }));
  const terminal = createFakeTerminal({ folder: folder.path, env: { THING_CONNECTIONS: JSON.stringify(whole) } });
  const code = await runCommand(doctor, { leaf, terminal, words: [] });
  return { code, out: terminal.printed };
}

describe('doctor', () => {
  it('says what is configured, what answers, and what the account could do', async () => {
    const { code, out } = await run([{ name: 'main', readonly: true }]);
    expect(code).toBe(0);
    expect(out).toContain('THING_CONNECTIONS is set');
    expect(out).toMatch(/ok {2}main \(THING_CONNECTIONS, read-only\): thing 1.0/);
    expect(out).toContain('  --  main: it could write to 3 tables');
    expect(out).not.toContain('canary-of-the-doctor');
  });

  it('has a next step for everything that is not well', async () => {
    const { code, out } = await run([
      { name: 'wrong', password: 'canary-that-is-wrong' },
      { name: 'broken', prot: 1 },
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(/!! {2}wrong .*E_AUTH: .*Correct it/);
    expect(out).toMatch(/!! {2}broken .*E_.*prot/);
    expect(out).not.toContain('canary');
    expect((await run([])).out).toContain('connections add NAME URL');
  });

  it('finds the clients of this person', async () => {
    mkdirSync(folder.at('.cursor'));
    writeFileSync(folder.at('.cursor', 'mcp.json'), '{ "mcpServers": { "thing": { "command": "x" } } }');
    mkdirSync(folder.at('.gemini'));
    writeFileSync(folder.at('.gemini', 'settings.json'), '{}');
    mkdirSync(folder.at('.copilot'));
    writeFileSync(folder.at('.copilot', 'mcp-config.json'), '{ broken');
    const { out } = await run([{ name: 'main' }]);
    expect(out).toMatch(/ok {2}Cursor has it/);
    expect(out).toContain('thing-mcp install gemini');
    expect(out).toMatch(/!! {2}Copilot CLI: .*line 1/);
    expect(out).not.toContain('Windsurf');
  });
});
