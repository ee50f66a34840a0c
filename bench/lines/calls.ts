import type { ServerId } from '@dbmole/engines';
import { type BenchOptions, type Line, type Measured, medianOf, timed } from '../line.ts';
import { type CallRig, type CallWay, callRig, roundTripMs } from '../rigs/call-rig.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

const tools: Readonly<Record<string, Record<string, unknown>>> = {
  query: { sql: 'select id, name from items_1 where price > 5' },
  list_tables: {},
  describe_table: { tables: ['items_1'] },
  test_connection: {},
};

const rounds = 15;
/** In a row on one way, before the other has its turn; the first ones are not counted. */
const burst = 8;
const warmUp = 2;

/** Calls that follow each other at once, behind a bastion and without one. */
export const callLines: readonly Line[] = engines.flatMap((id) =>
  Object.entries(tools).flatMap(([tool, args]): Line[] => [
    {
      name: `tunnel ${id} ${tool}, one after another`,
      goal: 1,
      unit: 'ms over direct',
      measure: (options) => near(id, options, (rig, way) => rig.call(way, tool, args)),
    },
    {
      name: `tunnel ${id} ${tool}, ${roundTripMs} ms away`,
      goal: 5,
      unit: '% over direct',
      measure: (options) => far(id, options, (rig, way) => rig.call(way, tool, args)),
    },
  ]),
);

type Call = (rig: CallRig, way: CallWay) => Promise<string>;

async function near(id: ServerId, { node }: BenchOptions, call: Call): Promise<Measured> {
  const { direct, tunnel } = await inTurns(await callRig(id, node), ['direct', 'tunnel'], call);
  return { value: tunnel - direct, details: { directMs: direct, tunnelMs: tunnel } };
}

async function far(id: ServerId, { node }: BenchOptions, call: Call): Promise<Measured> {
  const { directFar, tunnelFar } = await inTurns(await callRig(id, node), ['directFar', 'tunnelFar'], call);
  return { value: (tunnelFar / directFar - 1) * 100, details: { directMs: directFar, tunnelMs: tunnelFar } };
}

async function inTurns<W extends CallWay>(rig: CallRig, ways: readonly W[], call: Call): Promise<Record<W, number>> {
  const times = new Map<W, number[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [way, list] of times) {
      for (let at = 0; at < burst; at += 1) {
        const time = await timed(async () => checkAnswer(await call(rig, way)));
        if (at >= warmUp) list.push(time);
      }
    }
  }
  // Each of the ways has a list.
  return Object.fromEntries([...times].map(([way, list]) => [way, medianOf(list)])) as Record<W, number>;
}

/** A call that fails is a fast one. */
function checkAnswer(text: string): void {
  if (/^E_[A-Z]/.test(text)) throw new Error(text);
}
