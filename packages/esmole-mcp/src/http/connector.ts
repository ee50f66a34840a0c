import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect as connectTls,
  type DetailedPeerCertificate,
  type TLSSocket,
} from 'node:tls';
import { type DialledStream, Failure } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { connectFailure } from '../failure.ts';
import { formatNodeAddress, type NodeAddress } from './node-address.ts';

interface ConnectorOptions {
  config: Pick<Connection, 'scheme' | 'verifyTls' | 'ca' | 'caFingerprint'>;
  /** Through a tunnel: the stream that leads to this node. */
  dial?: ((node: NodeAddress) => DialledStream) | undefined;
  timeoutMs: number;
}

/** Opens connections to the nodes of one cluster, ready for HTTP. */
export interface Connector {
  /** Every error of it is a Failure, and means that nothing was sent. */
  connect(node: NodeAddress): Promise<Socket>;
  /** Ends what is on its way. What was handed out is its holder's. */
  close(): void;
}

export function createConnector(options: ConnectorOptions): Connector {
  return new NodeConnector(options);
}

class NodeConnector implements Connector {
  readonly #options: ConnectorOptions;
  readonly #opening = new Set<Socket>();
  #trusted: Promise<string | undefined> | undefined;
  #closed = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  async connect(node: NodeAddress): Promise<Socket> {
    const { config } = this.#options;
    try {
      if (config.scheme === 'http') return await this.#ready(this.#openPlain(node), 'connect');
      const trusted = await this.#trust(node);
      const chain = config.verifyTls !== false || config.caFingerprint !== undefined;
      return await this.#handshake(node, tlsOptions(node, { chain, name: config.verifyTls !== false, trusted }));
    } catch (error) {
      throw connectFailure(error, node, config);
    }
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#opening) socket.destroy(closedError());
  }

  #trust(node: NodeAddress): Promise<string | undefined> {
    const trusted = this.#trusted ?? this.#findTrusted(node);
    this.#trusted = trusted;
    // Perhaps another node shows it, or the file is there the next time.
    trusted.catch(() => {
      if (this.#trusted === trusted) this.#trusted = undefined;
    });
    return trusted;
  }

  async #findTrusted(node: NodeAddress): Promise<string | undefined> {
    const { ca, caFingerprint } = this.#options.config;
    if (caFingerprint === undefined) return ca === undefined ? undefined : await readAuthority(ca);
    const socket = await this.#handshake(node, tlsOptions(node, { chain: false, name: false }));
    try {
      return findPinned(socket, caFingerprint, node);
    } finally {
      socket.destroy();
    }
  }

  #handshake(node: NodeAddress, options: ConnectionOptions): Promise<TLSSocket> {
    const { dial } = this.#options;
    const { host, port } = node;
    const socket = connectTls(
      dial === undefined ? { ...tcpOptions, ...options, host, port } : { ...options, socket: dial(node) },
    );
    return this.#ready(socket, 'secureConnect');
  }

  #openPlain(node: NodeAddress): Socket {
    const { dial } = this.#options;
    if (dial === undefined) return connectTcp({ ...tcpOptions, ...node });
    const channel = dial(node);
    channel.connect();
    // The HTTP client uses no more of a socket than every stream has, and the tunnel's stream answers the rest.
    return channel as Duplex as Socket;
  }

  /** Without a listener, an early error would end the process. */
  #ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
    socket.on('error', () => undefined);
    this.#opening.add(socket);
    if (this.#closed) socket.destroy(closedError());
    return new Promise<S>((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(timeoutError()), this.#options.timeoutMs);
      const settle = (end: () => void) => () => {
        clearTimeout(timer);
        this.#opening.delete(socket);
        end();
      };
      socket.once(
        event,
        settle(() => resolve(socket)),
      );
      socket.once('error', (error) => {
        socket.destroy();
        settle(() => reject(error))();
      });
      socket.once(
        'close',
        settle(() => reject(resetError())),
      );
    });
  }
}

const tcpOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };

function timeoutError(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
}

function resetError(): Error {
  return Object.assign(new Error('the connection was closed while it was being made'), { code: 'ECONNRESET' });
}

function closedError(): Error {
  return Object.assign(new Error('the connection is no longer wanted'), { code: 'ECONNABORTED' });
}

/**
 * The certificate of which a person knows the SHA-256, out of the chain that a node shows. It is only found here: it is then the
 * one authority against which every connection is checked in full, signatures and names included.
 */
function findPinned(socket: TLSSocket, fingerprint: string, node: NodeAddress): string {
  const wanted = plain(fingerprint);
  for (const certificate of listChain(socket)) {
    if (plain(certificate.fingerprint256) === wanted) return new X509Certificate(certificate.raw).toString();
  }
  throw new Failure('connection', `none of the certificates of ${formatNodeAddress(node)} has the SHA-256 in caFingerprint`, {
    code: 'E_TLS_FINGERPRINT',
    hint: 'Run `openssl x509 -fingerprint -sha256 -noout -in config/certs/http_ca.crt` on a node. If it prints the same, another server is answering, or the node does not send that certificate: then set `ca`.',
  });
}

/** The last certificate is its own issuer. */
function* listChain(socket: TLSSocket): Generator<DetailedPeerCertificate> {
  const seen = new Set<string>();
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256);
    yield certificate;
    certificate = certificate.issuerCertificate;
  }
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase();
}

/**
 * The options of Node's TLS for one node, with or without a tunnel: the certificate is checked against the host that the person
 * configured. `trusted` are the only authorities; without any, those of this machine.
 */
function tlsOptions(
  { host }: NodeAddress,
  verify: { chain: boolean; name: boolean; trusted?: string | undefined },
): ConnectionOptions {
  return {
    // An address is not accepted there.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(verify.trusted === undefined ? {} : { ca: verify.trusted, allowPartialTrustChain: true }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: verify.chain,
    checkServerIdentity: verify.name ? (_host, certificate) => checkServerIdentity(host, certificate) : () => undefined,
  };
}

/** PEM text as it is, or the content of a file. */
async function readAuthority(ca: string): Promise<string> {
  const text = ca.includes('-----BEGIN') ? ca : await readPem(ca);
  // Node ignores an authority that it cannot parse, and would then trust none.
  for (const [pem] of text.matchAll(/-----BEGIN [A-Z0-9 ]{0,40}CERTIFICATE-----[^-]*-----END [A-Z0-9 ]{0,40}CERTIFICATE-----/g)) {
    if (isCertificate(pem)) return text;
  }
  throw fileFailure('contains no certificate');
}

async function readPem(name: string): Promise<string> {
  const path = name.startsWith('~/') ? join(homedir(), name.slice(2)) : name;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fileFailure(`names the file ${path}, which cannot be read`, error);
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function fileFailure(what: string, cause?: unknown): Failure {
  return new Failure('config', `\`ca\` ${what}`, {
    code: 'E_TLS_FILE',
    hint: 'Name a readable PEM file (Elasticsearch 8 writes config/certs/http_ca.crt), or write the PEM text itself.',
    cause,
  });
}
