import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { isAllowed } from '../../registry/trust/trust.ts';
import { createFakeDefinition } from '../../testing/fakes/fake-definition.ts';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { writeConnections } from '../../testing/fakes/registry-world.ts';
import { runCommand } from '../../testing/run-command.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { allow, disallow } from './allow.ts';

const folder = useTempFolder();
let printed: string;
beforeEach(() => {
  printed = '';
});

async function run(answer: string | undefined, options: { yes?: boolean } = {}, store?: readonly object[]) {
  const terminal = createFakeTerminal({ folder: folder.path, answers: [answer] });
  try {
    if (store === undefined) return await allow({ definition: { program: { app: 'example' } }, terminal, words: [], options });
    const definition = createFakeDefinition({
      app: 'example',
      createBackend: () => Promise.reject(new Error('nothing is opened here')),
    });
    writeConnections(folder.at('.config', 'example', 'connections.json'), store);
    return await runCommand(allow, { definition, terminal, words: [], options });
  } finally {
    printed += terminal.printed;
  }
}

const write = (text: string) => writeFileSync(folder.at('.example.json'), text);
const command = '{ "command": ["sh", "-c", "the-command"] }';

describe('allow', () => {
  it.each([
    ['beside what looks like a password', `{ "version": 1, "connections": [{ "password": ${command} }] }`],
    [
      'between the lines of a key',
      `{ "version": 1, "a": "-----BEGIN PRIVATE KEY-----", "b": ${command}, "c": "-----END PRIVATE KEY-----" }`,
    ],
    ['behind a key', `{ "version": 1, "a": "-----BEGIN PRIVATE KEY-----", "b": ${command} }`],
    ['behind white space', `{ "version": 1, ${'\n'.repeat(9_000)}${' '.repeat(9_000)} "b": ${command} ${'\n'.repeat(9_000)} }`],
    ['in escapes', '{ "version": 1, "b": { "\\u0063ommand": ["sh", "-c", "\\u0074he-command"] } }'],
  ])('shows a command %s', async (_, text) => {
    write(text);
    expect(await run('no')).toBe(1);
    expect(printed).toMatch(/"command": \[\s*"sh",\s*"-c",\s*"the-command"\s*\]/);
    expect(printed.split('\n').length).toBeLessThan(40);
  });

  it.each([
    ['{ "version": 1,\n  "connections": [ ,', 'E_JSON', 'line 2, column 20'],
    ['[]', 'E_CONFIG', 'holds a list'],
    ['{ "connections": [] }', 'E_CONFIG_VERSION', 'no "version"'],
  ])('does not allow %j, which would be used for nothing', async (text, code, words) => {
    write(text);
    await expect(run('yes', { yes: true })).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    expect(isAllowed(folder.at('.config', 'example', 'allowed.json'), folder.at('.example.json'))).toBe(false);
    expect(printed).toBe('');
  });

  it.each([
    [true, {}, /WARNING: shop takes the place of your own connection of that name\. Yours is read-only/],
    [true, { readonly: true }, /^shop takes the place of your own connection of that name\.$/m],
    [false, {}, /^shop takes the place of your own connection of that name\.$/m],
  ])('says what it takes the place of: readonly %s, now %j', async (readonly, more, expected) => {
    const connection = { name: 'shop', type: 'thing', host: 'h', user: 'me' };
    write(
      JSON.stringify({
        version: 1,
        connections: [
          { ...connection, ...more },
          { ...connection, name: 'other' },
        ],
      }),
    );
    expect(await run('no', {}, [{ ...connection, readonly }])).toBe(1);
    expect(printed).toMatch(expected);
    expect(printed).not.toContain('other takes');
  });

  it('names the files of the folder that can change what its commands do', async () => {
    mkdirSync(folder.at('scripts', 'deep'), { recursive: true });
    for (const name of ['scripts/get.sh', 'scripts/deep/other', 'known', 'op', 'quiet']) writeFileSync(folder.at(name), '');
    const commands = [
      ['scripts/get.sh', 'x'],
      ['sh', '-c', 'cd /tmp && ./scripts/deep/other | tail'],
      ['op', 'read', 'op://a/b'],
      ['python3', `--file=${folder.at('known')}`, '../outside', 'scripts', 'nothing', '/etc/passwd'],
    ];
    const ssh = { host: 'b', jump: [{ host: 'c', password: { command: ['scripts/get.sh'] } }] };
    write(JSON.stringify({ version: 1, connections: commands.map((command) => ({ password: { command }, ssh })) }));
    await run('no');
    expect(printed).toMatch(/These are in the same folder.*:\n {2}known\n {2}scripts\/deep\/other\n {2}scripts\/get\.sh\n\n/);
    expect(printed.indexOf('These are')).toBeGreaterThan(printed.indexOf('"command"'));
  });

  it('says that programs can change, and nothing where none runs', async () => {
    write('{ "version": 1, "connections": [{ "password": { "command": ["op", "read", "x"] } }] }');
    await run('no');
    expect(printed).toContain('if the programs change later');
    expect(printed).not.toContain('same folder');
    printed = '';
    write('{ "version": 1, "connections": [{ "password": "x" }] }');
    await run('no');
    expect(printed).not.toContain('change later');
  });

  it('allows what it has shown', async () => {
    write('{ "version": 1, "connections": [] }');
    await expect(run(undefined)).rejects.toMatchObject({ kind: 'refused' });
    expect(await run('yes')).toBe(0);
    expect(readFileSync(folder.at('.config', 'example', 'allowed.json'), 'utf8')).toContain(folder.at('.example.json'));
    expect(await run(undefined)).toBe(0);
    expect(printed).toContain('allowed already');
  });
});

describe('disallow', () => {
  const trustPath = () => folder.at('.config', 'example', 'allowed.json');

  async function takeBack(...words: string[]): Promise<string> {
    const terminal = createFakeTerminal({ folder: folder.path });
    expect(await disallow({ definition: { program: { app: 'example' } }, terminal, words })).toBe(0);
    return terminal.printed;
  }

  it('takes back what was allowed, without asking', async () => {
    write('{ "version": 1, "connections": [] }');
    await run('yes');
    expect(isAllowed(trustPath(), folder.at('.example.json'))).toBe(true);
    expect(await takeBack()).toContain(`${folder.at('.example.json')} is no longer allowed`);
    expect(isAllowed(trustPath(), folder.at('.example.json'))).toBe(false);
    expect(await takeBack()).toContain('was not allowed');
  });

  it('disallow takes a file that is gone, named by a path with links in it', async () => {
    write('{ "version": 1, "connections": [] }');
    await run('yes');
    unlinkSync(folder.at('.example.json'));
    symlinkSync(folder.path, folder.at('link'));
    expect(await takeBack('link/.example.json')).toContain('is no longer allowed');
    expect(readFileSync(trustPath(), 'utf8')).not.toContain('.example.json');
  });
});
