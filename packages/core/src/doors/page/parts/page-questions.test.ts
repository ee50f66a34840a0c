import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PersonAction, PersonAnswer } from '../../../approval/person.ts';
import { PageQuestions } from './page-questions.ts';

let questions: PageQuestions;
let close: () => void;
let told: number;

beforeEach(() => {
  vi.useFakeTimers();
  questions = new PageQuestions();
  told = 0;
  close = questions.watch(() => {
    told += 1;
  });
});
afterEach(() => vi.useRealTimers());

/** A call whose client cannot ask. */
const call = (more: object = {}) => ({ tool: 'execute', args: {}, client: 'agent\u001b[31m\n2', keepAlive: undefined, ...more });

/** Asks as a call does, on the page that is open. */
function ask(more: object = {}, signal = new AbortController().signal): Promise<PersonAction | PersonAnswer> {
  const person = questions.findPerson(call(more));
  if (person?.ask === undefined) throw new Error('no person is at the page');
  return person.ask('Commit this?', signal);
}

const only = () => {
  const [question] = questions.waiting;
  if (question === undefined) throw new Error('no question waits');
  return question;
};

describe('the questions of the page', () => {
  it('are answered once, with the reason of a refusal', async () => {
    const answer = ask();
    const { id, client, message, expiresAt, at } = only();
    expect({ client, message, ms: expiresAt - at }).toEqual({
      client: 'agent⟦U+001B⟧[31m 2',
      message: 'Commit this?',
      ms: 50_000,
    });
    expect(questions.answer(id, { action: 'decline', reason: 'not today' })).toBe(true);
    expect(await answer).toEqual({ action: 'decline', reason: 'not today' });
    expect(questions.answer(id, { action: 'accept' })).toBe(false);
    expect(questions.waiting).toEqual([]);
    expect(questions.settled).toMatchObject([{ id, outcome: 'declined' }]);
    expect(told).toBe(2);
  });

  it('are left to the file before a silent client gives up, and expire where the client hears of them', async () => {
    const silent = ask();
    const stop = vi.fn();
    const patient = ask({ keepAlive: () => ({ stop }) });
    vi.advanceTimersByTime(50_000);
    expect(await silent).toEqual({ action: 'unable' });
    expect(questions.waiting).toHaveLength(1);
    vi.advanceTimersByTime(550_000);
    expect(await patient).toEqual({ action: 'silent' });
    expect(stop).toHaveBeenCalledOnce();
    expect(questions.settled.map(({ outcome }) => outcome)).toEqual(['expired', 'left']);
  });

  it('are withdrawn when the call is cancelled, also before it is asked', async () => {
    const stop = new AbortController();
    const answer = ask({}, stop.signal);
    stop.abort();
    expect(await answer).toEqual({ action: 'unable' });
    expect(await ask({}, AbortSignal.abort())).toEqual({ action: 'unable' });
    expect(questions.settled.map(({ outcome }) => outcome)).toEqual(['withdrawn', 'withdrawn']);
  });

  it('outlive a page that is loaded again, and are left when the last one has gone', async () => {
    const answer = ask();
    close();
    close = questions.watch(() => undefined);
    vi.advanceTimersByTime(3_000);
    expect(questions.waiting).toHaveLength(1);
    close();
    vi.advanceTimersByTime(3_000);
    expect(await answer).toEqual({ action: 'unable' });
    expect(questions.findPerson(call())).toBeUndefined();
  });

  it('are no more than fifty', () => {
    for (let count = 0; count < 50; count += 1) void ask();
    expect(questions.findPerson(call())).toBeUndefined();
    for (const { id } of questions.waiting) questions.answer(id, { action: 'accept' });
    expect(questions.settled).toHaveLength(20);
    expect(questions.findPerson(call())).toBeDefined();
  });
});
