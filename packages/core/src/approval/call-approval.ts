import type { OpenQuestion } from '../answer/respond.ts';
import { askUser, Failure, failureWith, joinHints } from '../failure.ts';
import { redact } from '../redact/redact.ts';
import { cutVisible, formatVisibleReply } from '../text.ts';
import type { Approval, Approvals, Change } from './approvals.ts';
import type { Person, PersonPlace, Round } from './person.ts';
import type { QuestionState } from './request-state.ts';

/** A dialog that is closed sooner was not read by a person: the client cannot show it, or answers by itself. */
const minReadingMs = 1_000;
/** A change whose counts differ each time is not going to be confirmed. */
const maxRounds = 5;
const maxReasonLength = 500;

/** Thrown by a handler: the round ends with a question. */
export class QuestionOpen extends Error {
  readonly question: OpenQuestion;

  constructor(question: OpenQuestion) {
    super('a person is asked');
    this.question = question;
  }
}

interface CallFacts {
  approvals: Approvals | undefined;
  tool: string;
  args: unknown;
  /** Who calls, where several may. */
  principal: string | undefined;
  person: Person | undefined;
  round: Round | undefined;
}

/** The confirmation of one round of a call. */
export class CallApproval implements Approval {
  readonly #facts: CallFacts;
  #accepted: Promise<QuestionState> | undefined;
  /** Where a person confirmed the call; undefined until one did. */
  confirmedBy: PersonPlace | undefined;

  constructor(facts: CallFacts) {
    this.#facts = facts;
  }

  get mustConfirm(): boolean {
    return this.#facts.person?.mustConfirm === true;
  }

  get isAnswered(): boolean {
    const { round, person } = this.#facts;
    // A client that cannot ask has no answer, whatever it sends.
    return round !== undefined && person !== undefined;
  }

  /** A state counts once, and a call may ask for it twice: its backend may have been dead. */
  accept(binding: unknown): Promise<QuestionState> {
    this.#accepted ??= this.#take(binding);
    return this.#accepted;
  }

  async ask(change: Change): Promise<never> {
    const { approvals, person } = this.#facts;
    if (approvals === undefined || person === undefined) return await this.#refuse(change);
    const round = ((await this.#accepted)?.round ?? 0) + 1;
    if (round > maxRounds) throw changingFailure();
    const { counts, summary, message, refusal } = change;
    const why = { code: refusal.code, text: refusal.message };
    const state = approvals.states.mint({ counts, summary, round, why }, this.#bind(change.binding));
    throw new QuestionOpen({ message: formatVisibleReply(redact(message)), state });
  }

  async #take(binding: unknown): Promise<QuestionState> {
    const { approvals, person, round } = this.#facts;
    if (approvals === undefined || person === undefined || round === undefined) throw new Error('there is no answer');
    const state = approvals.states.take(round.state, this.#bind(binding));
    const { action } = round;
    const isUnread = action === 'cancel' && approvals.states.now() - state.askedAt < minReadingMs;
    if (action === 'unable' || isUnread) return await this.#refuse(this.#toChange(state, binding));
    if (action !== 'accept') throw declinedFailure(action, round.reason);
    this.confirmedBy = person.place;
    return state;
  }

  #toChange({ counts, summary, why }: QuestionState, binding: unknown): Change {
    const refusal = new Failure('refused', why.text, { code: why.code });
    return { binding, counts, summary, message: summary, refusal };
  }

  /** Keeps the call for a person who confirms it in a terminal, where there is one. */
  async #refuse({ counts, summary, refusal }: Change): Promise<never> {
    const { approvals, tool, args } = this.#facts;
    const reason = describeUnasked(this.#facts.person);
    const message = `${refusal.message}, and ${reason}. Nothing was changed: ${summary}`;
    // A program that uses the library has no command, and its user no terminal.
    if (approvals?.pending === undefined)
      throw failureWith(refusal, { message, hint: joinHints(refusal.next, 'Only a person can confirm it.') });
    // The protocol gives an object, and the tool has parsed it.
    const { id } = await approvals.pending.add({
      tool,
      args: args as Record<string, unknown>,
      cwd: approvals.cwd,
      summary,
      counts,
    });
    const hint = askUser(`run \`${approvals.command} ${id}\` in a terminal within 10 minutes, which shows it and runs it there`);
    throw failureWith(refusal, { message, hint: joinHints(refusal.next, hint) });
  }

  #bind(binding: unknown): unknown {
    const { tool, args, principal } = this.#facts;
    return { tool, args, principal, binding };
  }
}

const declined: Record<'decline' | 'cancel' | 'silent', string> = {
  decline: 'the user declined',
  cancel: 'the user closed the question without an answer',
  silent: 'the user did not answer within 10 minutes',
};

function describeUnasked(person: Person | undefined): string {
  if (person === undefined) return 'this client cannot ask the user';
  return person.place === 'page' ? 'the user has not decided on the page yet' : 'this client closed the question unread';
}

/** The reason is a text of the person, for the caller. */
function declinedFailure(action: 'decline' | 'cancel' | 'silent', reason = ''): Failure {
  const given = cutVisible(reason.replaceAll(/\s+/g, ' ').trim(), maxReasonLength);
  const why = given === '' ? '' : `: ${JSON.stringify(given)}`;
  const next = given === '' ? 'Ask the user what to do instead.' : 'Do what the user wants instead, or ask.';
  return new Failure('refused', `${declined[action]}${why}; nothing was changed`, {
    code: 'E_DECLINED',
    hint: `Do not repeat the call. ${next}`,
  });
}

function changingFailure(): Failure {
  return new Failure('refused', `the counts were different each time, after ${maxRounds} confirmations; nothing was changed`, {
    code: 'E_APPROVAL_INVALID',
    hint: 'Limit the statement to rows that others do not change, such as a list of keys.',
  });
}
