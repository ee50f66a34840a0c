import { beforeEach, describe, expect, it } from 'vitest';
import { respond, type ToolReply } from '../../../answer/respond.ts';
import { Approvals } from '../../../approval/approvals.ts';
import { PendingStore } from '../../../approval/pending-store.ts';
import type { PageContext } from '../../../program/page/page-part.ts';
import { useTempFolder } from '../../../testing/use-temp-folder.ts';
import { ApprovalDesk } from './approvals-part.ts';

const folder = useTempFolder();
let pending: PendingStore;
let desk: ApprovalDesk;
let calls: Parameters<PageContext['call']>[];
/** What the tool answers, one after another. */
let replies: ToolReply[];

beforeEach(() => {
  pending = new PendingStore(folder.path);
  desk = new ApprovalDesk(new Approvals({ command: 'x approve', cwd: '/here', pending }));
  calls = [];
  replies = [];
});

const question = (message: string, state: string) => respond.question({ message, state });

/** Asks the desk as the page does. */
async function act(action: string, input: object): Promise<unknown> {
  const call: PageContext['call'] = async (...given) => {
    calls.push(given);
    const reply = replies.shift();
    if (reply === undefined) throw new Error('the tool was called once too often');
    return reply;
  };
  return await desk.part.actions?.[action]?.run(input, { signal: new AbortController().signal, call });
}

const store = (more: object = {}) =>
  pending.add({
    tool: 'execute',
    args: { connection: 'shop', statement: 'delete from t' },
    cwd: '/here',
    summary: 'DELETE t',
    ...more,
  });

describe('changes that wait in the file', () => {
  it('are measured, and then made with the state of that question', async () => {
    const { id, tool, args } = await store();
    replies = [question('Commit 3 rows?', 'three'), respond.text('DELETE changed 3 rows.')];
    expect(await act('measure', { id })).toEqual({ question: 'Commit 3 rows?' });
    expect(await act('decide', { id, isApproved: true })).toEqual({ text: 'DELETE changed 3 rows.', isError: false });
    const person = { place: 'page', mustConfirm: true };
    expect(calls).toEqual([
      [tool, args, { person }],
      [tool, args, { person, round: { state: 'three', action: 'accept' } }],
    ]);
    await expect(act('decide', { id, isApproved: true })).rejects.toThrow('this change does not wait any more');
    expect(pending.list()).toEqual([]);
  });

  it('are asked again where the counts have changed, and made for the new ones only', async () => {
    const { id } = await store();
    replies = [question('Commit 3 rows?', 'three'), question('Commit 4 rows?', 'four'), respond.text('done')];
    await act('measure', { id });
    expect(await act('decide', { id, isApproved: true })).toEqual({ question: 'Commit 4 rows?' });
    expect(await act('decide', { id, isApproved: true })).toEqual({ text: 'done', isError: false });
    expect(calls.at(-1)?.[2]?.round).toEqual({ state: 'four', action: 'accept' });
  });

  it('are never made without having been measured, nor after another page or a terminal took them', async () => {
    const { id } = await store();
    await expect(act('decide', { id, isApproved: true })).rejects.toThrow('does not wait');
    replies = [question('Commit?', 'state')];
    await act('measure', { id });
    expect(await pending.take(id)).toBe(true);
    await expect(act('decide', { id, isApproved: true })).rejects.toThrow('does not wait');
    await expect(act('measure', { id })).rejects.toThrow('does not wait');
    expect(calls).toHaveLength(1);
  });

  it('are declined without a call', async () => {
    const { id } = await store();
    expect(await act('decide', { id, isApproved: false })).toEqual({ text: 'Declined. Nothing was changed.', isError: false });
    expect(pending.list()).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('are shown to an open page, and refuse an input of another form', async () => {
    await store({ cwd: '/elsewhere', summary: 'DELETE \u202et' });
    const events: object[] = [];
    const stop = desk.part.watch?.((event) => events.push(event));
    stop?.();
    const stored = [{ tool: 'execute', connection: 'shop', summary: 'DELETE ⟦U+202E⟧t', elsewhere: '/elsewhere' }];
    expect(events).toMatchObject([{ waiting: [], stored, settled: [] }]);
    await expect(act('decide', { id: 7 })).rejects.toThrow('invalid input of the page');
    expect(await act('answer', { id: 'unknown', isApproved: true })).toEqual({ isOpen: false });
  });
});
