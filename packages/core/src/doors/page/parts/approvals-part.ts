import * as z from 'zod';
import type { ToolReply } from '../../../answer/respond.ts';
import type { Approvals } from '../../../approval/approvals.ts';
import type { PendingCall } from '../../../approval/pending-store.ts';
import { type Person, questionMs } from '../../../approval/person.ts';
import { Failure } from '../../../failure.ts';
import { defineAction, type PageContext, type PagePart } from '../../../program/page/page-part.ts';
import { formatVisible } from '../../../text.ts';
import { PageQuestions } from './page-questions.ts';

/** Other processes of the user add to the file of calls that wait, in milliseconds. */
const pollMs = 1_000;
const maxReasonLength = 500;

/** The person reads the question here, and the answer comes with another request. */
const person: Person = { place: 'page', mustConfirm: true };

/** What the page says of a call that waits in the file. */
function describePending({ id, tool, args, summary, cwd, expiresAt }: PendingCall, here: string) {
  const { connection } = args;
  return {
    id,
    tool,
    connection: typeof connection === 'string' ? formatVisible(connection) : '',
    summary: formatVisible(summary),
    at: expiresAt - questionMs,
    expiresAt,
    /** Where it has to be confirmed, if that is not here: its connections depend on the folder. */
    elsewhere: cwd === here ? '' : formatVisible(cwd),
  };
}

/** The changes that wait for the person: those of calls that are held, and those that were refused until someone confirms them. */
export class ApprovalDesk {
  readonly #approvals: Approvals;
  readonly #questions = new PageQuestions();
  /** Calls of the file that were measured here, with the state of their question. */
  readonly #measured = new Map<string, { pending: PendingCall; state: string }>();

  /** Those of them that are no longer in the file. */
  readonly #taken = new Set<string>();

  constructor(approvals: Approvals) {
    this.#approvals = approvals;
    approvals.askElsewhere = this.#questions.findPerson;
  }

  get part(): PagePart {
    return {
      id: 'approvals',
      actions: {
        answer: defineAction({
          input: () =>
            z.strictObject({ id: z.string(), isApproved: z.boolean(), reason: z.string().max(maxReasonLength).optional() }),
          run: async ({ id, isApproved, reason }) => ({
            isOpen: this.#questions.answer(id, { action: isApproved ? 'accept' : 'decline', reason }),
          }),
        }),
        measure: defineAction({
          input: () => z.strictObject({ id: z.string() }),
          run: ({ id }, context) => this.#measure(id, context),
        }),
        decide: defineAction({
          input: () => z.strictObject({ id: z.string(), isApproved: z.boolean() }),
          run: ({ id, isApproved }, context) => this.#decide(id, isApproved, context),
        }),
      },
      watch: (send) => this.#watch(send),
    };
  }

  #watch(send: (event: object) => void): () => void {
    let last = '';
    const update = () => {
      const state = this.#describe();
      const text = JSON.stringify(state);
      if (text !== last) send(state);
      last = text;
    };
    const timer = setInterval(update, pollMs);
    timer.unref();
    const stop = this.#questions.watch(update);
    update();
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  #describe(): object {
    const { pending, cwd } = this.#approvals;
    const stored = (pending?.list() ?? []).map((one) => describePending(one, cwd));
    return { waiting: this.#questions.waiting, stored, settled: this.#questions.settled };
  }

  /** The call is made again, as its own client would: it is measured now, and the question says how it is now. */
  async #measure(id: string, { call }: PageContext): Promise<object> {
    const pending = this.#approvals.pending?.list().find((one) => one.id === id);
    if (pending === undefined) throw gone();
    return this.#keep(pending, await call(pending.tool, pending.args, { person }));
  }

  async #decide(id: string, isApproved: boolean, { call }: PageContext): Promise<object> {
    const measured = this.#measured.get(id);
    this.#measured.delete(id);
    if (isApproved && measured === undefined) throw gone();
    // The first of several pages and terminals decides. What is asked again after the counts have changed was taken already.
    if (!this.#taken.delete(id) && !(await this.#approvals.pending?.take(id))) throw gone();
    if (!isApproved || measured === undefined) return { text: 'Declined. Nothing was changed.', isError: false };
    const { pending, state } = measured;
    const kept = this.#keep(pending, await call(pending.tool, pending.args, { person, round: { state, action: 'accept' } }));
    if (this.#measured.has(id)) this.#taken.add(id);
    return kept;
  }

  /** A question after an accept says that the counts have changed. */
  #keep(pending: PendingCall, { question, content, isError = false }: ToolReply): object {
    if (question === undefined) return { text: content.map((one) => one.text).join('\n'), isError };
    this.#forgetExpired();
    this.#measured.set(pending.id, { pending, state: question.state });
    return { question: question.message };
  }

  #forgetExpired(): void {
    for (const [id, { pending }] of this.#measured) {
      if (pending.expiresAt > Date.now()) continue;
      this.#measured.delete(id);
      this.#taken.delete(id);
    }
  }
}

function gone(): Failure {
  return new Failure('unknown', 'this change does not wait any more', {
    hint: 'It has expired, or was decided already. Let the call be made again.',
  });
}
