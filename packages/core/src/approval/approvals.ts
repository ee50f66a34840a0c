import type { Failure } from '../failure.ts';
import type { PendingStore } from './pending-store.ts';
import type { Person, PersonPlace } from './person.ts';
import type { Counts, QuestionState } from './request-state.ts';
import { RequestStates } from './request-state.ts';

/** What a person is asked to confirm. */
export interface Change {
  /** What the confirmation holds for, beside the tool and its arguments: where the connection leads, for example. */
  readonly binding: unknown;
  /** What has to be the same when it is done; undefined where it could not be measured. */
  readonly counts: Counts;
  /** The change in a few words, without any data of the server: callers of tools read it as well. */
  readonly summary: string;
  /** All that the person sees. */
  readonly message: string;
  /** What a caller reads whose person cannot be asked: why a confirmation is needed. The way to get one is added. */
  readonly refusal: Failure;
}

/** How one call gets the confirmation of a person. No argument of the call takes part in it. */
export interface Approval {
  /** A person wants to be asked, whatever the policy. */
  readonly mustConfirm: boolean;
  /** Where a person has confirmed the call. */
  readonly confirmedBy: PersonPlace | undefined;
  /** This round of the call brings an answer. */
  readonly isAnswered: boolean;
  /** What the person confirmed. Throws where that is not so, or for another change. */
  accept(binding: unknown): Promise<QuestionState>;
  /** Ends this round: throws the question, or the refusal where it cannot be asked. */
  ask(change: Change): Promise<never>;
}

/** A call whose client cannot ask its user. */
export interface UnaskedCall {
  readonly tool: string;
  readonly args: unknown;
  /** What the client says it is called. */
  readonly client: string | undefined;
  /** Tells the client that the call is not over; undefined where it does not want to hear that. */
  readonly keepAlive: (() => { stop(): void }) | undefined;
}

interface ApprovalsOptions {
  command: string;
  cwd: string;
  pending: PendingStore | undefined;
  now?: () => number;
}

/** What the calls of one process share. */
export class Approvals {
  readonly states: RequestStates;
  readonly pending: PendingStore | undefined;
  /** The command that confirms what waits, such as `dbmole-mcp approve`. */
  readonly command: string;
  readonly cwd: string;
  /** A person who can be asked elsewhere than in the client; undefined if there is no such person. */
  askElsewhere: ((call: UnaskedCall) => Person | undefined) | undefined;

  constructor({ command, cwd, pending, now }: ApprovalsOptions) {
    this.states = new RequestStates(now);
    this.pending = pending;
    this.command = command;
    this.cwd = cwd;
  }
}
