import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Approvals } from '../../approval/approvals.ts';
import { createLog } from '../../log.ts';
import { LiveCalls } from '../../recording/live/live-calls.ts';
import { Recorder } from '../../recording/recorder.ts';
import { type OpenDoor, openTestDoor } from '../../testing/http/open-door.ts';
import { post, type RawAnswer } from '../../testing/http/raw-http.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { createToolServer } from '../../tools/tool-server.ts';
import { PageAccess } from './page-access.ts';
import { PageDoor } from './page-door.ts';
import { ApprovalDesk } from './parts/approvals-part.ts';
import { createLivePart } from './parts/live-part.ts';
import { createToolsPart } from './parts/tools-part.ts';

const folder = useTempFolder();
let open: OpenDoor;
let access: PageAccess;
let now: number;

beforeEach(async () => {
  now = Date.now();
  const live = new LiveCalls();
  const recorder = new Recorder({ program: 'thing', isTagged: false, sinks: [live] });
  const tools = createToolServer({ name: 'x', version: '1', instructions: '', log: createLog('x', 'error'), recorder });
  const approvals = new Approvals({ command: 'x approve', cwd: '/project', pending: undefined });
  access = new PageAccess({ stateFolder: folder.path, root: '/project', now: () => now });
  const page = new PageDoor({
    server: { name: 'thing', version: '1', root: '/project' },
    openParts: async () => [createLivePart(live), new ApprovalDesk(approvals).part, createToolsPart(tools)],
    tools,
    access,
    address: { isSecure: false, isBehindProxy: false },
    limits: { body: 10_000, idleTimeout: 5_000 },
    log: () => undefined,
  });
  open = await openTestDoor({ page, limits: { callsPerClient: 1 } });
});
afterEach(() => open.close());

const pageHeaders = () => ({ 'x-mole-page': '1', origin: `http://127.0.0.1:${open.port}`, host: `127.0.0.1:${open.port}` });

const ask = (path: string, body: unknown, headers: Record<string, string | undefined> = {}): Promise<RawAnswer> => {
  const all = Object.entries({ ...pageHeaders(), ...headers });
  const given = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return post(open.port, body, { path: `/ui/api/${path}`, headers: given });
};

/** The headers of a browser that is signed in. */
async function signIn() {
  const { headers, body } = await ask('session', { code: await access.createCode() });
  const { key } = JSON.parse(body) as { key: string };
  return { cookie: headers['set-cookie']?.split(';')[0] ?? '', 'x-mole-page': key };
}

const listTools = { part: 'tools', action: 'list', input: {} };

describe('the door of the page', () => {
  it('opens a session for a code once, in time, and for its own project alone', async () => {
    const code = await access.createCode();
    const first = await ask('session', { code });
    expect(first.headers['set-cookie']).toMatch(
      new RegExp(`^mole-page-${open.port}=[\\w-]{43}; Path=/ui; HttpOnly; SameSite=Strict$`),
    );
    const late = await access.createCode();
    now += 5 * 60_000 + 1;
    const foreign = await new PageAccess({ stateFolder: folder.path, root: '/other', now: () => now }).createCode();
    for (const used of [code, late, foreign, '', 'x'.repeat(43), 7, null]) {
      const { status, headers } = await ask('session', { code: used });
      expect([used, status, headers['set-cookie']]).toEqual([used, 403, undefined]);
    }
  });

  it('keeps no secret in its file, and takes none from a file that others could write', async () => {
    const session = await signIn();
    const path = folder.at('page.json');
    const [, secret = ''] = session.cookie.split('=');
    const key = session['x-mole-page'];
    const text = readFileSync(path, 'utf8');
    expect([secret, key].filter((one) => text.includes(one))).toEqual([]);
    expect(text).toContain(createHash('sha256').update(`${secret}.${key}`).digest('base64url'));
    if (process.platform === 'win32') return;
    const { chmodSync } = await import('node:fs');
    chmodSync(path, 0o666);
    expect((await ask('run', listTools, session)).status).toBe(401);
    writeFileSync(path, '{ "codes": 7, "sessions": [null, {}] }');
    chmodSync(path, 0o600);
    expect((await ask('run', listTools, session)).status).toBe(401);
  });

  it.each<[string, Record<string, string | undefined>, number]>([
    ['without the cookie', { cookie: undefined }, 401],
    ['with a cookie that is not a session', { cookie: 'mole-page-1=x; a=b' }, 401],
    ['with the cookie alone, as another port of this machine gets it', { 'x-mole-page': '1' }, 401],
    ['without the header of the page', { 'x-mole-page': undefined }, 403],
    ['without an origin', { origin: undefined }, 403],
    ['from another site', { origin: 'https://evil.example.com' }, 403],
    ['from another port of this machine', { origin: 'http://127.0.0.1:3000' }, 403],
    ['from another name of this machine', { origin: 'http://localhost' }, 403],
    ['from a page without an origin', { origin: 'null' }, 403],
    ['from a site that the browser calls another one', { 'sec-fetch-site': 'same-site' }, 403],
    ['for a host that is not ours', { host: 'evil.example.com' }, 403],
  ])('refuses a request %s', async (_what, headers, status) => {
    const session = await signIn();
    for (const path of ['run', 'events', 'leave', 'session']) {
      if (path === 'session' && status === 401) continue;
      const answer = await ask(path, listTools, { ...session, ...headers });
      expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([path, status, undefined]);
    }
    expect((await ask('run', listTools, session)).status).toBe(200);
  });

  it('answers no GET, no unknown action, and no file that is not one of the page', async () => {
    const session = await signIn();
    const headers = { ...pageHeaders(), ...session };
    expect((await post(open.port, '', { path: '/ui/api/run', method: 'GET', headers })).status).toBe(405);
    for (const name of ['../package.json', '..%2fpackage.json', 'page.json', 'api', 'x.js', '%00', '__proto__'])
      expect([name, (await post(open.port, '', { path: `/ui/${name}`, method: 'GET' })).status]).toEqual([name, 404]);
    for (const wrong of [{}, { part: 'tools' }, { part: 'x', action: 'y' }, { part: 'tools', action: 'toString' }, []])
      expect([wrong, (await ask('run', wrong, session)).status]).toEqual([wrong, 404]);
    expect((await ask('run', { ...listTools, input: { more: 1 } }, session)).body).toContain('E_INPUT');
    expect((await ask('run', 'x'.repeat(20_000), session)).status).toBe(413);
    expect((await post(open.port, '', { path: '/ui', method: 'GET' })).headers.location).toBe('/ui/');
  });

  it('cannot be put into a frame or run what is not its own', async () => {
    const { headers } = await ask('session', { code: await access.createCode() });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  it('ends a session when the person leaves', async () => {
    const session = await signIn();
    expect((await ask('leave', {}, session)).headers['set-cookie']).toContain('Max-Age=0');
    expect((await ask('run', listTools, session)).status).toBe(401);
  });

  it('sends the state of each part first, and then what happens', async () => {
    const session = await signIn();
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const options = {
        port: open.port,
        host: '127.0.0.1',
        path: '/ui/api/events',
        method: 'POST',
        headers: { ...pageHeaders(), ...session },
      };
      const request = get(options, (response) => {
        response.setEncoding('utf8').on('data', (piece: string) => {
          received += piece;
          if (!received.includes('event: approvals')) return;
          request.destroy();
          resolve(received);
        });
      });
      request.on('error', reject);
    });
    const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(names).toEqual(['hello', 'live', 'approvals']);
    expect(text).toContain('"parts":["live","approvals","tools"]');
    expect(text).toContain('data: {"calls":[],"isWhole":true}');
  });
});
