/** What the page about secrets says, done: every block is checked, every command is run, with programs that only pretend. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createApp, runProgram } from '@dbmole/core';
import { createFakeProgram, createFakeTerminal, useTempFolder } from '@dbmole/core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { definition } from '../server.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/secrets.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const examples = blocks('json').map((text) => ({ text, connection: JSON.parse(text) }));
const commands = blocks('sh').flatMap((text) => text.trim().split('\n'));

const folder = useTempFolder();
let env: Record<string, string>;
beforeEach(() => {
  env = { PATH: [folder.at('bin'), process.env.PATH].join(delimiter), SHOP_PASSWORD: 'p/a@ss' };
});

const stored = () => JSON.parse(readFileSync(folder.at('.config', 'dbmole', 'connections.json'), 'utf8')).connections;

/** Runs a line of the page; where it would go to a database, nothing listens. */
async function run(line: string, answers: string[] = []) {
  const [program, ...argv] = line.replace('db.internal', '127.0.0.1:1').split(' ');
  expect(program).toBe('dbmole-mcp');
  const terminal = createFakeTerminal({ argv, env, folder: folder.path, answers });
  const code = await runProgram(definition, terminal);
  return { code, out: `${terminal.printed}${terminal.complained}` };
}

describe('the page about secrets', () => {
  it('has examples of every form', () => {
    expect(examples.length).toBeGreaterThanOrEqual(8);
    for (const form of ['env', 'file', 'command', 'keychain', 'from']) {
      expect(examples.some(({ connection }) => Object.hasOwn(Object(connection.password), form))).toBe(true);
    }
  });

  it.each(examples)('has an example that works: $text', async ({ connection }) => {
    const read = 'read-from-there';
    for (const name of ['op', 'secret-tool', 'security', 'pass']) createFakeProgram(folder, name, { prints: read });
    writeFileSync(folder.at('.pgpass'), `*:*:*:*:${read}`, { mode: 0o600 });
    writeFileSync(folder.at('password'), read);
    const { password } = connection;
    const local = password?.file === undefined ? connection : { ...connection, password: { file: folder.at('password') } };
    writeFileSync(folder.at('connections.json'), JSON.stringify({ version: 1, connections: [local] }));
    const settings = { config: folder.at('connections.json') };
    const app = createApp(definition, { env, cwd: folder.path, home: folder.path, settings, log: () => undefined });
    const { config } = await app.registry.resolve(connection.name);
    expect(config.password).toBe(password === '${SHOP_PASSWORD}' || password.env ? 'p/a@ss' : read);
    await app.dispose();
  });

  it('adds with op what it says is stored', async () => {
    const op = createFakeProgram(folder, 'op', { prints: 'from-the-vault' });
    const line = commands.find((one) => one.includes('connections add')) ?? '';
    const { out } = await run(line, ['y']);
    expect(out).toContain('Added shop');
    expect(op.runs).toEqual([['read', '--no-newline', 'op://Infra/shop/password']]);
    const shown = examples.find(({ connection }) => connection.password?.command?.[0] === 'op')?.connection;
    expect(stored()[0].password).toEqual(shown.password);
    const { code } = await run(commands.find((one) => one.includes('readonly=false')) ?? '');
    expect(code).toBe(0);
  });

  it('imports as it says', async () => {
    writeFileSync(folder.at('.pgpass'), 'db:*:shop:reader:x', { mode: 0o600 });
    const imports = commands.filter((one) => one.includes('connections import'));
    expect(imports).toHaveLength(2);
    for (const line of imports) expect((await run(line, ['all'])).code).toBe(0);
    expect(stored()).toEqual([expect.objectContaining({ name: 'shop', password: { from: 'pgpass' } })]);
  });

  it('puts a password into the keychain where it is looked for', () => {
    const lines = commands.filter((one) => !one.startsWith('dbmole-mcp'));
    const programs = lines.map((line) => createFakeProgram(folder, line.split(' ')[0] ?? ''));
    for (const line of lines) execFileSync('sh', ['-c', line], { env });
    const { service, account } =
      examples.find(({ connection }) => connection.password?.keychain)?.connection.password.keychain ?? {};
    expect(programs.map(({ runs }) => runs)).toEqual([
      [['add-generic-password', '-s', service, '-a', account, '-w']],
      [['store', `--label=${service}`, 'service', service, 'account', account]],
    ]);
  });
});
