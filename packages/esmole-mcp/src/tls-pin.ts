import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { Failure } from '@dbmole/core';
import { formatNodeAddress, type NodeAddress } from './node-address.ts';

/**
 * The certificate of which a person knows the SHA-256, out of the chain that a node shows. It is only found here: it is then the
 * one authority against which every connection is checked in full, signatures and names included.
 */
export function findPinned(socket: TLSSocket, fingerprint: string, node: NodeAddress): string {
  const wanted = plain(fingerprint);
  for (const certificate of chainOf(socket)) {
    if (plain(certificate.fingerprint256) === wanted) return new X509Certificate(certificate.raw).toString();
  }
  throw new Failure('connection', `no certificate that ${formatNodeAddress(node)} shows has the SHA-256 in caFingerprint`, {
    code: 'E_TLS_FINGERPRINT',
    hint: 'On a node, run: openssl x509 -fingerprint -sha256 -noout -in config/certs/http_ca.crt. If it is the same, somebody else answers there, or the node does not send that certificate: then set `ca`.',
  });
}

/** The last certificate is its own issuer. */
function* chainOf(socket: TLSSocket): Generator<DetailedPeerCertificate> {
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
