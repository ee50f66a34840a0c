import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolReply } from '../answer/respond.ts';
import { Failure } from '../failure.ts';
import { createLog } from '../log.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import type { Caller } from '../tools/caller.ts';
import { defineTool } from '../tools/tool.ts';
import { createToolServer } from '../tools/tool-server.ts';
import { Approvals } from './approvals.ts';
import { askInTime } from './elicitation.ts';
import { PendingStore } from './pending-store.ts';
import type { Person, PersonAction } from './person.ts';

const folder = useTempFolder();
let now: number;
let committed: unknown[];
/** What is counted in each round, one after the other; the last one stays. */
let counts: number[];
let place: string;

beforeEach(() => {
  now = Date.now();
  committed = [];
  counts = [3];
  place = 'db.internal';
});

const change = defineTool({
  name: 'change',
  title: 'Change',
  description: 'Changes rows.',
  effect: 'destroy',
  input: () => z.strictObject({ what: z.string() }),
  async handler({ what }, { approval }): Promise<ToolReply> {
    const rows = counts.length > 1 ? counts.shift() : counts[0];
    const asked = {
      binding: place,
      counts: { rows },
      summary: `${rows} rows`,
      message: `${what}: ${rows} rows`,
      refusal: new Failure('refused', 'the policy wants a person', { code: 'E_APPROVAL_NEEDED' }),
    };
    if (!approval.isAnswered) return await approval.ask(asked);
    const state = await approval.accept(place);
    if (JSON.stringify(state.counts) !== JSON.stringify(asked.counts)) return await approval.ask(asked);
    committed.push([what, rows]);
    return { content: [{ type: 'text', text: 'done' }] };
  },
});

function start() {
  const pending = new PendingStore(folder.at('state'), () => now);
  const approvals = new Approvals({ command: 'mole approve', cwd: '/project', pending, now: () => now });
  const server = createToolServer({ name: 'x', version: '1', instructions: '', log: createLog('x', 'error'), approvals });
  server.register(change);
  const call = async (more: Partial<Caller> = {}, what = 'delete') =>
    await server.call(
      'change',
      { what },
      { signal: new AbortController().signal, progressToken: undefined, notify: async () => undefined, ...more },
    );
  return { call, pending, calls: server.calls };
}

const client: Person = { place: 'client' };
/** A person who reads for a while. */
function answering(...actions: PersonAction[]): { person: Person; shown: string[] } {
  const shown: string[] = [];
  const ask = async (message: string) => {
    shown.push(message);
    now += 5_000;
    return actions.shift() ?? 'decline';
  };
  return { person: { place: 'client', ask }, shown };
}

const code = ({ structuredContent }: ToolReply) => structuredContent?.code;
const textOf = ({ content }: ToolReply) => content.map(({ text }) => text).join('');

describe('a call that a person has to confirm', () => {
  it('runs once after an accept, and says where it was confirmed', async () => {
    const { call, calls } = start();
    const answered: unknown[] = [];
    calls.onAnswered(({ confirmedBy }) => answered.push(confirmedBy));
    const { person, shown } = answering('accept');
    expect(textOf(await call({ person }))).toBe('done');
    expect(shown).toEqual(['delete: 3 rows']);
    expect(committed).toEqual([['delete', 3]]);
    expect(answered).toEqual([undefined, 'client']);
  });

  it.each<[PersonAction, string]>([
    ['decline', 'the user declined'],
    ['cancel', 'the user closed the question without an answer'],
    ['silent', 'the user did not answer within 10 minutes'],
  ])('does nothing after %s', async (action, message) => {
    const { call, pending } = start();
    const reply = await call(answering(action));
    expect([code(reply), textOf(reply).includes(message)]).toEqual(['E_DECLINED', true]);
    expect([committed, pending.list()]).toEqual([[], []]);
  });

  it('is refused where a client that cannot ask sends the state of a question', async () => {
    const { call } = start();
    expect(code(await call({ round: { state: 'x.y', action: 'accept' } }))).toBe('E_APPROVAL_NEEDED');
    expect(committed).toEqual([]);
  });

  it('waits in a file of the user where no question can be shown, or the question was closed unread', async () => {
    const { call, pending } = start();
    const instant: Person = { place: 'client', ask: async () => 'cancel' };
    const broken: Person = { place: 'client', ask: () => Promise.reject(new Error('method not found')) };
    const replies = [await call(), await call({ person: instant }), await call({ person: broken })];
    expect(replies.map(code)).toEqual(['E_APPROVAL_NEEDED', 'E_APPROVAL_NEEDED', 'E_APPROVAL_NEEDED']);
    expect(replies.map((reply) => /the policy wants a person, and this client ([a-z ]+)\./.exec(textOf(reply))?.[1])).toEqual([
      'cannot ask the user',
      'closed the question unread',
      'closed the question unread',
    ]);
    const waiting = pending.list();
    expect(waiting).toMatchObject(
      [1, 2, 3].map(() => ({ tool: 'change', args: { what: 'delete' }, cwd: '/project', summary: '3 rows' })),
    );
    for (const [i, { id }] of waiting.entries())
      expect(textOf(replies[i] ?? expect.unreachable())).toContain(`mole approve ${id}`);
    expect(committed).toEqual([]);
  });

  it('is asked about again with the new counts when they changed', async () => {
    const { call } = start();
    counts = [3, 4, 4];
    const { person, shown } = answering('accept', 'accept');
    expect(textOf(await call({ person }))).toBe('done');
    expect(shown).toEqual(['delete: 3 rows', 'delete: 4 rows']);
    expect(committed).toEqual([['delete', 4]]);
  });

  it('is given up when the counts change each time', async () => {
    const { call } = start();
    counts = Array.from({ length: 20 }, (_, i) => i);
    const { person, shown } = answering(...Array<PersonAction>(20).fill('accept'));
    expect(code(await call({ person }))).toBe('E_APPROVAL_INVALID');
    expect([shown.length, committed]).toEqual([5, []]);
  });
});

describe('the state of a question', () => {
  const open = async ({ call }: ReturnType<typeof start>, more: Partial<Caller> = {}) =>
    (await call({ person: client, ...more })).question?.state ?? expect.unreachable();

  it('counts only once', async () => {
    const server = start();
    const round = { state: await open(server), action: 'accept' as const };
    expect(textOf(await server.call({ person: client, round }))).toBe('done');
    expect(textOf(await server.call({ person: client, round }))).toContain('it was used before');
    expect(committed).toHaveLength(1);
  });

  it('counts neither changed, nor elsewhere, nor late', async () => {
    const server = start();
    const [state, other] = [await open(server), await open(start())];
    const [body = '', signature = ''] = state.split('.');
    const forged = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), counts: { rows: 9 } }));
    const tries: [string, Partial<Caller>, string?][] = [
      [`${forged.toString('base64url')}.${signature}`, {}],
      [`${body}.${signature.slice(0, -2)}`, {}],
      [body, {}],
      ['', {}],
      ['{}', {}],
      [`${state}.x`, {}],
      [other, {}],
      [state, { principal: 'someone-else' }],
      [state, {}, 'delete more'],
    ];
    for (const [given, more, what] of tries) {
      const reply = await server.call({ person: client, round: { state: given, action: 'accept' }, ...more }, what);
      expect([given, code(reply)]).toEqual([given, 'E_APPROVAL_INVALID']);
    }
    place = 'elsewhere.internal';
    expect(code(await server.call({ person: client, round: { state, action: 'accept' } }))).toBe('E_APPROVAL_INVALID');
    place = 'db.internal';
    now += 600_001;
    expect(textOf(await server.call({ person: client, round: { state, action: 'accept' } }))).toContain('it has expired');
    expect(committed).toEqual([]);
  });

  it('is a refusal for a client that cancels at once, and a no for one that does so later', async () => {
    const server = start();
    const [first, second] = [await open(server), await open(server)];
    expect(code(await server.call({ person: client, round: { state: first, action: 'cancel' } }))).toBe('E_APPROVAL_NEEDED');
    now += 2_000;
    expect(code(await server.call({ person: client, round: { state: second, action: 'cancel' } }))).toBe('E_DECLINED');
  });
});

describe('calls that wait', () => {
  it('can be taken once, by one of many, for ten minutes, and only their owner can read them', async () => {
    const { call, pending } = start();
    await call();
    const [{ id } = expect.unreachable()] = pending.list();
    const others = Array.from({ length: 5 }, () => new PendingStore(folder.at('state'), () => now));
    expect((await Promise.all(others.map((store) => store.take(id)))).filter(Boolean)).toHaveLength(1);
    expect(pending.list()).toEqual([]);
    await call();
    if (process.platform !== 'win32') expect(statSync(join(folder.at('state'), 'approvals.json')).mode & 0o777).toBe(0o600);
    now += 600_001;
    expect(pending.list()).toEqual([]);
  });

  it('are the last ones, when there are many', async () => {
    const { call, pending } = start();
    for (let i = 0; i < 23; i++) await call({}, `delete ${i}`);
    expect(pending.list().map(({ args }) => args.what)).toEqual(Array.from({ length: 20 }, (_, i) => `delete ${i + 3}`));
  });
});

describe('a client that is asked', () => {
  const never = new AbortController().signal;
  const untilAborted = (limited: AbortSignal) =>
    new Promise((_, reject) => {
      if (limited.aborted) reject(limited.reason);
      limited.addEventListener('abort', () => reject(limited.reason));
    });

  it('has a limited time, and its errors and odd answers are no accept', async () => {
    expect(await askInTime(never, untilAborted, 20)).toBe('silent');
    expect(await askInTime(never, async () => Promise.reject(new Error('method not found')))).toBe('unable');
    expect(await askInTime(AbortSignal.abort(), untilAborted)).toBe('unable');
    const answers = [{ action: 'accept' }, { action: 'decline' }, { action: 'cancel' }, { action: 'ACCEPT' }, {}, null, 'accept'];
    const read = await Promise.all(answers.map((answer) => askInTime(never, async () => answer)));
    expect(read).toEqual(['accept', 'decline', 'cancel', 'cancel', 'cancel', 'cancel', 'cancel']);
  });
});
