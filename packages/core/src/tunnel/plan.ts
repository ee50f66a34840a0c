import { existsSync, readFileSync } from 'node:fs';
import type { SshHop, SshRoute } from '../connection.ts';
import { tunnelFailure } from './failures.ts';
import { knownHostName } from './keys/known-hosts.ts';
import { defaultKnownHostsFiles, readKnownHosts } from './keys/known-hosts-files.ts';
import { isKeyText } from './keys/private-key.ts';
import { type AskOptions, askSsh, type HostWish, parseJump, type SshHost } from './program/ssh-config.ts';
import { formatLabel, type Hop, hopOfHost, readHop } from './route.ts';

/** One step of the way. What our own library cannot do is left to the machine's `ssh`, which then goes all the way up to there. */
export type Step = LibraryStep | SshStep;

interface LibraryStep {
  by: 'library';
  hop: Hop;
  /** How ssh would go the same way, if it can; for what turns out only when the server answers. */
  otherwise: Omit<SshStep, 'why'> | undefined;
}

export interface SshStep {
  by: 'ssh';
  /** The name for ssh: a host of its configuration. */
  name: string;
  wish: readonly string[];
  label: string;
  why: string;
}

interface PlanOptions extends AskOptions {
  /** Replace those that ssh reads, for servers that the connection itself describes. */
  knownHostsFiles?: readonly string[] | undefined;
  /** More keys that a person has accepted; ssh does not know of them by itself. */
  acceptedKeysFile?: string | undefined;
}

/** Beside the last server. */
const maxJumps = 5;

/** The SSH servers of a route, outermost first. Reads what a person's configuration of ssh says; connects to nothing. */
export async function planRoute(route: SshRoute, options: PlanOptions): Promise<readonly Step[]> {
  const planner = new Planner(options);
  const steps: Step[] = [];
  for (const hop of listHops(route)) {
    const next = await planner.plan(hop);
    const needsSsh = next.find((step) => step.by === 'ssh');
    if (needsSsh?.by === 'ssh' && steps.length > 0) throw notBehind(needsSsh);
    steps.push(...next);
  }
  if (steps.length > maxJumps + 1) {
    throw tunnelFailure('E_SSH_CONFIG', `the route has ${steps.length - 1} jumps; at most ${maxJumps} are accepted`);
  }
  return steps;
}

function listHops(route: SshRoute): readonly SshHop[] {
  if (typeof route === 'string') return [route];
  const { jump = [], ...last } = route;
  return [...jump, last];
}

class Planner {
  readonly #options: PlanOptions;

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  async plan(hop: SshHop): Promise<readonly Step[]> {
    return typeof hop === 'string' ? await this.#planHost(parseJump(hop), []) : [describedStep(readHop(hop), this.#options)];
  }

  async #planHost(wish: HostWish, through: readonly string[]): Promise<readonly Step[]> {
    const host = await askSsh(wish, this.#options);
    const label = formatLabel(host.user, host.hostname, host.port);
    const place = `${wish.name} ${label}`;
    if (through.includes(place) || through.length > maxJumps) {
      throw tunnelFailure('E_SSH_CONFIG', `the jumps of ~/.ssh/config form a loop: ${[...through, place].join(' > ')}`);
    }
    const why = reasonForSsh(host) ?? (await formatAuthority(host));
    const steps: Step[] = [];
    if (why === undefined) {
      for (const jump of host.jumps) steps.push(...(await this.#planHost(parseJump(jump), [...through, place])));
    }
    // It knows its own jumps, so it goes the whole way.
    const inner = steps.find((step) => step.by === 'ssh');
    const reason = why ?? (inner?.by === 'ssh' ? inner.why : undefined);
    const words = [...toWords(wish), ...knownWords(host.knownHostsFiles, this.#options)];
    const bySsh = { by: 'ssh', name: wish.name, wish: words, label } as const;
    if (reason !== undefined) return [{ ...bySsh, why: reason }];
    return [...steps, { by: 'library', hop: hopOfHost(host), otherwise: bySsh }];
  }
}

/** ssh accepts what a connection describes, except secrets and pinned keys. */
function describedStep(hop: Hop, options: PlanOptions): LibraryStep {
  const { host, port, user, password, privateKey, passphrase, agent, hostKeys, label } = hop;
  const isTellable = password === undefined && passphrase === undefined && hostKeys.length === 0 && !isKeyText(privateKey ?? '');
  if (!isTellable) return { by: 'library', hop, otherwise: undefined };
  const key = privateKey === undefined ? [] : ['-i', privateKey, '-o', 'IdentitiesOnly=yes'];
  const socket = agent === undefined ? [] : ['-o', `IdentityAgent=${agent}`];
  const known = knownWords(options.knownHostsFiles ?? defaultKnownHostsFiles(options.home), options);
  const wish = ['-F', 'none', '-l', user, '-p', String(port), ...key, ...socket, ...known];
  return { by: 'library', hop, otherwise: { by: 'ssh', name: host, wish, label } };
}

/** Where ssh shall look for keys of hosts: in all files in which we do. */
function knownWords(files: readonly string[], { acceptedKeysFile }: PlanOptions): string[] {
  const all = acceptedKeysFile === undefined ? files : [...files, acceptedKeysFile];
  const quoted = all.map((file) => `"${file.replaceAll('%', '%%')}"`);
  return ['-o', `UserKnownHostsFile=${quoted.join(' ') || 'none'}`];
}

/** What only ssh itself can do. */
function reasonForSsh(host: SshHost): string | undefined {
  const { proxyCommand, hostKeySources, pkcs11, certificateFiles, identityFiles } = host;
  if (proxyCommand !== undefined) return 'ProxyCommand';
  if (hostKeySources[0] !== undefined) return hostKeySources[0];
  if (pkcs11) return 'PKCS11Provider';
  const keys = identityFiles.filter((file) => existsSync(file));
  if ([...certificateFiles, ...keys.map((file) => `${file}-cert.pub`)].some((file) => existsSync(file))) return 'a certificate';
  if (keys.length > 0 && keys.every(isOnSecurityKey)) return 'a key on a security key';
  return undefined;
}

/** A server that known_hosts knows by a certificate alone. */
async function formatAuthority({ hostname, port, hostKeyAlias, knownHostsFiles }: SshHost): Promise<string | undefined> {
  // Without a line for the port, ssh takes one for the host.
  const names = hostKeyAlias === undefined ? [knownHostName(hostname, port), knownHostName(hostname, 22)] : [hostKeyAlias];
  // The code that opens the tunnel reads the same files and logs what is wrong with them.
  const lines = (await readKnownHosts(knownHostsFiles, () => {})).filter((line) => names.some((name) => line.matches(name)));
  const isCertified = lines.some(({ trust }) => trust === 'authority') && !lines.some(({ trust }) => trust === 'key');
  return isCertified ? 'a certificate of the server' : undefined;
}

/** The public half is beside the private one, and says it without a passphrase. */
function isOnSecurityKey(file: string): boolean {
  try {
    return /^sk-/.test(readFileSync(`${file}.pub`, 'utf8'));
  } catch {
    return false;
  }
}

function toWords({ user, port }: HostWish): string[] {
  return [...(user === undefined ? [] : ['-l', user]), ...(port === undefined ? [] : ['-p', String(port)])];
}

function notBehind({ name, why }: SshStep) {
  return tunnelFailure(
    'E_SSH_CONFIG',
    `${name} needs the program ssh (${why}), so it cannot come after a jump of the connection`,
    {
      hint: 'Add the jump to ~/.ssh/config (ProxyJump), and name only the last host in "ssh".',
    },
  );
}
