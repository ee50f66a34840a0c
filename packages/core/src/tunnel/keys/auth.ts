import type { AnyAuthMethod } from 'ssh2';
import type { Failure } from '../../failure.ts';
import { type TunnelCode, tunnelFailure } from '../failures.ts';
import { cleanServerText } from '../library/server-text.ts';
import type { Hop } from '../route.ts';
import type { AuthName, Credential, Credentials } from './credentials.ts';

/** The number of the server's questions shown in texts. */
const maxQuestions = 3;
const maxQuestionLength = 80;

/** What ssh2 calls for the next attempt: the server's list and its partial consent, both null before the first one. */
type AuthHandler = (offered: readonly string[] | null, partial: boolean | null) => AnyAuthMethod | false;

export interface Auth {
  handler: AuthHandler;
  /** The failure after the server refused everything (or hung up, with these words). */
  refused(words?: string): Failure;
}

/**
 * Tries the credentials in order, as far as the server takes their method. It does not ask for the list first, which saves
 * a round trip, and it does not offer a password a second time in another wrapping: that counts as a second wrong one.
 */
export function createAuth(hop: Hop, credentials: Credentials): Auth {
  const waiting: Credential[] = [...credentials.candidates];
  const tried: string[] = [];
  let offered: readonly string[] | undefined;
  let wantsPerson = false;
  let last: AuthName | undefined;

  const attempt = (credential: Credential): AnyAuthMethod => {
    last = credential.method;
    return credential.attempt;
  };

  return {
    handler(list, partial) {
      offered = list ?? offered;
      if (last === 'password' && partial !== true && offered?.includes('password')) remove(waiting, 'keyboard-interactive');
      const index = waiting.findIndex(({ method }) => offered === undefined || offered.includes(method));
      const next = waiting[index];
      if (next !== undefined) {
        waiting.splice(index, 1);
        tried.push(next.label);
        return attempt(next);
      }
      wantsPerson ||= isLeftToPerson(list, partial === true || last === 'none', tried);
      // After an agent, ssh2 does not report the list; the extra request is cheap, and its answer helps a person.
      if (offered === undefined && last !== 'none') {
        return attempt({ method: 'none', label: '', attempt: { type: 'none', username: hop.user } });
      }
      return false;
    },
    refused(words) {
      const said = words === undefined ? '' : ` (it says: "${cleanServerText(words)}")`;
      const offer = offered === undefined ? '' : `; it accepts ${offered.map(cleanServerText).join(', ') || 'nothing more'}`;
      const notes = credentials.notes.length === 0 ? '' : `; ${credentials.notes.map(cleanServerText).join('; ')}`;
      const what = tried.length === 0 ? 'no method that it accepts is configured' : `tried ${tried.join(', ')}`;
      const questions = formatQuestions(credentials.questions);
      const code: TunnelCode = questions !== '' || wantsPerson ? 'E_SSH_MFA_REQUIRED' : 'E_SSH_AUTH_FAILED';
      const text = `the SSH server refuses ${hop.label}${said}: ${what}${offer}${questions}${notes}`;
      return tunnelFailure(code, text, { detail: { refusedRsa: tried.some((one) => one.includes('ssh-rsa ')) } });
    },
  };
}

function formatQuestions(questions: readonly string[]): string {
  if (questions.length === 0) return '';
  const asked = questions.slice(0, maxQuestions).map((one) => JSON.stringify(cleanServerText(one).slice(0, maxQuestionLength)));
  return `; it asked ${asked.join(', ')}, which needs a person`;
}

/** A key was accepted and is not enough, and what is missing is the answer to questions: a code, as a rule. */
function isLeftToPerson(list: readonly string[] | null, isRest: boolean, tried: readonly string[]): boolean {
  return isRest && tried.length > 0 && list?.length === 1 && list[0] === 'keyboard-interactive';
}

function remove(waiting: Credential[], method: AuthName): void {
  const index = waiting.findIndex((credential) => credential.method === method);
  if (index >= 0) waiting.splice(index, 1);
}
