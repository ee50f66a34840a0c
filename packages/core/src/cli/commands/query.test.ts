import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CliQuestion } from '../../program/cli-query.ts';
import { createFakeDefinition } from '../../testing/fakes/fake-definition.ts';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { runCommand } from '../../testing/run-command.ts';
import { createTempFolder } from '../../testing/temp-folder.ts';
import type { CommandOptions } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { query } from './query.ts';

const connections = JSON.stringify([{ name: 'main', type: 'thing', host: 'a', user: 'b' }]);
const rows = [
  ['1', 'a, "b"'],
  ['2', null],
  ['3', ''],
  ['4', '\u001b[31mred'],
] as const;

interface Run {
  options?: CommandOptions;
  words?: string[];
  isTerminal?: boolean;
  answer?: (question: CliQuestion) => Promise<void>;
  env?: Record<string, string>;
  terminal?: Partial<Terminal>;
}

const giveRows = async ({ answer }: CliQuestion) => {
  answer.columns(['id', 'name'], ([id, name]) => JSON.stringify({ id: Number(id), name }));
  for (const row of rows) if (!answer.row([...row])) break;
};

async function run({
  options = {},
  words = ['main', 'what', 'is'],
  isTerminal = true,
  answer = giveRows,
  env = {},
  terminal: own = {},
}: Run = {}) {
  const definition = createFakeDefinition({
    createBackend: async () => ({ dispose: async () => undefined }),
    query: { usage: 'THING', about: 'ask', example: 'x', options: [], run: (_backend, question) => answer(question) },
  });
  const terminal = createFakeTerminal({ env: { THING_CONNECTIONS: connections, ...env }, isTerminal });
  const asked = runCommand(query, { definition, terminal: { ...terminal, ...own }, words, options });
  return { terminal, asked, ended: async () => ({ code: await asked, out: terminal.printed, err: terminal.complained }) };
}

describe('a person who asks', () => {
  it('reads a table on a terminal, in which nothing can paint it over', async () => {
    const { code, out } = await (await run()).ended();
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 3)).toEqual(['id  name', '1   a, "b"', '2   NULL']);
    expect(out).not.toContain('\u001b');
  });

  it.each([
    ['a text', async ({ answer }: CliQuestion) => answer.text('green')],
    ['a row', giveRows],
  ])('sees the sign of waiting go before %s', async (_, answer) => {
    const events: string[] = [];
    const busy = () => () => void events.push('gone');
    await (await run({ answer, terminal: { busy, print: () => void events.push('printed') } })).ended();
    expect(events.slice(0, 2)).toEqual(['gone', expect.any(String)]);
  });

  it('gets CSV in a pipe, as the engine says it', async () => {
    const { out } = await (await run({ isTerminal: false })).ended();
    expect(out).toBe('id,name\n1,"a, ""b"""\n2,\n3,""\n4,\u001b[31mred\n');
  });

  it('can have objects of JSON, and as many rows as wanted, and reports that there are more', async () => {
    const { out, err } = await (await run({ options: { format: 'json', limit: '2' } })).ended();
    expect(out).toBe('{"id":1,"name":"a, \\"b\\""}\n{"id":2,"name":null}\n');
    expect(err).toBe('There are more than 2 rows; raise --limit to see them.\n');
    expect((await (await run({ options: { limit: '4' } })).ended()).err).toBe('');
  });

  it.each([
    [{ options: { vertical: true } }, ['main', 'what']],
    [{ options: { format: 'vertical' } }, ['main', 'what']],
    [{}, ['main', 'what\\G']],
    [{}, ['main', 'what \\gx']],
    [{ terminal: { width: 8 } }, ['main', 'what']],
  ])('can have a line for each value: %j %j', async (how, words) => {
    let asked: readonly string[] = [];
    const answer = async (question: CliQuestion) => {
      asked = question.words;
      await giveRows(question);
    };
    const { out } = await (await run({ ...how, words, answer })).ended();
    expect(asked).toEqual(['what']);
    expect(out.split('\n').slice(0, 4)).toEqual(['-[ 1 ]----------', 'id   | 1', 'name | a, "b"', '-[ 2 ]----------']);
  });

  it.each([
    [['main'], {}],
    [['main', '-'], {}],
    [['main'], { file: '-' }],
  ])('can be piped in: %j %j', async (words, options) => {
    let asked: readonly string[] = [];
    const answer = async (question: CliQuestion) => {
      asked = question.words;
    };
    await (await run({ words, options, answer, terminal: { readInput: async () => 'what is\n' } })).ended();
    expect(asked).toEqual(['what is']);
  });

  it('can be in a file', async () => {
    using folder = createTempFolder();
    writeFileSync(folder.at('question'), 'what\nis\n');
    let asked: readonly string[] = [];
    const answer = async (question: CliQuestion) => {
      asked = question.words;
    };
    await (await run({ words: ['main'], options: { file: 'question' }, answer, terminal: { cwd: folder.path } })).ended();
    expect(asked).toEqual(['what\nis']);
    await expect(
      (await run({ words: ['main'], options: { file: 'none' }, terminal: { cwd: folder.path } })).asked,
    ).rejects.toThrow(/cannot read .*none/);
  });

  it('is asked for the question where none is given', async () => {
    await expect((await run({ words: ['main'] })).asked).rejects.toMatchObject({
      kind: 'input',
      hint: expect.stringContaining('-f FILE'),
    });
  });

  it('asks with all the words, the limit and the database', async () => {
    let seen: CliQuestion | undefined;
    const answer = async (question: CliQuestion) => {
      seen = question;
      question.answer.text('done');
    };
    const { out } = await (await run({ options: { database: 'other', limit: '5' }, answer })).ended();
    expect(seen).toMatchObject({ words: ['what', 'is'], database: 'other', limit: 6 });
    expect(out).toBe('done\n');
  });

  it('stops it with Ctrl-C', async () => {
    const answer = ({ signal }: CliQuestion) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { terminal, asked } = await run({ answer });
    setTimeout(() => terminal.interrupt(), 20);
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('gives up after the time that it was given', async () => {
    const answer = ({ signal }: CliQuestion) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { asked } = await run({ answer, env: { THING_TIMEOUT: '20ms' } });
    await expect(asked).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('20ms') });
  });

  it.each([{ options: { format: 'xml' } }, { options: { limit: '0' } }, { options: { limit: 'many' } }])(
    'hears what is wrong with %j',
    async (how) => {
      await expect((await run(how)).asked).rejects.toMatchObject({ kind: 'input' });
    },
  );
});
