import { type SecretContext, secretFailure } from './secret-context.ts';
import { readFromProgram } from './secret-program.ts';

export interface KeychainItem {
  service: string;
  account: string;
}

interface KeychainProgram {
  argv: readonly string[];
  /** How a person puts the secret there; it asks for the secret itself. */
  store: string;
  /** How a person gets the program. */
  install: string;
}

/** Reads the system's keychain through the program that comes with it, so that the system decides who may read what. */
export async function readKeychain(item: KeychainItem, context: SecretContext): Promise<string> {
  const program = programFor(item, context.platform ?? process.platform);
  const other = 'use {"command": […]} with the program of your password manager, or {"file": …} or {"env": …}';
  if (program === undefined) {
    throw secretFailure(context, 'refers to a keychain, and this system has no program that reads its own', {
      code: 'E_SECRET_KEYCHAIN',
      hint: `Here, ${other}.`,
    });
  }
  const reading = await readFromProgram(program.argv, context);
  if ('secret' in reading) return reading.secret;
  const [name = ''] = program.argv;
  const { service, account } = item;
  const place = `service ${JSON.stringify(service)}, account ${JSON.stringify(account)}`;
  throw secretFailure(context, `refers to the keychain (${place}), and ${name}, which reads it, ${reading.problem}`, {
    code: 'E_SECRET_KEYCHAIN',
    hint: reading.started
      ? `Unlock the keychain; if the secret is not in it, run: ${program.store}`
      : `${program.install}, or ${other}.`,
  });
}

function programFor({ service, account }: KeychainItem, platform: NodeJS.Platform): KeychainProgram | undefined {
  if (platform === 'win32') return undefined;
  const [s, a] = [JSON.stringify(service), JSON.stringify(account)];
  if (platform === 'darwin') {
    return {
      argv: ['security', 'find-generic-password', '-s', service, '-a', account, '-w'],
      store: `security add-generic-password -s ${s} -a ${a} -w`,
      install: 'Add /usr/bin to PATH: the program is a part of macOS',
    };
  }
  return {
    argv: ['secret-tool', 'lookup', 'service', service, 'account', account],
    store: `secret-tool store --label=${s} service ${s} account ${a}`,
    install: 'Install secret-tool (in the package libsecret-tools, or libsecret)',
  };
}
