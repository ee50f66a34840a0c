import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { readSmallFile } from '../../files/read-file.ts';
import { isLocalHost } from '../../local-host.ts';

/** The options of the command line, as they were given. */
export interface ListenOptions {
  host?: string | undefined;
  'tls-cert'?: string | undefined;
  'tls-key'?: string | undefined;
  'behind-proxy'?: boolean | undefined;
  'no-token'?: boolean | undefined;
}

interface ListenPlan {
  /** An IP address, without brackets. */
  address: string;
  /** Both in PEM. Undefined: plain HTTP. */
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** The headers `X-Forwarded-*` count. */
  isBehindProxy: boolean;
  /** The URL of MCP on this machine. */
  urlFor(port: number): string;
}

const loopback = '127.0.0.1';

/** Where the server may listen, and how. Throws before anything is bound. */
export function planListening(options: ListenOptions, { cwd, now = new Date() }: { cwd: string; now?: Date }): ListenPlan {
  const address = parseAddress(options.host ?? loopback);
  const isBehindProxy = options['behind-proxy'] === true;
  const files = readTlsOptions(options);
  if (!isLocalHost(address) && files === undefined && !isBehindProxy) throw unprotected(address);
  if (options['no-token']) refuseWithoutToken(address, isBehindProxy);
  const tls = files && readTls(resolve(cwd, files.cert), resolve(cwd, files.key), now);
  const scheme = tls === undefined ? 'http' : 'https';
  return { address, tls, isBehindProxy, urlFor: (port) => `${scheme}://${hostInUrl(address)}:${port}/mcp` };
}

function parseAddress(host: string): string {
  const plain = host.trim().replace(/^\[(.*)\]$/, '$1');
  if (plain.toLowerCase() === 'localhost') return loopback;
  if (isIP(plain) !== 0) return plain;
  throw new Failure(
    'input',
    `invalid --host ${quote(host)}: expected an IP address of this machine, such as ${loopback} or 0.0.0.0`,
    {
      hint: 'Names that clients use are given with --allow-host.',
    },
  );
}

function unprotected(address: string): Failure {
  return new Failure(
    'refused',
    `the server does not listen on ${address} without TLS: others in the network could read the token`,
    {
      code: 'E_UNPROTECTED',
      hint: `Pass --tls-cert and --tls-key, or --behind-proxy if a proxy adds TLS, or leave --host out to listen on ${loopback}.`,
    },
  );
}

/** A proxy makes a server on loopback reachable for everyone who reaches the proxy. */
function refuseWithoutToken(address: string, isBehindProxy: boolean): void {
  if (isLocalHost(address) && !isBehindProxy) return;
  const what = isBehindProxy ? '--behind-proxy' : `--host ${address}`;
  throw new Failure(
    'refused',
    `--no-token is not accepted with ${what}: everyone who reaches the server could use every connection`,
    {
      code: 'E_UNPROTECTED',
      hint: 'Leave --no-token out. A proxy that authenticates users can add the header Authorization itself.',
    },
  );
}

function readTlsOptions({ 'tls-cert': cert, 'tls-key': key }: ListenOptions): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
  throw new Failure('input', `${given} needs ${missing} as well`, { hint: `Pass ${missing} with the path of a PEM file.` });
}

/** Everything that would only show when the first client connects. */
function readTls(certPath: string, keyPath: string, now: Date): { cert: Buffer; key: Buffer } {
  const cert = readPem(certPath, '--tls-cert');
  const key = readPem(keyPath, '--tls-key');
  const certificate = parseCertificate(cert, certPath);
  if (!certificate.checkPrivateKey(parseKey(key, keyPath))) {
    throw tlsFailure(`${keyPath} is not the key of the certificate in ${certPath}`, 'Put the certificate of the server first.');
  }
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  if (now > to) throw tlsFailure(`the certificate in ${certPath} expired on ${formatDay(to)}`, 'Renew it.');
  if (now < from) throw tlsFailure(`the certificate in ${certPath} is not valid before ${formatDay(from)}`, 'Check the clock.');
  return { cert, key };
}

function readPem(path: string, option: string): Buffer {
  const image = readSmallFile(path);
  if (image !== undefined) return image.bytes;
  throw new Failure('config', `${path} of ${option} does not exist`, { hint: `Correct ${option}.` });
}

function parseCertificate(pem: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw tlsFailure(
      `${path} does not hold a certificate in PEM`,
      'Pass the certificate, with those of its issuers below.',
      cause,
    );
  }
}

function parseKey(pem: Buffer, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const isLocked = pem.includes('ENCRYPTED');
    const what = isLocked ? `the private key in ${path} has a passphrase` : `${path} does not hold a private key in PEM`;
    throw tlsFailure(what, isLocked ? 'Pass a key without one, readable for this user only.' : 'Correct --tls-key.', cause);
  }
}

function tlsFailure(message: string, hint: string, cause?: unknown): Failure {
  return new Failure('config', message, { code: 'E_TLS_FILE', hint, cause });
}

/** A server that listens on all addresses is reached on this machine by loopback. */
function hostInUrl(address: string): string {
  const reachable = { '0.0.0.0': loopback, '::': '::1' }[address] ?? address;
  return isIPv6(reachable) ? `[${reachable}]` : reachable;
}

function formatDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
