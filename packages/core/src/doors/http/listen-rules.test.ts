import { createPrivateKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createAuthority } from '@dbmole/engines';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { type ListenOptions, planListening } from './listen-rules.ts';

const folder = useTempFolder();
const plan = (options: ListenOptions, now?: Date) => planListening(options, { cwd: folder.path, ...(now && { now }) });

describe('where the server listens', () => {
  it.each([
    [{}, '127.0.0.1', 'http://127.0.0.1:50001/mcp'],
    [{ host: 'localhost' }, '127.0.0.1', 'http://127.0.0.1:50001/mcp'],
    [{ host: '127.0.0.9' }, '127.0.0.9', 'http://127.0.0.9:50001/mcp'],
    [{ host: '::1' }, '::1', 'http://[::1]:50001/mcp'],
    [{ host: '[::1]' }, '::1', 'http://[::1]:50001/mcp'],
    [{ host: '0.0.0.0', 'behind-proxy': true }, '0.0.0.0', 'http://127.0.0.1:50001/mcp'],
    [{ host: '::', 'behind-proxy': true }, '::', 'http://[::1]:50001/mcp'],
    [{ 'no-token': true }, '127.0.0.1', 'http://127.0.0.1:50001/mcp'],
  ] as const)('accepts %j', (options, address, url) => {
    const { urlFor, ...planned } = plan(options);
    expect(planned).toEqual({ address, tls: undefined, isBehindProxy: 'behind-proxy' in options });
    expect(urlFor(50_001)).toBe(url);
  });

  it.each(['0.0.0.0', '::', '10.0.0.5', '::ffff:10.0.0.5', 'fe80::1', '128.0.0.1'])(
    'refuses %s without TLS or a proxy',
    (host) => {
      expect(() => plan({ host })).toThrow(
        expect.objectContaining({
          code: 'E_UNPROTECTED',
          message: `the server does not listen on ${host} without TLS: others in the network could read the token`,
          hint: expect.stringMatching(/--tls-cert and --tls-key, or --behind-proxy/),
        }),
      );
    },
  );

  it.each(['', 'db.example.com', '127.1', '300.0.0.1', '127.0.0.1:80', '[::1', 'localhost.'])('refuses the host %j', (host) => {
    expect(() => plan({ host, 'behind-proxy': true })).toThrow(
      expect.objectContaining({ kind: 'input', message: expect.stringContaining(`invalid --host ${JSON.stringify(host)}`) }),
    );
  });

  it.each([
    [{ 'no-token': true, 'behind-proxy': true }, '--behind-proxy'],
    [{ 'no-token': true, 'behind-proxy': true, host: '0.0.0.0' }, '--behind-proxy'],
  ])('refuses to be open to everyone: %j', (options, what) => {
    expect(() => plan(options)).toThrow(
      expect.objectContaining({ code: 'E_UNPROTECTED', message: expect.stringContaining(`with ${what}:`) }),
    );
  });
});

describe('the TLS files of the server', () => {
  let issued: { certificate: string; key: string };
  let other: { certificate: string; key: string };
  const tls = { 'tls-cert': 'server.crt', 'tls-key': 'server.key' };

  beforeAll(async () => {
    const authority = await createAuthority();
    [issued, other] = [await authority.issueServer(), await authority.issueServer()];
  });

  beforeEach(() => {
    writeFileSync(folder.at('server.crt'), issued.certificate);
    writeFileSync(folder.at('server.key'), issued.key);
  });

  it('reads them relative to the working directory', () => {
    const { address, tls: read, urlFor } = plan({ ...tls, host: '0.0.0.0' });
    expect({ address, url: urlFor(1) }).toEqual({ address: '0.0.0.0', url: 'https://127.0.0.1:1/mcp' });
    expect(read?.cert.toString()).toBe(issued.certificate);
    expect(read?.key.toString()).toBe(issued.key);
  });

  it('refuses an address in the network without a token', () => {
    expect(() => plan({ ...tls, host: '10.0.0.5', 'no-token': true })).toThrow(
      expect.objectContaining({ code: 'E_UNPROTECTED', message: expect.stringContaining('with --host 10.0.0.5:') }),
    );
  });

  it.each([
    [{ 'tls-cert': 'server.crt' }, '--tls-cert needs --tls-key as well'],
    [{ 'tls-key': 'server.key' }, '--tls-key needs --tls-cert as well'],
  ])('refuses one without the other: %j', (options, message) => {
    expect(() => plan(options)).toThrow(expect.objectContaining({ kind: 'input', message }));
  });

  it.each([
    ['a missing certificate', { 'tls-cert': 'no.crt' }, /no\.crt of --tls-cert does not exist/],
    ['a missing key', { 'tls-key': 'no.key' }, /no\.key of --tls-key does not exist/],
    ['a folder', { 'tls-cert': '.' }, /cannot be read because it is not a regular file/],
    ['a key as the certificate', { 'tls-cert': 'server.key' }, /server\.key does not hold a certificate in PEM/],
    ['a certificate as the key', { 'tls-key': 'server.crt' }, /server\.crt does not hold a private key in PEM/],
  ])('names %s', (_title, options, message) => {
    expect(() => plan({ ...tls, ...options })).toThrow(
      expect.objectContaining({ kind: 'config', message: expect.stringMatching(message) }),
    );
  });

  it('refuses the key of another certificate', () => {
    writeFileSync(folder.at('server.key'), other.key);
    expect(() => plan(tls)).toThrow(
      expect.objectContaining({ code: 'E_TLS_FILE', message: expect.stringContaining('is not the key of the certificate in') }),
    );
  });

  it('refuses a key with a passphrase', () => {
    const locked = createPrivateKey(issued.key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
    writeFileSync(folder.at('server.key'), locked);
    expect(() => plan(tls)).toThrow(expect.objectContaining({ message: expect.stringMatching(/server\.key has a passphrase$/) }));
  });

  it.each([
    ['that expired', new Date('2199-01-01'), / expired on \d{4}-\d\d-\d\d$/],
    ['of the future', new Date('2001-01-01'), / is not valid before \d{4}-\d\d-\d\d$/],
  ])('refuses a certificate %s', (_title, now, message) => {
    expect(() => plan(tls, now)).toThrow(
      expect.objectContaining({ code: 'E_TLS_FILE', message: expect.stringMatching(message) }),
    );
  });
});
