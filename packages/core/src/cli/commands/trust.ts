import type { BaseConnection } from '../../connection.ts';
import { Failure, type FailureDetail } from '../../failure.ts';
import { changeFile } from '../../files/change-file.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { acceptedKeysPathFor } from '../../registry/sources/paths.ts';
import { formatVisible } from '../../text.ts';
import { fingerprint } from '../../tunnel/keys/known-hosts.ts';
import { openTunnel } from '../../tunnel/open-tunnel.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { askPerson, isYes } from '../terminal/confirm.ts';

/**
 * Connects through the SSH servers of a connection and asks a person about every key that has not been accepted yet. A server shows
 * its key only after the login to the one before it, so this starts over after each answer. A changed key is an error here, too.
 */
export async function trust<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, words } = call;
  const [name, ...expected] = words;
  const odd = expected.find((one) => !/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(one));
  if (odd !== undefined) {
    throw new Failure('input', `${JSON.stringify(odd.slice(0, 60))} is not a fingerprint: expected SHA256: and 43 characters`, {
      hint: 'Run `ssh-keygen -lf FILE` on the server to see it.',
    });
  }
  const { config } = await call.app.registry.resolve(name);
  if (config.ssh === undefined) {
    throw new Failure('input', `the connection "${config.name}" has no "ssh", so there is no host key to accept`);
  }
  const acceptedKeysFile = acceptedKeysPathFor(findStorePath(definition.program.app, terminal));
  const context = { env: terminal.env, home: terminal.home, log: () => undefined, acceptedKeysFile };
  for (;;) {
    const unknown = await findUnknown(() => openTunnel({ ...context, route: config.ssh ?? '' }));
    if (unknown === undefined) {
      terminal.print(`All SSH servers for "${config.name}" are trusted and the login works.`);
      return exitCodes.ok;
    }
    if (!(await isAccepted(unknown, { terminal, expected }))) {
      terminal.print('Not accepted.');
      return exitCodes.failed;
    }
    await remember(acceptedKeysFile, unknown);
    terminal.print(`Accepted; it is kept in ${acceptedKeysFile}.`);
  }
}

async function findUnknown(open: () => ReturnType<typeof openTunnel>): Promise<UnknownKey | undefined> {
  try {
    const tunnel = await open();
    await tunnel.close();
    return undefined;
  } catch (error) {
    const unknown = error instanceof Failure ? error.detail.unknownKey : undefined;
    if (unknown === undefined) throw error;
    return unknown;
  }
}

type UnknownKey = NonNullable<FailureDetail['unknownKey']>;

interface Asking {
  terminal: CommandCall<BaseConnection, Backend>['terminal'];
  /** Fingerprints that the person gave beforehand: then they decide alone. */
  expected: readonly string[];
}

async function isAccepted({ name, type, key }: UnknownKey, { terminal, expected }: Asking): Promise<boolean> {
  const shown = fingerprint(key);
  terminal.print(`${formatVisible(name)} shows the ${formatVisible(type)} key\n  ${shown}`);
  if (expected.length > 0) return isExpected(shown, { name, expected });
  const answer = await askPerson(terminal, {
    question: 'Compare it with one from a trusted source. Accept this key? [write yes in full]',
    instead: 'pass the fingerprint that you expect: trust CONNECTION SHA256:…',
  });
  if (isYes(answer) && answer !== 'yes') terminal.print('To accept it, write yes in full.');
  return answer === 'yes' || answer === shown;
}

/** Another key than the one that a person expects is what an attacker in between would show. */
function isExpected(shown: string, { name, expected }: { name: string; expected: readonly string[] }): boolean {
  if (expected.some((one) => one.replace(/(?<!=)=+$/, '') === shown)) return true;
  throw new Failure('refused', `${name} shows the key ${shown}, expected ${expected.join(' or ')}`, {
    code: 'E_SSH_HOST_KEY_MISMATCH',
    hint: 'Check the fingerprint with the owner of the server. If the expected one is right, something may be intercepting the connection.',
  });
}

async function remember(path: string, { name, type, key }: UnknownKey): Promise<void> {
  const line = `${name} ${type} ${key.toString('base64')}\n`;
  await changeFile({
    path,
    edit: (image) => {
      const before = image?.bytes.toString('utf8') ?? '';
      return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}`;
    },
  });
}
