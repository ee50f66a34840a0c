import { readFileSync } from 'node:fs';
import { createApp, type Registry } from '@dbmole/core';
import { createTempFolder, failureOf, type TempFolder } from '@dbmole/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from './connection/schema.ts';
import { definition } from './server.ts';

/** What happens to a stored connection with a URL when some of its fields are changed. */
describe('a change of a connection that is stored as a URL', () => {
  let folder: TempFolder;
  let registry: Registry<Connection>;
  const env = { SHOP_PASSWORD: 'p/w', HOST: 'other' };
  beforeEach(() => {
    folder = createTempFolder();
    const options = { env: { ...env, DBMOLE_STORE: folder.at('store.json') }, cwd: folder.path, home: folder.path };
    ({ registry } = createApp(definition, { ...options, log: () => undefined }));
  });
  afterEach(() => folder[Symbol.dispose]());

  const stored = () => JSON.parse(readFileSync(folder.at('store.json'), 'utf8')).connections[0];

  it('replaces that part of the URL and keeps the others', async () => {
    await registry.person.add({ name: 'a', url: 'postgres://app:pw@127.0.0.1:5432/shop?sslmode=require', readonly: true });
    await registry.person.update('a', { port: 5433, database: null });
    const fields = { type: 'postgres', host: '127.0.0.1', port: 5433, user: 'app', password: 'pw', tls: 'require' };
    expect(stored()).toEqual({ name: 'a', readonly: true, ...fields });
  });

  it('leaves the URL as it is when the field is not in it', async () => {
    const url = 'postgres://app:pw@127.0.0.1/shop';
    await registry.person.add({ name: 'a', url });
    await registry.person.update('a', { readonly: true, tls: 'disable', port: 5433 });
    expect(stored()).toEqual({ name: 'a', url, readonly: true, tls: 'disable', port: 5433 });
  });

  it('keeps variables, and makes none out of other text', async () => {
    await registry.person.add({ name: 'a', url: 'postgres://app:${SHOP_PASSWORD}@${HOST}/%24%7BHOME%7D' });
    await registry.person.update('a', { user: 'me' });
    expect(stored()).toMatchObject({ user: 'me', password: '${SHOP_PASSWORD}', host: '${HOST}', database: '$${HOME}' });
    expect((await registry.resolve('a')).config).toMatchObject({ password: 'p/w', host: 'other', database: '${HOME}' });
  });

  it('takes a new URL in place of the fields that it holds', async () => {
    await registry.person.add({ name: 'a', type: 'mysql', host: 'h', user: 'me', password: 'pw', database: 'd' });
    await registry.person.update('a', { url: 'postgres://you@other' });
    expect(stored()).toEqual({ name: 'a', url: 'postgres://you@other', password: 'pw', database: 'd' });
  });

  it('says what is wrong with a value of the URL, and shows no limit in the words of a library', async () => {
    const add = (fields: object) => failureOf(registry.person.add({ name: 'a', ...fields }));
    const { message } = await add({ url: 'postgres://me@h/d?options=-csearch_path%3Dpg_catalog' });
    expect(message).toContain('the key "schema" is not accepted (expected the name of a schema, or several with commas)');
    expect((await add({ url: 'postgres://h/d' })).message).toContain('the key "user" is missing');
    expect((await add({ url: 'postgres://me@h', port: 99_999 })).message).toContain(
      '"port" is not accepted (expected at most 65535)',
    );
  });

  it('may be another database for a tool, and not another host', async () => {
    await registry.add({ name: 'a', url: 'postgres://app:pw@127.0.0.1/shop' });
    await registry.update('a', { database: 'other' });
    expect(stored()).toMatchObject({ database: 'other', password: 'pw' });
    const move = registry.update('a', { host: 'evil.example' });
    expect(await failureOf(move)).toMatchObject({
      code: 'E_SECRET_REDIRECT',
      message: expect.stringContaining('keeps a stored password; with another host'),
    });
    expect(await failureOf(registry.update('a', { url: 'postgres://app@evil.example' }))).toMatchObject({
      code: 'E_SECRET_REDIRECT',
    });
  });

  it('cannot bring a tool to a path of this machine', async () => {
    const url = 'postgres:///shop?host=/var/run/postgresql&user=me';
    expect(await failureOf(registry.add({ name: 'a', url }))).toMatchObject({ code: 'E_PERSON_ONLY' });
    expect((await registry.person.add({ name: 'a', url })).config).toMatchObject({ host: '/var/run/postgresql' });
  });
});
