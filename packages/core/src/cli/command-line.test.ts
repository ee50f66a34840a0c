import { describe, expect, it } from 'vitest';
import { createFakeLeaf } from '../testing/fake-leaf.ts';
import { createFakeTerminal } from '../testing/fake-terminal.ts';
import { runLeaf } from './command-line.ts';

const leaf = createFakeLeaf({
  version: '1.2.3',
  settings: [{ name: 'out-dir', value: 'DIR', help: 'where to', isPath: true }],
  flags: [{ name: 'loud', help: 'says more' }],
  createBackend: () => Promise.reject(new Error('nothing is opened here')),
});

async function run(words: string[], env: Record<string, string> = {}) {
  const terminal = createFakeTerminal({ argv: words, env });
  const code = await runLeaf(leaf, terminal);
  return { out: terminal.printed, err: terminal.complained, code };
}

describe('the command line', () => {
  it('explains everything that it takes, the leaf’s own included', async () => {
    const { out, code } = await run(['--help']);
    expect(code).toBe(0);
    for (const word of [
      'allow [FILE]',
      'disallow [FILE]',
      '--config FILE',
      '--readonly',
      '--tools A,B',
      '--timeout TIME',
      '--out-dir DIR',
      '--loud',
    ])
      expect(out).toContain(word);
    for (const name of ['CONNECTIONS', 'STORE', 'LOG', 'CONFIG', 'READONLY', 'TOOLS', 'TIMEOUT', 'OUT_DIR', 'LOUD'])
      expect(out).toContain(`THING_${name}`);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  it('says its version', async () => expect(await run(['-v'])).toEqual({ out: '1.2.3\n', err: '', code: 0 }));

  it.each([
    [['--no-such-option'], /--no-such-option/],
    [['alow'], /no command is called "alow"\nDid you mean allow\?/],
    [['--tools'], /--tools/],
  ])('refuses %j as wrong usage', async (words, message) => {
    const { out, err, code } = await run(words);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toMatch(message);
    expect(err).toMatch(/^thing-mcp: .*--help/s);
  });

  it('refuses a variable that says nothing', async () => {
    expect(await run([], { THING_LOUD: 'perhaps' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('THING_LOUD is "perhaps"'),
    });
    expect(await run([], { THING_READONLY: 'perhaps' })).toMatchObject({ code: 2 });
    expect(await run([], { THING_TIMEOUT: 'soon' })).toMatchObject({ code: 2, err: expect.stringContaining('"soon"') });
    expect(await run([], { THING_TOOLS: 'nothing' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('list_connections'),
    });
  });

  it('says a next step that a person can take', async () => {
    const { err } = await run(['connections', 'update', 'nothing', 'host=x']);
    expect(err).toContain('Add one with `thing-mcp connections add NAME URL`');
    expect(err).not.toContain('add_connection');
  });

  it('fails with another code when the usage was right', async () => {
    const { err, code } = await run(['allow', '/does-not-exist']);
    expect(code).toBe(1);
    expect(err).toContain('/does-not-exist');
  });
});
