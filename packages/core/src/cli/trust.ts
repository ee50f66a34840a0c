import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { changeFile } from '../files/change-file.ts';
import type { Backend } from '../manager/backend.ts';
import { storePathOf } from '../program/app.ts';
import { acceptedKeysPathFor } from '../registry/paths.ts';
import { formatVisible } from '../text.ts';
import { type UnknownKey, unknownKeyOf } from '../tunnel/host-keys.ts';
import { fingerprint } from '../tunnel/known-hosts.ts';
import { openTunnel } from '../tunnel/open-tunnel.ts';
import type { CommandCall } from './command.ts';
import { askPerson } from './confirm.ts';
import { exitCodes } from './exit-codes.ts';

/**
 * Goes the way of a connection and asks a person about every server on it whose key nobody has accepted yet. Further servers
 * show theirs only when those before them let us pass, so it begins anew after each answer. A changed key is an error here too.
 */
export async function trust<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { leaf, terminal, words } = call;
  const [name, ...expected] = words;
  const odd = expected.find((one) => !/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(one));
  if (odd !== undefined) {
    throw new Failure('input', `${JSON.stringify(odd.slice(0, 60))} is no fingerprint`, {
      hint: 'One looks like SHA256:… (43 characters); `ssh-keygen -lf FILE` shows it.',
    });
  }
  const { config } = await call.app.registry.resolve(name);
  if (config.ssh === undefined) {
    throw new Failure('input', `the connection "${config.name}" has no "ssh", so there is no host key to accept`);
  }
  const acceptedKeysFile = acceptedKeysPathFor(storePathOf(leaf.app, terminal));
  const context = { env: terminal.env, home: terminal.home, log: () => undefined, acceptedKeysFile };
  for (;;) {
    const unknown = await findUnknown(() => openTunnel({ ...context, route: config.ssh ?? '' }));
    if (unknown === undefined) {
      terminal.print(`Every SSH server on the way of "${config.name}" is accepted, and lets us pass.`);
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
    const unknown = error instanceof Failure ? unknownKeyOf(error) : undefined;
    if (unknown === undefined) throw error;
    return unknown;
  }
}

interface Asking {
  terminal: CommandCall<BaseConnection, Backend>['terminal'];
  /** Fingerprints that the person gave beforehand: then they decide alone. */
  expected: readonly string[];
}

async function isAccepted({ name, type, key }: UnknownKey, { terminal, expected }: Asking): Promise<boolean> {
  const shown = fingerprint(key);
  terminal.print(`${formatVisible(name)} shows the ${formatVisible(type)} key\n  ${shown}`);
  if (expected.length > 0) return expected.some((one) => one.replace(/(?<!=)=+$/, '') === shown);
  const answer = await askPerson(terminal, {
    question: 'Compare it with one from a trusted source. Accept this key? [yes/N]',
    instead: 'write trust CONNECTION SHA256:… with the fingerprint that you expect',
  });
  return answer === 'yes' || answer === shown;
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
