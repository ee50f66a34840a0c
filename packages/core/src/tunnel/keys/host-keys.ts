import type { ServerHostKeyAlgorithm } from 'ssh2';
import { askUser, type Failure, joinHints } from '../../failure.ts';
import { tunnelFailure } from '../failures.ts';
import { cleanServerText } from '../library/server-text.ts';
import type { Hop } from '../route.ts';
import { fingerprint, type KnownHost, keyType, knownHostName } from './known-hosts.ts';

/** SHA-1 signatures (`ssh-rsa`) and DSA are left out on purpose. */
const algorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/**
 * Decides about the key of one server, before any credential is sent and again at every rekey. It only ever accepts what a
 * person accepted before: by a pin, or with ssh itself.
 */
export class HostKeyPolicy {
  readonly #hop: Hop;
  readonly #pins: ReadonlySet<string>;
  readonly #known: readonly KnownHost[];
  /** Lines without a port, for another port than 22: as with ssh, the same key there is enough, another one says nothing. */
  readonly #portless: readonly KnownHost[];
  readonly #revoked: readonly KnownHost[];
  /** The authority whose certificates ssh itself would accept. */
  readonly #authority: KnownHost | undefined;

  constructor(hop: Hop, entries: readonly KnownHost[]) {
    // With an alias, ssh looks for that alone, unchanged.
    const alias = hop.config?.hostKeyAlias;
    const lines = entries.filter((entry) => entry.matches(alias ?? knownHostName(hop.host, hop.port)));
    const withoutPort = entries.filter((entry) => entry.matches(alias ?? knownHostName(hop.host, 22)));
    this.#hop = hop;
    this.#pins = new Set(hop.hostKeys.map((pin) => pin.replace(/(?<!=)=+$/, '')));
    this.#known = lines.filter(({ trust }) => trust === 'key');
    this.#portless = this.#known.length > 0 ? [] : withoutPort.filter(({ trust }) => trust === 'key');
    this.#revoked = [...lines, ...withoutPort].filter(({ trust }) => trust === 'revoked');
    this.#authority = [...lines, ...withoutPort].find(({ trust }) => trust === 'authority');
  }

  /**
   * What to offer, accepted types first: a server has several keys, and one of a type that was not accepted would look
   * unknown although another one is known.
   */
  algorithms(): ServerHostKeyAlgorithm[] {
    const types = new Set(this.#accepted().map((entry) => entry.type));
    const isKnown = (name: string): boolean => types.has(name.startsWith('rsa-') ? 'ssh-rsa' : name);
    return [...algorithms.filter(isKnown), ...algorithms.filter((name) => !isKnown(name))];
  }

  /** Why the key is refused; undefined accepts it. */
  judge(key: Buffer): Failure | undefined {
    const revoked = this.#revoked.find((entry) => entry.key.equals(key));
    if (revoked !== undefined) return this.#refuseRevoked(key, revoked);
    if (this.#pins.size > 0) return this.#pins.has(fingerprint(key)) ? undefined : this.#refuseChanged(key, [...this.#pins]);
    if ([...this.#known, ...this.#portless].some((entry) => entry.key.equals(key))) return undefined;
    if (this.#known.length === 0) return this.#refuseUnknown(key);
    return this.#refuseChanged(key, this.#known.map(describeLine));
  }

  #accepted(): readonly KnownHost[] {
    const lines = [...this.#known, ...this.#portless];
    return this.#pins.size === 0 ? lines : lines.filter((entry) => this.#pins.has(fingerprint(entry.key)));
  }

  #refuseRevoked(key: Buffer, line: KnownHost): Failure {
    const message = `the SSH server ${this.#server()} shows the revoked host key ${describe(key)} (${line.where})`;
    return tunnelFailure('E_SSH_HOST_KEY_REVOKED', message);
  }

  #refuseUnknown(key: Buffer): Failure {
    const { host, port } = this.#hop;
    const authority = this.#authority;
    const certified =
      authority === undefined ? '' : `; ${authority.where} trusts its certificate, which only ssh itself can check`;
    const byHost =
      authority === undefined
        ? undefined
        : 'Name the server in ~/.ssh/config and set "ssh" to that name, so that ssh itself connects, or:';
    return tunnelFailure(
      'E_SSH_HOST_KEY_UNKNOWN',
      `the host key of the SSH server ${this.#server()} has not been accepted yet: ${describe(key)}${certified}`,
      {
        hint: joinHints(byHost, askUser('compare this fingerprint with one from a trusted source')),
        detail: {
          awaitsTrust: true,
          unknownKey: { name: this.#hop.config?.hostKeyAlias ?? knownHostName(host, port), type: keyType(key) ?? '', key },
        },
      },
    );
  }

  #refuseChanged(key: Buffer, accepted: readonly string[]): Failure {
    const message = `the host key of the SSH server ${this.#server()} is ${describe(key)}; accepted is ${accepted.join(', ')}`;
    const { host, port } = this.#hop;
    const undo =
      this.#pins.size > 0
        ? 'replace the pin in "hostKeys"'
        : `remove the old one with ${this.#formatRemoval(knownHostName(host, port))}`;
    return tunnelFailure('E_SSH_HOST_KEY_CHANGED', message, {
      hint: [
        'The server was rebuilt, or someone is intercepting the connection.',
        askUser(`verify the new key and only then ${undo}`),
      ],
      ...(this.#pins.size > 0 ? {} : { detail: { awaitsTrust: true } }),
    });
  }

  /** Names each file that has one; ssh itself would check only its own. */
  #formatRemoval(name: string): string {
    const files = new Set(this.#known.map(({ where }) => where.replace(/:\d+$/, '')));
    return [...files].map((file) => `\`ssh-keygen -R '${name}' -f '${file}'\``).join(' and ');
  }

  #server(): string {
    return `${this.#hop.host}:${this.#hop.port}`;
  }
}

function describe(key: Buffer): string {
  return `${cleanServerText(keyType(key) ?? 'unreadable').slice(0, 64)} ${fingerprint(key)}`;
}

function describeLine(entry: KnownHost): string {
  return `${entry.type} ${fingerprint(entry.key)} (${entry.where})`;
}
