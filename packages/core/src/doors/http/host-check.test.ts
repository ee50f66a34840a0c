import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenDoor, openTestDoor } from '../../testing/http/open-door.ts';
import { sendRaw } from '../../testing/http/raw-http.ts';
import { createHostRules } from './host-check.ts';

let open: OpenDoor;
beforeAll(async () => {
  open = await openTestDoor({
    hostRules: createHostRules({
      address: '127.0.0.1',
      allowedHosts: ['mole.example.com'],
      allowedOrigins: ['https://app.example.com:8443'],
      isBehindProxy: false,
    }),
  });
});
afterAll(() => open.close());

async function statusFor(lines: readonly string[], path = '/healthz'): Promise<number> {
  const answer = await sendRaw(open.port, `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  return answer.status;
}

describe('the header Host', () => {
  it.each([
    'localhost',
    'LOCALHOST:80',
    'localhost:50001',
    '127.0.0.1',
    '127.0.0.1:50001',
    '[::1]',
    '[::1]:50001',
    'mole.example.com',
    'Mole.Example.COM:443',
  ])('%s is accepted', async (host) => {
    expect(await statusFor([`Host: ${host}`])).toBe(200);
  });

  it.each([
    'evil.example.com',
    'evil.example.com:50001',
    'localhost.evil.example.com',
    'evil.localhost',
    'localhost.',
    'localhost:80@evil.example.com',
    'localhost@evil.example.com',
    'evil.example.com#localhost',
    'evil.example.com/localhost',
    'evil.example.com?localhost',
    'localhost/',
    'localhost:',
    'localhost:abc',
    'localhost:1234567',
    'localhost, evil.example.com',
    'localhost evil.example.com',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '127.0.0.1.nip.io',
    '0.0.0.0',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::1',
    '::1',
    '[::1]evil',
    'xn--lcalhost-9za',
    '10.0.0.1',
    'app.example.com',
    '""',
    'null',
    'http://localhost',
  ])('%s is refused', async (host) => {
    expect(await statusFor([`Host: ${host}`])).toBe(403);
  });

  it('is required, and only one is accepted', async () => {
    expect(await statusFor(['Host:'])).toBe(403);
    expect(await statusFor(['Host: localhost', 'Host: evil.example.com'])).toBe(400);
    expect((await sendRaw(open.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(403);
    expect((await sendRaw(open.port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).status).toBe(400);
  });

  it('counts where the request line names another host', async () => {
    expect(await statusFor(['Host: evil.example.com'], 'http://localhost/healthz')).toBe(403);
    expect(await statusFor(['Host: localhost'], 'http://evil.example.com/healthz')).toBe(404);
  });

  it('is not replaced by a header of a proxy that is not there', async () => {
    expect(await statusFor(['Host: evil.example.com', 'X-Forwarded-Host: localhost'])).toBe(403);
    expect(await statusFor(['Host: localhost', 'X-Forwarded-Host: evil.example.com'])).toBe(200);
  });
});

describe('the header Origin', () => {
  it.each([
    'http://localhost',
    'http://localhost:6274',
    'https://127.0.0.1:50001',
    'http://[::1]:50001',
    'https://mole.example.com',
    'https://app.example.com:8443',
    'HTTPS://App.Example.com:8443',
  ])('%s is accepted', async (origin) => {
    expect(await statusFor(['Host: localhost', `Origin: ${origin}`])).toBe(200);
  });

  it.each([
    'null',
    '',
    'http://evil.example.com',
    'https://app.example.com',
    'http://app.example.com:8443',
    'http://localhost.evil.example.com',
    'http://localhost@evil.example.com',
    'http://evil.example.com/http://localhost',
    'http://localhost/path',
    'http://localhost?x',
    'http://localhost#x',
    'http://localhost\\evil',
    'file://',
    'ftp://localhost',
    'chrome-extension://abcdefgh',
    'localhost',
    '//localhost',
    'http://localhost, http://evil.example.com',
    'http://127.1',
  ])('%j is refused', async (origin) => {
    expect(await statusFor(['Host: localhost', `Origin: ${origin}`])).toBe(403);
  });
});

describe('the options of hosts and origins', () => {
  const create = (allowedHosts: string[], allowedOrigins: string[] = []) =>
    createHostRules({ address: '127.0.0.1', allowedHosts, allowedOrigins, isBehindProxy: false });

  it.each(['mole.example.com', 'Mole.Example.Com', '10.1.2.3', '::1', '[fd00::1]'])('accept the host %s', (host) => {
    expect(create([host]).hosts.size).toBeGreaterThanOrEqual(3);
  });

  it.each(['https://mole.example.com', 'mole.example.com:443', '*', '', 'a b', 'mole.example.com/'])(
    'refuse the host %j',
    (host) => {
      expect(() => create([host])).toThrow(`invalid --allow-host ${JSON.stringify(host)}: expected a name or an IP address`);
    },
  );

  it.each(['app.example.com', 'https://app.example.com/', 'null', '*', ''])('refuse the origin %j', (origin) => {
    expect(() => create([], [origin])).toThrow(`invalid --allow-origin ${JSON.stringify(origin)}: expected a scheme and a host`);
  });
});

it('takes the host of a proxy where there is one, and of several the last', async () => {
  const proxied = await openTestDoor({
    hostRules: createHostRules({
      address: '127.0.0.1',
      allowedHosts: ['mole.example.com'],
      allowedOrigins: [],
      isBehindProxy: true,
    }),
  });
  const status = async (...forwarded: string[]) => {
    const lines = ['GET /healthz HTTP/1.1', 'Host: localhost', ...forwarded, 'Connection: close', '', ''];
    return (await sendRaw(proxied.port, lines.join('\r\n'))).status;
  };
  expect(await status('X-Forwarded-Host: mole.example.com')).toBe(200);
  expect(await status('X-Forwarded-Host: evil.example.com')).toBe(403);
  expect(await status('X-Forwarded-Host: mole.example.com, evil.example.com')).toBe(403);
  expect(await status('X-Forwarded-Host: mole.example.com', 'X-Forwarded-Host: evil.example.com')).toBe(400);
  await proxied.close();
});
