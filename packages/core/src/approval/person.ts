/** What a person did with a question. */
export type PersonAction =
  | 'accept'
  | 'decline'
  | 'cancel'
  /** There was no answer in time. */
  | 'silent'
  /** The question could not be shown. */
  | 'unable';

/** Where a person answered: in the client, in a terminal, or through the callback of a program that uses the library. */
export type PersonPlace = 'client' | 'terminal' | 'callback';

/** What the answer of a confirmed call says. */
export const confirmations: Readonly<Record<PersonPlace, string>> = {
  client: 'Confirmed by the user in the client.',
  terminal: 'Confirmed by the user in a terminal.',
  callback: 'Confirmed by the user of the program.',
};

/** How a question reaches the person behind a caller. */
export interface Person {
  readonly place: PersonPlace;
  /** Asks and waits. Left out where the answer comes with a second call, which brings the state of the question. */
  ask?(question: string, signal: AbortSignal): Promise<PersonAction>;
  /** The call is made to be confirmed, so it is asked even where no policy wants that. */
  mustConfirm?: true;
}

/** The answer to a question of an earlier round of the same call. */
export interface Round {
  /** What came with the question, and was sent back. */
  readonly state: string;
  readonly action: PersonAction;
}

/** How long a question can be answered. */
export const questionMs = 600_000;
