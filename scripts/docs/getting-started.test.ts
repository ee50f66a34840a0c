/** What docs/getting-started.md shows is what a person sees who types it: its commands are run, in their order. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runProgram, type Terminal } from '@dbmole/core';
import { createFakeTerminal, useTempFolder } from '@dbmole/core/testing';
import { beforeAll, expect, it } from 'vitest';
import { definition } from '../../packages/dbmole-mcp/src/server.ts';
import { root } from '../steps.ts';

const home = useTempFolder();
let port: number;
beforeAll(async () => {
  port = await closedPort();
});

/** Nothing listens there any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : expect.fail('no port');
}

interface Shown {
  words: string[];
  output: string;
}

/** The sessions of the page, by what is typed in them. */
function shown(command: string): Shown {
  const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8');
  const blocks = [...page.matchAll(/```console\n\$ npx -y dbmole-mcp (.*)\n([\s\S]*?)```/g)];
  const [, typed = '', output = ''] = blocks.find(([, line]) => line?.startsWith(command)) ?? expect.fail(`no ${command}`);
  return { words: typed.split(' '), output };
}

interface Screen {
  run?: (terminal: Terminal) => Promise<number | undefined>;
  /** What the person types when asked. */
  answer?: string;
}

/** Everything that is on the screen afterwards; what a person types unseen is not. */
async function screen(
  words: readonly string[],
  { run = (terminal) => runProgram(definition, terminal), answer = '' }: Screen = {},
) {
  const argv = words.map((word) => word.replace('@db.example.com/', `@127.0.0.1:${port}/`));
  let text = '';
  const write = (line: string) => {
    text += `${line}\n`;
  };
  const ask = async (question: string) => {
    write(`${question}${answer}`.trimEnd());
    return answer;
  };
  const terminal = createFakeTerminal({ argv, folder: home.path });
  await run({ ...terminal, print: write, printError: write, ask, askSecret: ask });
  return text.replaceAll(home.path, '/home/me').replaceAll(`127.0.0.1:${port}`, 'db.example.com:5432');
}

/** Differs from run to run, or from machine to machine. */
const steady = (text: string) =>
  text.replace(/^(shop +yes +)\d+ +/m, '$1').replace(/^(dbmole-mcp) \S+, Node .*/, '$1 of this machine');

/** A server that answers, which no machine has at that address. */
async function runAnswered(terminal: Terminal): Promise<number | undefined> {
  const { connections, program, backend, tools } = definition;
  const { query: _query, schemaLines: _lines, ...restOfProgram } = program;
  const { instructions, descriptions } = tools;
  const create = async () => ({ dispose: async () => undefined });
  const ping = async () => ['PostgreSQL 18.4, user reader, database shop'];
  const answering = { create, ping, isStaleError: backend.isStaleError };
  const own = { program: restOfProgram, connections, backend: answering, tools: { instructions, descriptions } };
  return await runProgram(own, terminal);
}

it('shows what a person sees who installs, adds a connection, and asks what is wrong', async () => {
  const [install, add, doctor] = ['install', 'connections add', 'doctor'].map(shown);
  expect(await screen(install?.words ?? [], { answer: 'y' })).toBe(install?.output);
  expect(steady(await screen(add?.words ?? [], { run: runAnswered }))).toBe(steady(add?.output ?? ''));
  expect(steady(await screen(doctor?.words ?? []))).toBe(steady(doctor?.output ?? ''));
});
