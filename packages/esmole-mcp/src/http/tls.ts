import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { Failure } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import type { NodeAddress } from './node-address.ts';

export type TlsSettings = Pick<Connection, 'verifyTls' | 'ca'>;

/**
 * What Node's TLS is told for one node, whatever way the bytes take: the certificate is checked against the host that the person
 * configured. `trusted` are the only authorities; without any, those of this machine.
 */
export function tlsOptions(
  { host }: NodeAddress,
  verify: { chain: boolean; name: boolean; trusted?: string | undefined },
): ConnectionOptions {
  return {
    // An address may not stand there.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(verify.trusted === undefined ? {} : { ca: verify.trusted, allowPartialTrustChain: true }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: verify.chain,
    checkServerIdentity: verify.name ? (_host, certificate) => checkServerIdentity(host, certificate) : () => undefined,
  };
}

/** PEM text as it is, or the content of a file. */
export async function readAuthority(ca: string): Promise<string> {
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
