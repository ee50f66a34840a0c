import { type Message, readText, type ServerProcess } from '@dbmole/core/testing';
import type { SeededRandom } from '../guard/seeded-random.ts';
import { formatSlowRead } from '../slow-read.ts';
import type { SoakConnection } from './soak-site.ts';

/** What became of a call: its answer was right, it failed for a reason outside, or it was given up by us. */
export type Outcome = 'right' | 'disturbed' | 'cancelled';

interface SoakCall {
  server: ServerProcess;
  connection: SoakConnection;
  /** Different for each call, so that an answer that belongs to another one is seen. */
  number: number;
  random: SeededRandom;
  /** Whether what the connection needs was away at any time since the call began. */
  wasDisturbed(): boolean;
}

interface Kind {
  /** How often, among all. */
  weight: number;
  run(call: SoakCall): Promise<Outcome>;
}

/** Why a call may fail while an engine or the bastion is away. */
const disturbances = new Set([
  'E_CONNECTION_LOST',
  'E_CONNECT_REFUSED',
  'E_CONNECT_TIMEOUT',
  'E_INTERRUPTED',
  'E_NETWORK',
  'E_OUTCOME_UNKNOWN',
  'E_POOL_BUSY',
  'E_SHUTTING_DOWN',
  'E_SHUT_DOWN',
  'E_SSH_CHANNEL_TIMEOUT',
  'E_SSH_CONNECT_REFUSED',
  'E_SSH_CONNECT_TIMEOUT',
  'E_SSH_HANDSHAKE_TIMEOUT',
  'E_SSH_NETWORK',
  'E_SSH_NOT_SSH_OR_REFUSED',
  'E_SSH_TARGET_UNREACHABLE',
  'E_SSH_TUNNEL_CLOSED',
  'E_STALE',
  'E_STARTING_UP',
  'E_TIMEOUT',
]);

const kinds: Readonly<Record<string, Kind>> = {
  number: { weight: 60, run: (call) => expectText(call, 'query', { sql: `select ${call.number} as n` }, `\n${call.number}`) },
  rows: { weight: 8, run: readRows },
  text: { weight: 5, run: (call) => expectText(call, 'query', { sql: `select repeat('x', 200000) as x` }, '200000') },
  tables: { weight: 4, run: (call) => expectText(call, 'list_tables', {}, 'notes') },
  describe: { weight: 3, run: (call) => expectText(call, 'describe_table', { tables: ['notes'] }, 'note') },
  mistake: { weight: 5, run: (call) => expectCode(call, 'query', { sql: 'select n from nowhere' }, 'E_UNKNOWN_TABLE') },
  refused: { weight: 4, run: (call) => expectCode(call, 'query', { sql: 'delete from notes' }, 'E_NOT_A_READ') },
  insert: { weight: 4, run: insert },
  late: { weight: 2, run: late },
  cancelled: { weight: 5, run: cancel },
};

const lottery = Object.values(kinds).flatMap((kind) => Array.from({ length: kind.weight }, () => kind));

/** One call of a kind that chance decides. Throws what is wrong with its answer. */
export async function makeCall(call: SoakCall): Promise<Outcome> {
  const kind = lottery[call.random.below(lottery.length)];
  if (kind === undefined) throw new Error('there is no such kind of call');
  return await kind.run(call);
}

async function ask({ server, connection }: SoakCall, tool: string, args: object): Promise<string> {
  return readText(await server.callTool(tool, { connection: connection.name, ...args }));
}

async function expectText(call: SoakCall, tool: string, args: object, wanted: string): Promise<Outcome> {
  return judge(call, await ask(call, tool, args), (text) => text.includes(wanted));
}

async function expectCode(call: SoakCall, tool: string, args: object, code: string): Promise<Outcome> {
  return judge(call, await ask(call, tool, args), (text) => text.startsWith(code));
}

function judge(call: SoakCall, text: string, isRight: (text: string) => boolean): Outcome {
  if (isRight(text)) return 'right';
  const code = /^E_[A-Z_]+/.exec(text)?.[0];
  if (code !== undefined && disturbances.has(code) && call.wasDisturbed()) return 'disturbed';
  throw new Error(`call ${call.number} on ${call.connection.name} was answered ${JSON.stringify(text.slice(0, 400))}`);
}

async function readRows(call: SoakCall): Promise<Outcome> {
  const numbers =
    call.connection.type === 'postgres'
      ? 'select g, g * 2 from generate_series(1, 5000) g'
      : 'with recursive s(g) as (select 1 union all select g + 1 from s where g < 900) select g, g * 2 from s';
  return await expectText(call, 'query', { sql: numbers, limit: 300 }, 'offset=300');
}

/** Its time is over while the statement runs, or before its turn has come. */
async function late(call: SoakCall): Promise<Outcome> {
  const text = await ask(call, 'query', slowArguments(call, { timeout_ms: 30 }));
  return judge(call, text, (answer) => /^E_(TIMEOUT|POOL_BUSY)\b/.test(answer));
}

async function insert(call: SoakCall): Promise<Outcome> {
  const sql = `insert into notes (note) values ('${call.number}')`;
  if (call.connection.readonly) return await expectCode(call, 'execute', { sql }, 'E_READONLY');
  return await expectText(call, 'execute', { sql }, '1 row');
}

function slowArguments({ connection, number }: SoakCall, more: object = {}): object {
  return { sql: formatSlowRead(connection.type, `soak ${number}`), ...more };
}

/** Gives up a call while it runs, or waits to run. There is no answer to a call that was cancelled. */
async function cancel(call: SoakCall): Promise<Outcome> {
  const { server, connection, random } = call;
  const args = { connection: connection.name, ...slowArguments(call) };
  const running = server.start('tools/call', { name: 'query', arguments: args });
  let answer: Message | undefined;
  void running.answer.then(
    (message) => {
      answer = message;
    },
    () => undefined,
  );
  await new Promise((resolve) => setTimeout(resolve, random.below(60)));
  if (answer !== undefined) return judge(call, readText(answer), () => false);
  running.cancel();
  return 'cancelled';
}
