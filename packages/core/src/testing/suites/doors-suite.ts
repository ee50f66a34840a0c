import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempFolder } from '../temp-folder.ts';
import { type Door, type DoorServer, Doors } from './open-doors.ts';

export interface DoorsContract {
  /** Runs when the engine is up. */
  server(): DoorServer;
  /** The names of the tools. */
  tools: readonly string[];
  /** Values that the schemas accept, by argument. */
  right: Readonly<Record<string, readonly unknown[]>>;
  /** Values that they refuse, or that mean nothing. */
  wrong: Readonly<Record<string, readonly unknown[]>>;
  /** Arguments that take no other values than these: something could be looked up in the network, or time pass. */
  closed: readonly string[];
  /** Arguments that every call of a tool has: one of these sets. */
  bases: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  /** What differs from one call to the next at any door: times, random identifiers. */
  volatile: RegExp;
  /** A call whose answer contains the mark. */
  marked(mark: string): { tool: string; args: Record<string, unknown> };
}

interface Definition {
  inputSchema: { properties?: Record<string, unknown>; required?: string[] };
}

/** Calls of each tool with random arguments, and calls of one client that run at the same time. */
const callsPerTool = 12;
const clientsPerDoor = 3;
const callsPerClient = 20;

/** One set of tools behind every door: the same call has the same answer, byte for byte. */
export function describeDoors(contract: DoorsContract): void {
  describe('the doors of one server', () => {
    const folder = createTempFolder();
    let opened: Doors;
    let doors: Door[];
    let definitions: Map<string, Definition>;

    beforeAll(async () => {
      opened = new Doors(contract.server(), folder.path);
      doors = await opened.open();
      definitions = await readDefinitions(contract.server());
    }, 60_000);
    afterAll(async () => {
      await opened.close();
      folder[Symbol.dispose]();
    });

    it('offer the tools of which this test knows', () => {
      expect([...definitions.keys()].toSorted()).toEqual(contract.tools.toSorted());
    });

    it.each(contract.tools)('give the same answer to %s, whatever its arguments', async (tool) => {
      const definition = definitions.get(tool) ?? expect.fail(`no tool is called ${tool}`);
      await fc.assert(
        fc.asyncProperty(anyArguments(tool, definition, contract), async (args) => {
          const answers = new Map<string, string>();
          // One door after the other: two writes at the same time would wait for each other.
          for (const door of doors) answers.set(door.name, (await answerOf(door, tool, args)).replaceAll(contract.volatile, '#'));
          const [first, ...others] = [...answers];
          for (const other of others) expect([other[0], other[1]]).toEqual([other[0], first?.[1]]);
        }),
        { numRuns: callsPerTool, endOnFailure: true },
      );
    });

    it('give the same error for a tool that does not exist', async () => {
      const answers = await Promise.all(doors.map((door) => answerOf(door, 'no_such_tool', {})));
      expect(answers[0]).toContain('no tool is called');
      expect(new Set(answers)).toEqual(new Set([answers[0]]));
    });

    it('share one process where they should', async () => {
      await Promise.all(doors.map((door) => answerOf(door, 'list_connections', {})));
      expect(opened.remarks.filter((line) => /not shared|ended/.test(line))).toEqual([]);
    });

    it('never answer one client with what another asked for', async () => {
      const clients = await opened.openMany(clientsPerDoor);
      const calls = clients.flatMap((client, i) =>
        Array.from({ length: callsPerClient }, async (_, n) => {
          const mark = `mark-${i}-${n}-of-${client.name.replaceAll(/\W/g, '')}`;
          const { tool, args } = contract.marked(mark);
          return { mark, answer: await answerOf(client, tool, args) };
        }),
      );
      const mixed = (await Promise.all(calls)).filter(
        ({ mark, answer }) => answer.match(/mark-\w+-\d+-of-\w+/g)?.every((found) => found === mark) !== true,
      );
      expect(mixed).toEqual([]);
    });
  });
}

async function readDefinitions(server: DoorServer): Promise<Map<string, Definition>> {
  const { [server.creates]: create } = await import(server.library);
  const mole = await create({ fromConfiguration: true });
  const found = new Map<string, Definition>(mole.tools.map((tool: Definition & { name: string }) => [tool.name, tool]));
  await mole.dispose();
  return found;
}

type Arguments = Record<string, unknown>;

/** The connection of a call; there are several. */
const alwaysNamed: readonly string[] = ['connection', 'name'];

/** Accepted arguments, a few of them; in one of three calls, one is replaced by a wrong value, or is missing, or unknown. */
function anyArguments(tool: string, { inputSchema }: Definition, contract: DoorsContract): fc.Arbitrary<Arguments> {
  const { right, bases } = contract;
  const { properties = {}, required = [] } = inputSchema;
  const rightValue = (name: string) => fc.constantFrom(...(right[name] ?? [undefined]));
  const sometimes = (name: string) =>
    required.includes(name) || alwaysNamed.includes(name)
      ? rightValue(name)
      : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: rightValue(name) });
  const names = Object.keys(properties);
  const model = Object.fromEntries(names.map((name) => [name, sometimes(name)]));
  const base = fc.constantFrom<Arguments>(...(bases[tool] ?? [{}]));
  const valid = fc.record(model);
  const replaced = fc
    .constantFrom(...names)
    .chain((name) => wrongValue(name, contract).map((value): Arguments => ({ [name]: value })));
  const invalid = fc
    .tuple(valid, fc.oneof(replaced, replaced, fc.record({ unknown_key: junk })))
    .map(([given, more]): Arguments => ({ ...given, ...more }));
  const any = fc.oneof({ weight: 2, arbitrary: valid }, { weight: 1, arbitrary: invalid });
  // What has no form in JSON would reach one door alone.
  return fc.tuple(any, base).map(([args, given]) => JSON.parse(JSON.stringify({ ...args, ...given })) as Arguments);
}

function wrongValue(name: string, { wrong, closed }: DoorsContract): fc.Arbitrary<unknown> {
  const known = fc.constantFrom<unknown>(...(wrong[name] ?? []), undefined);
  return closed.includes(name) ? known : fc.oneof(known, junk);
}

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, '', -1, 1.5, 1e21, true, [], {}, '\u0000', '⟦é\u202e', "';--", '${HOME}', 'x'.repeat(400)),
  fc.jsonValue({ maxDepth: 2 }),
);

async function answerOf({ call, home }: Door, tool: string, args: Record<string, unknown>): Promise<string> {
  const text = await call(tool, args).then(formatReply, formatError);
  return home === '' ? text : text.replaceAll(home, 'HOME');
}

/** The parts of the answer that are the tool's; the rest is of the protocol's era. */
function formatReply(reply: unknown): string {
  const { content, structuredContent, isError = false } = Object(reply);
  return JSON.stringify({ content, structuredContent, isError });
}

function formatError(error: unknown): string {
  return error instanceof Error ? `${Reflect.get(error, 'code')} ${error.message}` : String(error);
}
