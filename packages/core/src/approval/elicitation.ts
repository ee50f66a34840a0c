import { withDeadline } from '../abort.ts';
import { Failure } from '../failure.ts';
import { isFields } from '../registry/tree.ts';
import { type PersonAction, questionMs } from './person.ts';

/** The key of our question among those of one result. */
export const questionKey = 'confirm';

/** The question in the form of the protocol. There is nothing to fill in: accepting it is the answer. */
export function toElicitation(message: string) {
  return { message, requestedSchema: { type: 'object' as const, properties: {} } };
}

/** Whether a client with these capabilities can show a question. An empty object means forms. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isFields(capabilities) ? capabilities.elicitation : undefined;
  return isFields(elicitation) && (isFields(elicitation.form) || elicitation.url === undefined);
}

/** What the client answered. Any other answer counts as a closed question. */
export function readAction(result: unknown): PersonAction {
  const action = isFields(result) ? result.action : undefined;
  return action === 'accept' || action === 'decline' ? action : 'cancel';
}

/** Asks, and waits for the answer as long as it counts. */
export async function askInTime(
  signal: AbortSignal,
  send: (limited: AbortSignal) => Promise<unknown>,
  limitMs = questionMs,
): Promise<PersonAction> {
  let isLate = false;
  const onTimeout = () => {
    isLate = true;
    return new Failure('timeout', 'the user did not answer in time');
  };
  try {
    return readAction(await withDeadline({ signals: [signal], ms: limitMs, onTimeout }, send));
  } catch {
    return isLate ? 'silent' : 'unable';
  }
}
