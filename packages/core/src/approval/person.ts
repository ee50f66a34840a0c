/** What a person did with a question. */
export type PersonAction =
  | 'accept'
  | 'decline'
  | 'cancel'
  /** There was no answer in time. */
  | 'silent'
  /** The question could not be shown. */
  | 'unable';

/** What a person did, with what they want the caller to read. */
export interface PersonAnswer {
  readonly action: PersonAction;
  /** Why they declined. */
  readonly reason?: string | undefined;
}

/** Where a person answered: in the client, in a terminal, on the page, or through the callback of a program that uses the library. */
export type PersonPlace = 'client' | 'terminal' | 'page' | 'callback';

/** What the answer of a confirmed call says. */
export const confirmations: Readonly<Record<PersonPlace, string>> = {
  client: 'Confirmed by the user in the client.',
  terminal: 'Confirmed by the user in a terminal.',
  page: 'Confirmed by the user on the page.',
  callback: 'Confirmed by the user of the program.',
};

/** How a question reaches the person behind a caller. */
export interface Person {
  readonly place: PersonPlace;
  /** Asks and waits. Left out where the answer comes with a second call, which brings the state of the question. */
  ask?(question: string, signal: AbortSignal): Promise<PersonAction | PersonAnswer>;
  /** The call is made to be confirmed, so it is asked even where no policy wants that. */
  mustConfirm?: true;
}

/** The answer to a question of an earlier round of the same call. */
export interface Round extends PersonAnswer {
  /** What came with the question, and was sent back. */
  readonly state: string;
}

/** How long a question can be answered. */
export const questionMs = 600_000;
