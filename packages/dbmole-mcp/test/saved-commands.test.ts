import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { createTempFolder, readText, ServerProcess, type TempFolder } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from './bin.ts';
import { createAccount } from './direct.ts';

const engine = useEngine('postgres18', { shared: true });
const run = promisify(execFile);

const shown = `-- tool: value_show
-- description: Shows what it gets.
-- param value json: what is shown. Example: {"a": 1}
-- param more integer optional: a number
select :value::jsonb as value, :more::int as more`;
const placed = `-- tool: value_placed
-- description: Shows what it gets, on one connection.
-- connection: one
-- param value integer: a number. Example: 1
select :value::int as value`;

describe('saved queries for a person with several connections', () => {
  let folder: TempFolder;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = createTempFolder();
    const account = await createAccount(engine(), 'saved_commands');
    const connections = ['one', 'two'].map((name) => ({ ...account, name }));
    env = {
      DBMOLE_CONNECTIONS: JSON.stringify(connections),
      HOME: folder.path,
      XDG_CONFIG_HOME: folder.at('.config'),
      PATH: process.env.PATH ?? '',
    };
    write('show.sql', shown);
    write('placed.sql', placed);
  }, 60_000);
  afterAll(() => folder[Symbol.dispose]());

  function write(name: string, text: string): void {
    const path = folder.at('.config', 'dbmole', 'queries', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const type = (words: readonly string[], { cwd = folder.path, form = 'auto' } = {}) =>
    run(process.execPath, [bin, 'queries', ...words], { env: { ...env, DBMOLE_QUERIES_AS: form }, cwd }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  it('are checked on a connection that is named where the file names none', async () => {
    const { code, stdout } = await type(['check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok {3}.*placed\.sql$/m);
    expect(stdout).toMatch(
      /^BAD {2}.*show\.sql: E_INPUT: the file names no connection, and there are several\. Add the line "-- connection: NAME", or pass connection=NAME\.$/m,
    );
    expect(await type(['check', 'connection=two'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok {3}.*show\.sql$/m),
    });
    expect(await type(['check', 'value_show', 'connection=lost'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"lost"'),
    });
  });

  it.each(['auto', 'one'])('are run with --queries-as %s, and say what is wrong with a parameter', async (form) => {
    const show = (...pairs: string[]) => type(['run', 'value_show', 'connection=one', ...pairs], { form });
    expect((await show('value="text"')).stdout).toBe('value,more\n"""text""",NULL\n');
    expect((await show('value={"a": [1]}', 'more=2')).stdout).toBe('value,more\n"{""a"": [1]}",2\n');
    expect((await show('value=1', 'more=many')).stderr).toMatch(
      /^dbmole-mcp: E_INPUT: value_show: (?:params\.)?more: expected a whole number such as 42, got "many"$/m,
    );
    expect((await show('value=1', 'mere=2')).stderr).toMatch(/value_show: unknown argument "mere"[\s\S]*more/);
  });

  it.each(['auto', 'one'])('take their own connection with --queries-as %s, and no other', async (form) => {
    const server = new ServerProcess({ file: bin, args: ['--queries-as', form], env, cwd: folder.path });
    onTestFinished(async () => void (await server.stop()));
    await server.initialize();
    const call = async (connection: string) => {
      const own = { value: 7, connection };
      const answer =
        form === 'one' ? server.callTool('run_saved', { name: 'value_placed', ...own }) : server.callTool('value_placed', own);
      return readText(await answer);
    };
    expect(await call('one')).toContain('value\n7');
    expect(await call('two')).toBe(
      'E_INPUT: value_placed: connection: expected "one", got "two".\nNext: value_placed runs on one alone; leave connection out.',
    );
  });

  it('are begun with a connection, in the folder of the project that has some', async () => {
    expect((await type(['new', 'value_new'])).code).toBe(0);
    expect(readFileSync(folder.at('.config', 'dbmole', 'queries', 'value_new.sql'), 'utf8')).toContain('\n-- connection: one\n');
    mkdirSync(folder.at('work', '.dbmole', 'queries'), { recursive: true });
    mkdirSync(folder.at('work', 'deep', 'er'), { recursive: true });
    await type(['new', 'value_project', '--project'], { cwd: folder.at('work', 'deep', 'er') });
    expect(existsSync(folder.at('work', '.dbmole', 'queries', 'value_project.sql'))).toBe(true);
  });
});
