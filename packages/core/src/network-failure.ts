import { Failure } from './failure.ts';

type Meaning = readonly [code: `E_${string}`, says: string, hint: string];

const checkCertificate =
  'Check that `host` is the name in the certificate and that this machine trusts the authority that signed it.';
const checkNetwork = 'Check the network or VPN.';
const checkLog = 'Retry; if it persists, check the server log.';
const untrusted: Meaning = ['E_TLS_UNTRUSTED', 'its certificate is not trusted', checkCertificate];

/** What the network and TLS codes of Node mean to the user of a connection. */
const meanings: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: [
    'E_CONNECT_REFUSED',
    'nothing accepts connections there',
    'Check that the server runs, and check host and port.',
  ],
  ENOENT: ['E_CONNECT_REFUSED', 'there is no such socket', 'Check that the server runs, and check host and port.'],
  ENOTFOUND: ['E_DNS', 'the host name does not resolve', 'Check `host`; behind a bastion, set `ssh`.'],
  EAI_AGAIN: ['E_DNS', 'the name server does not answer', 'Check the network, then retry.'],
  ETIMEDOUT: ['E_CONNECT_TIMEOUT', 'no answer in time', 'Check for a firewall that drops packets; behind a bastion, set `ssh`.'],
  EHOSTUNREACH: ['E_NETWORK', 'there is no route to the host', checkNetwork],
  ENETUNREACH: ['E_NETWORK', 'the network is unreachable', checkNetwork],
  ECONNRESET: ['E_NETWORK', 'the connection was reset', checkLog],
  EPIPE: ['E_NETWORK', 'the connection was closed', checkLog],
  ERR_TLS_CERT_ALTNAME_INVALID: ['E_TLS_NAME', 'its certificate was issued for another name', checkCertificate],
  CERT_HAS_EXPIRED: ['E_TLS_CERTIFICATE', 'its certificate has expired', checkCertificate],
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: ['E_TLS_UNTRUSTED', 'its certificate is self-signed', checkCertificate],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
};

/** The Failure for a network or TLS error, or undefined when it is another kind of error, which the server package must translate. */
export function networkFailure(error: unknown, where: { host: string; port: number }): Failure | undefined {
  const code = readCode(error);
  const meaning = code === undefined || !Object.hasOwn(meanings, code) ? undefined : meanings[code];
  if (meaning === undefined || (code === 'ENOENT' && !isConnect(error))) return undefined;
  const [shown, says, hint] = meaning;
  return new Failure('connection', `cannot connect to ${where.host}:${where.port}: ${says}`, { code: shown, hint, cause: error });
}

/** A file may be missing as well. */
function isConnect(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'syscall') === 'connect';
}

/** Several addresses of one name fail as an AggregateError, whose own code is that of the first. */
function readCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  return error instanceof AggregateError ? readCode(error.errors[0]) : readCode(Reflect.get(error, 'cause'));
}
