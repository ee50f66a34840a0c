import { webcrypto as crypto, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { EngineTls, TlsFiles } from '../engine.ts';

export interface Authority {
  /** The certificate that a client must trust, as PEM. */
  readonly ca: string;
  /** Issues a certificate for these host names and addresses; default is loopback. */
  issueServer(names?: readonly string[]): Promise<EngineTls>;
  /** Issues a client certificate; databases compare the name with the user. */
  issueClient(commonName: string): Promise<EngineTls>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';
const loopback = ['localhost', '127.0.0.1', '::1'];
const hour = 3_600_000;

/** A certificate authority of this process alone; nothing is kept. */
export async function createAuthority(): Promise<Authority> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const usage = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...frame(),
    name: 'CN=dbmole test authority',
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(usage, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const authority = { x509, subject: ca.subject, pem: ca.toString('pem'), keys };
  return {
    ca: authority.pem,
    issueServer: (names = loopback) => issue(authority, { subject: `CN=${names[0]}`, purpose: serverAuth, names }),
    issueClient: (commonName) => issue(authority, { subject: `CN=${commonName}`, purpose: clientAuth, names: [] }),
  };
}

export async function writeCertificate(directory: string, name: string, issued: EngineTls): Promise<TlsFiles> {
  const files = {
    ca: join(directory, 'ca.crt'),
    certificate: join(directory, `${name}.crt`),
    key: join(directory, `${name}.key`),
  };
  await writeFile(files.ca, issued.ca);
  await writeFile(files.certificate, issued.certificate);
  await writeFile(files.key, issued.key, { mode: 0o600 });
  return files;
}

type X509 = typeof import('@peculiar/x509');

interface Issuer {
  readonly x509: X509;
  readonly subject: string;
  readonly pem: string;
  readonly keys: Awaited<ReturnType<typeof crypto.subtle.generateKey>> & { privateKey: unknown; publicKey: unknown };
}

interface Wanted {
  readonly subject: string;
  readonly purpose: string;
  readonly names: readonly string[];
}

/** Late, because it takes longer to load than the rest of the module together. It wants the metadata of decorators first. */
async function loadX509(): Promise<X509> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(crypto);
  return x509;
}

async function issue({ x509, ...ca }: Issuer, wanted: Wanted): Promise<EngineTls> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names = wanted.names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const);
  const certificate = await x509.X509CertificateGenerator.create({
    ...frame(),
    subject: wanted.subject,
    issuer: ca.subject,
    signingKey: ca.keys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([wanted.purpose]),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(ca.keys.publicKey),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { ca: ca.pem, certificate: certificate.toString('pem'), key: formatKey(key) };
}

function frame() {
  return {
    // A first digit below 8 keeps the number positive, and not 0 keeps it at its length.
    serialNumber: `1${randomBytes(15).toString('hex')}0`,
    // Clocks differ.
    notBefore: new Date(Date.now() - hour),
    notAfter: new Date(Date.now() + 7 * 24 * hour),
    signingAlgorithm: algorithm,
  };
}

function formatKey(base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
