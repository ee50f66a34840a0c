import { Failure, networkFailure } from '@dbmole/core';
import type { Connection } from './connection/schema.ts';
import { formatNodeAddress, type NodeAddress } from './http/node-address.ts';

type TlsConfig = Pick<Connection, 'scheme' | 'verifyTls' | 'ca' | 'caFingerprint'>;

/** Error codes of Node's TLS for a text instead of a handshake. */
const notTls = /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNEXPECTED_MESSAGE)|EPROTO)$/;
const untrusted = /CERT|ISSUER|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/;

const speakHttp = 'If the cluster has no TLS, set `scheme` to http.';
const trustHint =
  'Set `ca` to the certificate file of its authority (Elasticsearch 8 writes config/certs/http_ca.crt), or `caFingerprint` to the SHA-256 of that certificate.';
const nameHint =
  'Set `host` to a name in the certificate; with `caFingerprint` set, `verifyTls` set to false skips only the check of the name.';

/** Why no connection to a node came about. Nothing was sent. */
export function connectFailure(error: unknown, node: NodeAddress, config: TlsConfig): Failure {
  if (error instanceof Failure) return error;
  const code = readCode(error);
  const where = `cannot connect to ${formatNodeAddress(node)}`;
  const isTls = config.scheme !== 'http';
  if (isTls && notTls.test(code)) return schemeFailure(`${where}: it does not speak TLS`, speakHttp, error);
  if (isTls && code === 'ECONNRESET')
    return schemeFailure(`${where}: the connection was closed during the TLS handshake`, speakHttp, error);
  const known = networkFailure(error, node);
  if (known?.code === 'E_TLS_NAME') return withHint(known, nameHint, error);
  if (known !== undefined && known.code !== 'E_TLS_UNTRUSTED') return known;
  if (known !== undefined || untrusted.test(code)) return untrustedFailure(where, config, error);
  if (code.startsWith('ERR_SSL'))
    return schemeFailure(`${where}: TLS failed (${code})`, 'Check the TLS settings of the cluster.', error);
  return new Failure('connection', `${where}: ${readMessage(error)}`, { code: 'E_NETWORK', cause: error });
}

/** Why there is no answer to a request that was, or may have been, sent. */
export function lostFailure(error: unknown, node: NodeAddress, config: TlsConfig): Failure {
  if (error instanceof Failure) return error;
  const where = formatNodeAddress(node);
  const code = readCode(error);
  if (code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError')) {
    const hint = 'Check host, port and scheme.';
    return new Failure('connection', `${where}: the server does not speak HTTP`, {
      code: 'E_NOT_HTTP',
      hint,
      cause: error,
    });
  }
  if (config.scheme === 'http' && bytesRead(error) === 0) {
    return schemeFailure(
      `${where} closed the connection without an answer`,
      'If the cluster has TLS, set `scheme` to https.',
      error,
    );
  }
  const hint = 'Retry; if it persists, check the log of the cluster.';
  return new Failure('connection', `${where}: the connection was lost (${readMessage(error)})`, {
    code: 'E_NETWORK',
    hint,
    cause: error,
  });
}

/** The request was sent, and no answer says what became of it. */
export function outcomeUnknown(failure: Failure): Failure {
  const message = `${failure.message}; it is unknown whether the request took effect`;
  const hint = 'Check with a read whether it took effect before you repeat it.';
  return new Failure(failure.kind, message, { code: 'E_OUTCOME_UNKNOWN', hint, cause: failure });
}

function untrustedFailure(where: string, { ca, caFingerprint }: TlsConfig, cause: unknown): Failure {
  const set = caFingerprint === undefined ? 'ca' : 'caFingerprint';
  const isOther = ca !== undefined || caFingerprint !== undefined;
  const says = isOther ? `its certificate was not signed by what \`${set}\` says` : 'its certificate is not trusted';
  return new Failure('connection', `${where}: ${says} (${readCode(cause)})`, { code: 'E_TLS_UNTRUSTED', hint: trustHint, cause });
}

function schemeFailure(message: string, hint: string, cause: unknown): Failure {
  return new Failure('connection', message, { code: 'E_TLS', hint, cause });
}

function withHint({ kind, message, code }: Failure, hint: string, cause: unknown): Failure {
  return new Failure(kind, message, { code, hint, cause });
}

function readCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

function bytesRead(error: unknown): unknown {
  const socket: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'socket') : undefined;
  return typeof socket === 'object' && socket !== null ? Reflect.get(socket, 'bytesRead') : undefined;
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
