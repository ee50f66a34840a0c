import { describe, expect, it } from 'vitest';
import { readTomlTable, writeTomlTable } from './toml-file.ts';

const entry = { command: 'npx', args: ['-y', 'one-mcp'] };
const write = (text: string, name: string, value: (typeof entry & { env?: Record<string, string> }) | undefined) =>
  writeTomlTable({ text, name: `servers.${name}`, where: 'a file' }, value);

/** Files in the styles of people and programs. */
const texts = {
  'of nothing': '',
  'with comments': '# top\nmodel = "x" # y\n\n[servers.other]\ncommand = "a"\n# about nothing\n',
  'with CRLF': 'model = "x"\r\n\r\n[tui]\r\na = 1\r\n',
  'with lists of tables and of lists': '[[things]]\na = 1\n\n[[things]]\na = [\n  ["x"],\n[2],\n]\n',
};

describe('a table of a client’s TOML file', () => {
  it.each(Object.entries(texts))('comes and goes without a trace in a file %s', (_, text) => {
    const both = write(write(text, 'one', entry), 'two', entry);
    for (const name of ['one', 'two']) expect(readTomlTable(both, `servers.${name}`)).toContain('command = "npx"');
    expect(write(write(both, 'two', undefined), 'one', undefined)).toBe(text);
    expect(write(write(both, 'one', undefined), 'two', undefined)).toBe(text);
  });

  it('keeps the comment of what comes next', () => {
    const text = '[servers.one]\ncommand = "old"\n\n[servers.one.env]\nA = "1"\n\n# about x\n[x]\nb = 2\n';
    expect(write(text, 'one', undefined)).toBe('# about x\n[x]\nb = 2\n');
    const replaced = write(text, 'one', entry);
    expect(replaced).toMatch(
      /^\[servers\.one\]\ncommand = "npx"\nargs = .*\n\n\[servers\.one\.env\]\nA = "1"\n\n# about x\n\[x\]\nb = 2\n$/,
    );
    expect(write(replaced, 'one', undefined)).toBe('# about x\n[x]\nb = 2\n');
  });

  it('keeps what a person added to it', () => {
    const text =
      '[servers.one] # mine\n# why\ncommand = "old"\nargs = [\n  "a", # ]\n  "b[",\n]\nstartup_timeout_sec = 20\n\n[servers.one.env]\nA = "1"\n';
    expect(write(text, 'one', entry)).toBe(
      '[servers.one] # mine\ncommand = "npx"\nargs = ["-y","one-mcp"]\n# why\nstartup_timeout_sec = 20\n\n[servers.one.env]\nA = "1"\n',
    );
  });

  it('is not given a key that it has as a table', () => {
    const text = '[servers.one]\ncommand = "old"\n\n[servers.one.env]\nA = "1"\n';
    const withEnv = { ...entry, env: { B: '2' } };
    expect(() => write(text, 'one', withEnv)).toThrow(expect.objectContaining({ kind: 'config' }));
    expect(write('', 'one', withEnv)).toContain('env = { "B" = "2" }');
  });

  it.each([
    '[servers]\none.command = "old"\n',
    '[servers]\n"one" = { command = "old" }\n[x]\n',
    'servers.one.command = "old"\n',
    'servers = { one = { command = "old" } }\n',
  ])('is not written beside another form of it, which would make the file invalid: %j', (text) => {
    expect(readTomlTable(text, 'servers.one')).toContain('old');
    for (const value of [entry, undefined])
      expect(() => write(text, 'one', value)).toThrow(expect.objectContaining({ kind: 'config' }));
  });

  it('is not written beside a section that is one value', () => {
    const text = 'servers = { other = { command = "x" } }\n';
    expect(readTomlTable(text, 'servers.one')).toBeUndefined();
    expect(() => write(text, 'one', entry)).toThrow('a file has servers.one in an unsupported form, as "servers"');
    expect(write(text, 'one', undefined)).toBe(text);
  });

  it.each(['onerous = 1\n', '[servers]\non-one = 1\n[x]\none = 1\n', '[other]\none = "x"\n'])('is not %j', (text) => {
    expect(readTomlTable(text, 'servers.one')).toBeUndefined();
  });
});
