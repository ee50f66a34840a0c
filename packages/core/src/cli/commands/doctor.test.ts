import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFakeDefinition } from '../../testing/fakes/fake-definition.ts';
import { createFakeEngine } from '../../testing/fakes/fake-engine.ts';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { runCommand } from '../../testing/run-command.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { Audit } from '../../tools/connections/connection-tools.ts';
import { doctor } from './doctor.ts';

const folder = useTempFolder();

const powerful: Audit = {
  findings: ['It could write to 3 tables.', 'It is a standby.'],
  reader: ['make a reader;', 'let it read;'],
  shared: ['take from all;'],
};

interface Options {
  words?: string[];
  json?: boolean;
  role?: boolean;
  audit?: Audit;
}

async function run(connections: readonly object[], { words = [], audit = powerful, ...options }: Options = {}) {
  const engine = createFakeEngine({ password: 'canary-of-the-doctor' });
  const definition = createFakeDefinition({
    createBackend: engine.createBackend,
    ping: async () => ['thing 1.0'],
    audit: async () => audit,
  });
  const { host, port } = engine.address;
  const whole = connections.map((one) => ({ host, port, user: 'me', password: 'canary-of-the-doctor', ...one }));
  const terminal = createFakeTerminal({ folder: folder.path, env: { THING_CONNECTIONS: JSON.stringify(whole) } });
  const code = await runCommand(doctor, { definition, terminal, words, options });
  return { code, out: terminal.printed, err: terminal.complained };
}

describe('doctor', () => {
  it('says what is configured, what answers, and what the account could do', async () => {
    const { code, out } = await run([{ name: 'main', readonly: true }]);
    expect(code).toBe(0);
    expect(out).toContain('THING_CONNECTIONS is set');
    expect(out).toMatch(/ok {2}main \(THING_CONNECTIONS, read-only\): thing 1\.0\. It could write to 3 tables\.$/m);
    expect(out).toContain('thing-mcp doctor main --role');
    expect(out).not.toContain('make a reader');
    expect(out).not.toContain('canary-of-the-doctor');
  });

  it('says what is known of an account for which there is no statement', async () => {
    const audit: Audit = { findings: ['The server asks for no login.'], reader: [], shared: [] };
    const { out } = await run([{ name: 'main' }], { audit });
    expect(out).toMatch(/ok {2}main \(THING_CONNECTIONS\): thing 1\.0\. The server asks for no login\.$/m);
    expect(out).not.toContain('--role');
    const { err } = await run([{ name: 'main' }], { audit, words: ['main'], role: true });
    expect(err).toBe('main: The server asks for no login.\nmain: there are no statements to run.\n');
  });

  it('ends a long line with a whole word', async () => {
    const audit: Audit = { ...powerful, findings: [`It can also: ${'write to a table, '.repeat(20)}and drop them.`] };
    expect((await run([{ name: 'main' }], { audit })).out).toMatch(/write to a(?: table)? …$/m);
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

  it('reports on the connections that are named, and on nothing else', async () => {
    const { out } = await run([{ name: 'main' }, { name: 'other' }], { words: ['other'] });
    expect(out).toContain('other (THING_CONNECTIONS)');
    expect(out).not.toMatch(/main|Clients|Configuration/);
    await expect(run([{ name: 'main' }], { words: ['man'] })).rejects.toMatchObject({ kind: 'unknown', nearest: ['main'] });
  });

  it('prints statements for an account that only reads, those that concern others as comments', async () => {
    const { out, err } = await run([{ name: 'main' }], { words: ['main'], role: true });
    expect(out.split('\n')).toEqual([
      '-- An account that only reads:',
      'make a reader;',
      'let it read;',
      expect.stringMatching(/^-- These take rights from every account/),
      '-- take from all;',
      '',
    ]);
    expect(err).toContain('main: It is a standby.');
  });

  it('reports as JSON', async () => {
    const { out, code } = await run([{ name: 'main' }, { name: 'wrong', password: 'canary-that-is-wrong' }], { json: true });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      program: 'thing-mcp',
      configuration: [{ ok: true }, { ok: true }],
      connections: [
        { ok: true, name: 'main', audit: { findings: ['It could write to 3 tables.', 'It is a standby.'] } },
        { ok: false, name: 'wrong', text: expect.stringContaining('E_AUTH') },
      ],
    });
    expect(out).not.toContain('canary');
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
