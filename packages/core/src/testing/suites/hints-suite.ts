import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { runProgram } from '../../cli/command-line.ts';
import { listCommands } from '../../cli/commands.ts';
import { findCommand } from '../../cli/find-command.ts';
import type { BaseConnection } from '../../connection.ts';
import { type Failure, type FailureKind, failureKinds } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { type App, createApp, type ServerDefinition } from '../../program/app.ts';
import { foldedNames } from '../../queries/saved-tools.ts';
import { createFakeTerminal } from '../fakes/fake-terminal.ts';
import { createTempFolder } from '../temp-folder.ts';

/** A call that fails with this kind, and a command that fails in the same way. */
export interface FailingCall {
  kind: FailureKind;
  tool: string;
  args: Record<string, unknown>;
  /** It is refused because it would write. */
  isWrite?: boolean;
  argv?: readonly string[];
}

interface Hints<C extends BaseConnection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  /** The folder of the server's own sources. */
  sources: string;
  /** "main" answers; the others fail as the calls say. */
  connections(): readonly Record<string, unknown>[];
  calls: readonly FailingCall[];
}

/** Kinds that no call can bring about at will. */
const unprovoked: readonly FailureKind[] = ['cancelled', 'internal', 'limit'];
const coreSources = fileURLToPath(new URL('../..', import.meta.url));

/** Every tool and every command that a hint names exists where the hint is shown. */
export function describeHints<C extends BaseConnection, B extends Backend>(hints: Hints<C, B>): void {
  const { definition, calls } = hints;
  const { name: program, app } = definition.program;
  const commands = listCommands(definition.program);
  const tools = [...listTools(definition), ...foldedNames];

  describe(`hints in the sources of ${program}`, () => {
    const found = [coreSources, hints.sources].flatMap(listHints);

    it.each(found)('names what exists: $at $part $text', ({ part, text }) => {
      if (part === 'call') expect(tools).toContain(text);
      else if (part === 'run') expect(text.startsWith('--') || findCommand(text.split(' '), commands)).toBeTruthy();
      else expect(findTools(text, tools)).toEqual([]);
    });

    it('has many of each', () => {
      for (const part of ['call', 'run', 'text']) expect(found.filter((one) => one.part === part).length).toBeGreaterThan(5);
    });
  });

  describe.each([
    ['with all tools', false, {}],
    ['with tools that only read', false, { [`${app.toUpperCase()}_TOOLS`]: 'read' }],
    ['whose connections are all read-only', true, {}],
  ])(`hints of a ${program} server %s`, (_, readonly, env) => {
    const folder = createTempFolder();
    let server: App<C, B>;
    beforeAll(() => {
      server = createApp(definition, {
        env: { ...env, [`${app.toUpperCase()}_CONNECTIONS`]: JSON.stringify(connectionsOf(hints, readonly)) },
        cwd: folder.path,
        home: folder.path,
        log: () => undefined,
      });
    });
    afterAll(async () => {
      await server.dispose();
      folder[Symbol.dispose]();
    });

    it.each(calls)('names tools that are offered: $tool $args', async ({ kind, tool, args, isWrite = false }) => {
      const offered = server.toolServer.names;
      if (!offered.includes(tool)) return;
      let failure: Failure | undefined;
      const reply = await server.toolServer.call(tool, args, {
        signal: AbortSignal.timeout(30_000),
        progressToken: undefined,
        notify: async () => undefined,
        onFailure: (one) => {
          failure = one;
        },
      });
      const text = reply.content[0]?.text ?? '';
      expect([failure?.kind, text]).toEqual([kind, text]);
      const next = /^Next: .*$/m.exec(text)?.[0] ?? '';
      expect(offered).toEqual(expect.arrayContaining([...findTools(next, tools)]));
      if (isWrite) expect(text).toContain('nothing was');
      if (isWrite && readonly) expect(next).toMatch(/only the user can make it writable/i);
      if (readonly) expect(next).not.toMatch(/\bexecute\b|\bto send it\b/);
    });
  });

  it(`${program} has a failing call of every kind`, () => {
    const kinds = new Set([...calls.map(({ kind }) => kind), ...unprovoked]);
    expect([...kinds].sort()).toEqual(Object.keys(failureKinds).sort());
  });

  it.each(calls.flatMap(({ argv }) => (argv === undefined ? [] : [{ argv }])))(
    `${program} names commands on the command line: $argv`,
    async ({ argv }) => {
      const env = { [`${app.toUpperCase()}_CONNECTIONS`]: JSON.stringify(connectionsOf(hints, false)) };
      using folder = createTempFolder();
      const terminal = createFakeTerminal({ argv, env, folder: folder.path });
      expect(await runProgram(definition, terminal)).toBeGreaterThan(0);
      const said = terminal.complained + terminal.printed;
      expect(said).toMatch(/\bE_[A-Z_]+: /);
      expect(findTools(said, tools)).toEqual([]);
      for (const [, words = ''] of said.matchAll(new RegExp(`\`${program} ([^\`]+)\``, 'g')))
        if (!words.startsWith('--') && !words.startsWith('help '))
          expect(() => findCommand(words.split(' '), commands)).not.toThrow();
    },
  );
}

function connectionsOf<C extends BaseConnection, B extends Backend>({ connections }: Hints<C, B>, readonly: boolean) {
  return connections().map((one) => ({ ...one, readonly }));
}

function listTools<C extends BaseConnection, B extends Backend>(definition: ServerDefinition<C, B>): readonly string[] {
  return createApp(definition, { env: {}, cwd: '/nowhere', home: '/nowhere' }).toolServer.names;
}

/** A tool whose name is an ordinary word counts where it is called. */
function findTools(text: string, tools: readonly string[]): string[] {
  return tools.filter((name) =>
    new RegExp(name.includes('_') ? `\\b${name}\\b` : `\\b[Cc]all ${name}\\b|\`${name}\``).test(text),
  );
}

interface FoundHint {
  at: string;
  part: 'call' | 'run' | 'text';
  text: string;
}

/** The parts of a step that hold sentences. */
const sentences = new Set(['hint', 'to', 'tool', 'cli', 'nextStep']);

/** The tools, commands and sentences of all hints that are written down in a folder. */
function listHints(folder: string): FoundHint[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|d)\.ts$|^testing\//.test(file))
    .flatMap((file) =>
      [...walk(parseAst(readFileSync(`${folder}/${file}`, 'utf8'), { lang: 'ts' }))].flatMap((node) => readProperty(node, file)),
    );
}

function readProperty(node: Node, at: string): FoundHint[] {
  const { type, key, value } = node;
  if (type !== 'Property' || !isNode(key) || typeof key.name !== 'string') return [];
  const texts = listTexts(value);
  // A tool command has its tool there, which is a name alone.
  if (sentences.has(key.name)) return texts.filter((text) => text.includes(' ')).map((text) => ({ at, part: 'text', text }));
  const { name } = key;
  return name === 'call' || name === 'run' ? texts.map((text) => ({ at, part: name, text: text.trimEnd() })) : [];
}

/** Skips the texts of another object, which has properties of its own. */
function listTexts(node: unknown): string[] {
  if (!isNode(node) || node.type === 'ObjectExpression' || String(node.type).includes('Function')) return [];
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  if (node.type === 'TemplateLiteral' && Array.isArray(node.quasis)) return [listQuasis(node.quasis).join('…')];
  return Object.values(node).flatMap((child) => (Array.isArray(child) ? child.flatMap(listTexts) : listTexts(child)));
}

function listQuasis(quasis: readonly Node[]): string[] {
  return quasis.map(({ value }) => (isNode(value) ? String(value.cooked) : ''));
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function* walk(node: unknown): Generator<Node> {
  if (!isNode(node)) return;
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* walk(child);
}
