import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from './open-tools.ts';

const secret = 'only-in-this-url-3';
const url = `postgres://me:${secret}@127.0.0.1:1/shop`;

let tools: OpenTools;
afterEach(() => tools.close());

/** Everything that a call answers, both halves of it. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  return JSON.stringify(await tools.call(name, args));
}

describe('a connection that is given as a URL', () => {
  it('is listed by its fields, in each form, and its password is not', async () => {
    // The variable's own value is used unchanged; variables are expanded in files.
    const stored = [
      { name: 'variable', url: '${DATABASE_URL}' },
      { name: 'parts', url: 'postgres://me:${PASSWORD}@127.0.0.1:1/shop' },
      { name: 'odd', url: 'postgres://me:${ODD}@127.0.0.1:1/shop?schema=public' },
      { name: 'unset', url: '${NOWHERE}' },
      { name: 'referring', url: { env: 'DATABASE_URL' } },
    ];
    const store = join(await mkdtemp(join(tmpdir(), 'dbmole-url-')), 'store.json');
    await writeFile(store, JSON.stringify({ version: 1, connections: stored }), { mode: 0o600 });
    tools = await openTools(
      [
        { name: 'plain', url },
        { name: 'broken', url: `${url}?sslmod=x` },
        { name: 'raw', url: url.replace(secret, `x@${secret}`) },
        { name: 'twice', url, host: 'other' },
      ],
      { DATABASE_URL: url, PASSWORD: secret, ODD: `p/w@x#${secret}`, DBMOLE_STORE: store },
    );
    const listed = await call('list_connections');
    for (const name of ['plain', 'variable', 'parts', 'odd'])
      expect(listed).toMatch(new RegExp(`${name},[^\\n]*postgres,127.0.0.1,1,me,shop`));
    expect(listed).toContain('sslmod');
    expect(listed).toContain('%40');
    expect(listed).toContain('NOWHERE');
    expect(listed).not.toContain(secret);
    for (const name of ['plain', 'variable', 'parts', 'odd', 'raw', 'broken', 'twice', 'unset', 'referring']) {
      const answer = await call('query', { connection: name, sql: 'select 1' });
      expect(answer).not.toContain(secret);
      expect(answer).toMatch(/^\{"text":"E_/);
    }
    for (const connection of ['variable', 'odd'])
      expect(await call('query', { connection, sql: 'select 1' })).toContain('E_CONNECT_REFUSED');
    await rm(dirname(store), { recursive: true });
  });

  it('can be added by a tool, and is not shown again', async () => {
    tools = await openTools([]);
    expect(await call('add_connection', { name: 'x', url })).toContain('Added x');
    expect(await call('list_connections')).toMatch(/postgres,127.0.0.1,1,me,shop/);
    expect(await call('add_connection', { name: 'y', url, user: 'another' })).toContain('\\"user\\"');
    expect(await call('add_connection', { name: 'y' })).toContain('is missing');
    for (const answer of [await call('list_connections'), await call('test_connection', { name: 'x' })]) {
      expect(answer).not.toContain(secret);
    }
  });

  it('cannot lead a tool around a read-only connection, whichever of the two is a URL', async () => {
    tools = await openTools([{ name: 'guarded', url, readonly: true }]);
    const fields = { type: 'postgres', host: 'localhost', port: 1, user: 'me' };
    expect(await call('add_connection', { name: 'w', ...fields })).toContain('E_READONLY_LOCKED');
    expect(await call('add_connection', { name: 'w', url: 'postgres://me@localhost:1/other' })).toContain('E_READONLY_LOCKED');
    expect(await call('add_connection', { name: 'w', url: 'postgres://me@localhost:2/other' })).toContain('Added');
    expect(await call('update_connection', { name: 'w', url: 'postgres://me@127.0.0.1:1/other' })).toContain('E_READONLY_LOCKED');
  });

  it('cannot lead a stored password somewhere else', async () => {
    tools = await openTools([]);
    await call('add_connection', { name: 'x', type: 'postgres', host: 'db.invalid', user: 'me', password: secret });
    expect(await call('update_connection', { name: 'x', url: 'postgres://me@evil.invalid/' })).toContain('"isError":true');
    await call('add_connection', { name: 'y', url: `postgres://me:${secret}@db.invalid/` });
    expect(await call('update_connection', { name: 'y', tls: 'disable' })).toContain('E_SECRET_REDIRECT');
    expect(await call('update_connection', { name: 'y', ssh: 'bastion' })).toContain('E_SECRET_REDIRECT');
  });
});
