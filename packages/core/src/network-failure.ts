import { Failure, type FailureKind } from './failure.ts';

interface Meaning {
  kind: FailureKind;
  code: `E_${string}`;
  says: string;
  hint: string;
}

const certificateHint =
  'Check that `host` is the name in the certificate and that this machine trusts the authority that signed it.';

/** What Node's own network and TLS codes mean to the person whose connection it is. */
const meanings: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: {
    kind: 'connection',
    code: 'E_CONNECT_REFUSED',
    says: 'nothing accepts connections there',
    hint: 'Check that the server runs and that host and port are right.',
  },
  ENOTFOUND: {
    kind: 'connection',
    code: 'E_DNS',
    says: 'the host name does not resolve',
    hint: 'Check `host`; behind a bastion, set `ssh`.',
  },
  EAI_AGAIN: {
    kind: 'connection',
    code: 'E_DNS',
    says: 'the name server does not answer',
    hint: 'Check the network, then call again.',
  },
  ETIMEDOUT: {
    kind: 'connection',
    code: 'E_CONNECT_TIMEOUT',
    says: 'no answer in time',
    hint: 'A firewall may drop the packets; behind a bastion, set `ssh`.',
  },
  EHOSTUNREACH: {
    kind: 'connection',
    code: 'E_NETWORK',
    says: 'there is no route to the host',
    hint: 'Check the network or VPN.',
  },
  ENETUNREACH: { kind: 'connection', code: 'E_NETWORK', says: 'the network is unreachable', hint: 'Check the network or VPN.' },
  ECONNRESET: {
    kind: 'connection',
    code: 'E_NETWORK',
    says: 'the connection was reset',
    hint: 'Call again; if it stays, look at the server log.',
  },
  EPIPE: {
    kind: 'connection',
    code: 'E_NETWORK',
    says: 'the connection was closed',
    hint: 'Call again; if it stays, look at the server log.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    kind: 'connection',
    code: 'E_TLS_NAME',
    says: 'its certificate was issued for another name',
    hint: certificateHint,
  },
  CERT_HAS_EXPIRED: { kind: 'connection', code: 'E_TLS_CERTIFICATE', says: 'its certificate has expired', hint: certificateHint },
  SELF_SIGNED_CERT_IN_CHAIN: {
    kind: 'connection',
    code: 'E_TLS_UNTRUSTED',
    says: 'its certificate is not trusted',
    hint: certificateHint,
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    kind: 'connection',
    code: 'E_TLS_UNTRUSTED',
    says: 'its certificate is self-signed',
    hint: certificateHint,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    kind: 'connection',
    code: 'E_TLS_UNTRUSTED',
    says: 'its certificate is not trusted',
    hint: certificateHint,
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    kind: 'connection',
    code: 'E_TLS_UNTRUSTED',
    says: 'its certificate is not trusted',
    hint: certificateHint,
  },
};

/** The Failure for a network or TLS error, or undefined when the error is none of these and the leaf must say what it is. */
export function networkFailure(error: unknown, where: { host: string; port: number }): Failure | undefined {
  const code = codeOf(error);
  const meaning = code === undefined || !Object.hasOwn(meanings, code) ? undefined : meanings[code];
  if (meaning === undefined) return undefined;
  const message = `cannot connect to ${where.host}:${where.port}: ${meaning.says}`;
  return new Failure(meaning.kind, message, { code: meaning.code, hint: meaning.hint, cause: error });
}

/** Several addresses of one name fail as an AggregateError, whose own code is that of the first. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(Reflect.get(error, 'cause'));
}
