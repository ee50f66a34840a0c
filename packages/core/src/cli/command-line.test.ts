import { describe, expect, it } from 'vitest';
import { createFakeDefinition } from '../testing/fakes/fake-definition.ts';
import { createFakeTerminal } from '../testing/fakes/fake-terminal.ts';
import { runProgram } from './command-line.ts';

const definition = createFakeDefinition({
  version: '1.2.3',
  settings: [{ name: 'out-dir', value: 'DIR', help: 'where to', isPath: true }],
  flags: [{ name: 'loud', help: 'says more' }],
  exampleUrl: 'thing://example.com',
  query: { usage: 'THING', about: 'ask', example: '"x"', options: ['limit'], run: async () => undefined },
  createBackend: () => Promise.reject(new Error('nothing is opened here')),
});

async function run(words: string[], env: Record<string, string> = {}) {
  const terminal = createFakeTerminal({ argv: words, env });
  const code = await runProgram(definition, terminal);
  return { out: terminal.printed, err: terminal.complained, code };
}

describe('the command line', () => {
  it('explains everything that it takes, the server’s own included', async () => {
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
    for (const name of ['CONNECTIONS', 'STORE', 'LOG', 'CONFIG', 'READONLY', 'TOOLS', 'TIMEOUT', 'OUT_DIR', 'LOUD', 'PROJECTS'])
      expect(out).toContain(`THING_${name}`);
    expect(out).toMatch(/^Exit codes\n {2}0 .*\n {2}1 .*\n {2}2 /m);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  it('says its version', async () => expect(await run(['-v'])).toEqual({ out: '1.2.3\n', err: '', code: 0 }));

  it.each([
    [['--no-such-option'], /--no-such-option/],
    [['alow'], /unknown command "alow"\nDid you mean allow\?/],
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
      err: expect.stringContaining('invalid THING_LOUD "perhaps"'),
    });
    expect(await run([], { THING_READONLY: 'perhaps' })).toMatchObject({ code: 2 });
    expect(await run([], { THING_TIMEOUT: 'soon' })).toMatchObject({ code: 2, err: expect.stringContaining('"soon"') });
    expect(await run([], { THING_TOOLS: 'nothing' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('list_connections'),
    });
  });

  it.each(['verbose', '1', 'constructor'])('refuses a level of the log called %j', async (level) => {
    for (const words of [[], ['connections', 'list']])
      expect(await run(words, { THING_LOG: level })).toEqual({
        code: 2,
        out: '',
        err: `thing-mcp: E_INPUT: invalid THING_LOG "${level}": expected error, warn, info or debug\nCorrect or unset it.\n`,
      });
    expect((await run(['connections', 'list'], { THING_LOG: ' Debug ' })).code).toBe(0);
  });

  it.each([
    [['--limit', '3'], 'the server does not take --limit'],
    [['connections', 'list', '--yes'], 'connections list does not take --yes'],
    [['connections', 'add', 'a', 'b://c', '--readonly'], 'connections add does not take --readonly'],
    [['query', 'a', 'b', '--database', 'c'], 'query does not take --database'],
    [['query', 'a', 'b', '--out-dir', '.'], 'query does not take --out-dir'],
    [['doctor', '--tools', 'a'], 'doctor does not take --tools'],
    [['uninstall', 'cursor', '--loud'], 'uninstall does not take --loud'],
    [['allow', '--config', 'x'], 'allow does not take --config'],
    [['connections', 'list', 'foo', 'bar'], 'unexpected argument "foo" after connections list'],
    [['connections', 'show', 'foo', 'bar'], 'unexpected argument "bar" after connections show'],
    [['uninstall', 'cursor', 'x'], 'unexpected argument "x" after uninstall'],
    [['install'], 'no client is named\nName one of claude-code,'],
    [['install', 'cursor', 'x'], 'unknown client "x"'],
    [['trust', 'a', 'b'], '"b" is not a fingerprint'],
    [['query'], 'missing CONNECTION THING after query'],
    [['connections', 'lst'], 'unknown subcommand "lst" of connections\nDid you mean list?'],
    [['install', 'cursor', '--timeout', 'soon'], '"soon"'],
    [['install', 'cursor', '--idle', 'never'], 'invalid idle time "never": expected a duration'],
    [['install', 'cursor', '--tools', 'nothing'], 'nothing'],
    [['install', 'cursor', '--tools', '-nothing'], 'unknown tool "nothing" in --tools'],
    [['--readnoly'], 'unknown option --readnoly\nDid you mean --readonly?\nRun `thing-mcp --help` to see the options.'],
    [['serve', '--prot', '5'], 'Did you mean --port?\nRun `thing-mcp help serve` to see the options.'],
    [['connections', 'list', '--config'], '--config needs a value\nRun `thing-mcp help connections list` to see the options.'],
    [['serve', '--port', '-1'], '--port needs a value; one that begins with - is written --port=VALUE'],
  ])('refuses %j, which would mean nothing', async (words, message) => {
    const { out, err, code } = await run(words);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toContain(message);
  });

  it.each([[['connections', 'add', '--help']], [['help', 'connections', 'add']]])('explains one command by %j', async (words) => {
    const { out, code } = await run(words);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.trim())).toEqual([
      'thing-mcp connections add: test a connection and save it; KEY=VALUE sets a field',
      ...['', 'Usage', 'thing-mcp connections add NAME URL'],
      ...[
        '',
        'Fields',
        'host, port, user, password, readonly, description, environment, ssh, timeoutMs, type, url, file, noLinks',
      ],
      ...['', 'Options', '--password-stdin   read the password from standard input', '-y, --yes          do not prompt'],
      '--config FILE      read connections from FILE and from no project file',
      ...['', 'Example', 'thing-mcp connections add shop thing://example.com', ''],
    ]);
  });

  it('names the clients to install into', async () => {
    expect((await run(['install', '--help'])).out).toContain('Clients\n  claude-code, claude-desktop, cursor');
  });

  it('explains the commands that begin with one word, and none that is not there', async () => {
    const { out } = await run(['connections', '--help']);
    expect(out.match(/^ {2}thing-mcp connections \w+/gm)).toHaveLength(8);
    expect(out).not.toContain('doctor');
    expect(await run(['help', 'doktor'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean doctor?') });
    expect((await run(['help'])).out).toBe((await run(['--help'])).out);
  });

  it('explains of the options those alone that the command takes', async () => {
    const optionsIn = (text: string) => [...text.matchAll(/^ {2}(?:-y, )?(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(optionsIn((await run(['query', '--help'])).out)).toEqual(['--limit', '--config', '--timeout', '--readonly', '--loud']);
    expect(optionsIn((await run(['allow', '--help'])).out)).toEqual(['--yes']);
    const own = ['--yes', '--project', '--env', '--http', '--url', '--sign-in'];
    const all = [
      '--config',
      '--queries',
      '--queries-as',
      '--tools',
      '--timeout',
      '--idle',
      '--audit',
      '--out-dir',
      '--readonly',
      '--tag',
      '--loud',
      '--shared',
      '--projects',
    ];
    expect(optionsIn((await run(['install', '--help'])).out)).toEqual([...own, ...all]);
    const others = [
      '--limit',
      '--explain',
      '--json',
      '--role',
      '--password-stdin',
      '--project',
      '--env',
      '--http',
      '--url',
      '--sign-in',
      '--yes',
      '--since',
      '--connection',
      '--tool',
      '--errors',
      '--follow',
    ];
    expect(optionsIn((await run(['--help'])).out)).toEqual([...all, ...others]);
  });

  it('says a next step that a person can take', async () => {
    const { err } = await run(['connections', 'update', 'nothing', 'host=x']);
    expect(err).toContain('E_UNKNOWN: there are no connections yet\nRun `thing-mcp connections add NAME URL` to add one.');
    expect(err).not.toContain('add_connection');
  });

  it('fails with another code when the usage was right', async () => {
    const { err, code } = await run(['allow', '/does-not-exist']);
    expect(code).toBe(1);
    expect(err).toContain('/does-not-exist');
  });

  it.each([
    ['EPIPE', 0, ''],
    ['ENOSPC', 1, 'thing-mcp: E_LIMIT: the answer could not be written (ENOSPC)\nCheck whether the disk is full.\n'],
  ])('ends without a trace when what it prints does not arrive: %s', async (reason, code, err) => {
    const outputError = Object.assign(new Error(`write ${reason}`), { code: reason });
    const terminal = createFakeTerminal({ argv: ['uninstall', 'cursor'], outputError });
    expect(await runProgram(definition, terminal)).toBe(code);
    expect(terminal.complained).toBe(err);
  });
});
