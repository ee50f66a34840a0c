import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { secretRef } from '../connection.ts';
import { joinUrl, orIssue, parseUrl } from '../connection-url.ts';
import { failureOf } from '../testing/failure-of.ts';
import { eachInRegistryWorld, exampleSchema, type RegistryWorld } from '../testing/fakes/registry-world.ts';

const parse = (text: string) => {
  const { user, password, host, port, path } = parseUrl(text, 'north://user@host');
  const database = decodeURIComponent(path.slice(1));
  return { type: 'north', user, host, ...(port && { port }), ...(password && { password }), ...(database && { database }) };
};

const schema = z
  .looseObject({ name: z.string(), url: secretRef.optional() })
  .transform(({ url, ...fields }, context) => (url === undefined ? fields : orIssue(context, () => joinUrl(fields, url, parse))))
  .pipe(exampleSchema);

let world: RegistryWorld;
eachInRegistryWorld(
  (one) => {
    world = one;
  },
  { schema },
);

const read = async (url: string, env: Record<string, string>) => {
  Object.assign(world.env, env);
  world.writeStore({ name: 'prod', url });
  return (await world.registry.resolve('prod')).config;
};

describe('a variable inside of a URL', () => {
  it.each(['p/w', 'p@w', 'p#w', 'p%2Fw', 'p:w?x', 'p w\n', '@/', '${PW}', 'é😀'])('may hold %j', async (PW) => {
    const config = await read('north://me:${PW}@db.internal:7/shop', { PW });
    expect(config).toMatchObject({ user: 'me', password: PW, host: 'db.internal', port: 7, database: 'shop' });
  });

  it('may be any part of it, and stays that part', async () => {
    const url = 'north://${USER_NAME}:${PW:-p@/w}@${HOST}:${PORT}/${DATABASE}';
    const env = { USER_NAME: 'me@there', HOST: 'db.internal', PORT: '7', DATABASE: 'a/b?c' };
    const parts = { user: 'me@there', password: 'p@/w', host: 'db.internal', port: 7, database: 'a/b?c' };
    expect(await read(url, env)).toMatchObject(parts);
    const host = 'evil.invalid/x@db.internal';
    expect(await read(url, { ...env, HOST: host })).toMatchObject({ ...parts, host });
  });

  it('may be all of it, and is a URL then', async () => {
    expect(await read('${URL}', { URL: 'north://me:p%2Fw@db' })).toMatchObject({ user: 'me', password: 'p/w', host: 'db' });
    expect(await read('${URL}/shop', { URL: 'north://me@db' })).toMatchObject({ host: 'db', database: 'shop' });
    const failure = await failureOf(read('${URL}', { URL: 'north://me:hunter@22@db' }));
    expect(failure.message).toContain('%40');
    expect(failure.message).not.toContain('hunter');
  });

  it('is not read out of what a tool has stored', async () => {
    world.env.PW = 'from-the-environment';
    await world.registry.add({ name: 'added', url: 'north://me:$%7BPW%7D@db/${PW}' });
    const { config } = await world.registry.resolve('added');
    expect(config).toMatchObject({ password: '${PW}', database: '${PW}' });
  });
});
