import { describe, expect, it } from 'vitest';
import { connectionSchema, resolvePort, toolSchema } from './schema.ts';

const base = { name: 'c', type: 'elasticsearch', host: 'es' };
const parse = (fields: object) => connectionSchema.safeParse({ ...base, ...fields });
const problem = (fields: object) =>
  parse(fields)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ');
const none = { auth: 'none' };

describe('who connects', () => {
  it.each([
    [{ user: 'me', password: 'secret' }],
    [{ apiKey: 'id:key' }],
    [{ apiKey: { env: 'KEY' } }],
    [{ user: 'me', password: { file: '/x' } }],
    [none],
  ])('may be said as %j', (fields) => {
    expect(problem(fields)).toBeUndefined();
  });

  const ways = 'give user and password, or apiKey, or "auth": "none" for a cluster without security';
  it.each([
    [{}, `it does not say who connects; ${ways}`],
    [{ user: 'me' }, `password is missing; ${ways}`],
    [{ password: 'x' }, `user is missing; ${ways}`],
    [{ user: 'me', password: 'x', apiKey: 'a:b' }, 'an apiKey and a user or password'],
    [{ user: 'me', apiKey: 'a:b' }, 'an apiKey and a user or password'],
    [{ ...none, user: 'me', password: 'x' }, '"auth": "none" and credentials'],
    [{ ...none, apiKey: 'a:b' }, '"auth": "none" and credentials'],
  ])('is not said by %j', (fields, why) => {
    expect(problem(fields)).toContain(why);
  });
});

describe('where the cluster is', () => {
  const cloudId = `my:${Buffer.from('found.io$abc$def').toString('base64')}`;

  it('is port 9200 unless said otherwise', () => {
    expect(resolvePort({})).toBe(9200);
    expect(resolvePort({ port: 9243 })).toBe(9243);
  });

  it('may be a URL or a cloud id', () => {
    const { host: _host, ...rest } = base;
    const url = connectionSchema.parse({ ...rest, url: 'http://me:secret-7@localhost:9201/es' });
    expect(url).toMatchObject({
      scheme: 'http',
      host: 'localhost',
      port: 9201,
      user: 'me',
      password: 'secret-7',
      pathPrefix: '/es',
    });
    expect(url).not.toHaveProperty('url');
    const cloud = connectionSchema.parse({ name: 'c', cloudId, apiKey: 'a:b' });
    expect(cloud).toMatchObject({ type: 'elasticsearch', scheme: 'https', host: 'abc.found.io', port: 443 });
    expect(cloud).not.toHaveProperty('cloudId');
  });

  it.each([
    [{ url: 'http://es:1', port: 2, ...none }, 'url: it says another port than the key "port"'],
    [{ url: 'http://other:1', ...none }, 'url: it says another host than the key "host"'],
    [{ cloudId, ...none }, 'cloudId: it says another host than the key "host"'],
    [{ cloudId, url: 'https://es', ...none }, 'cloudId: there is a `url` as well'],
    [{ cloudId: 'nothing!', ...none }, 'cloudId: it has the form name:base64'],
    [{ url: 'https://es?x', ...none }, 'url: it has a query'],
    [{ host: 'https://es', ...none }, 'host: it takes a name or an address alone'],
    [{ host: 'es:9200', ...none }, 'host: it takes a name or an address alone'],
    [{ nodes: ['es2:x'], ...none }, 'nodes.0: it has the form host or host:port'],
    [{ pathPrefix: 'es', ...none }, 'pathPrefix: it has the form /path'],
    [{ pathPrefix: '/es/../x', ...none }, 'pathPrefix: it has the form /path'],
    [{ caFingerprint: 'AB:CD', ...none }, 'caFingerprint: it is the SHA-256'],
    [{ indices: [], ...none }, 'indices: '],
    [{ verifyTLS: false, ...none }, 'Unrecognized key'],
  ])('refuses %j', (fields, why) => {
    expect(problem(fields)).toContain(why);
  });

  it('takes the rest', () => {
    const hex = 'a1'.repeat(32);
    const fields = { verifyTls: false, nodes: ['es2', '[::1]:9201'], indices: ['logs-*'], systemIndices: true, ca: '/ca.crt' };
    expect(parse({ ...fields, caFingerprint: hex, ...none }).success).toBe(true);
    expect(parse({ caFingerprint: hex.toUpperCase().match(/../g)?.join(':'), ...none }).success).toBe(true);
  });
});

describe('what a tool may say', () => {
  it('names no file, widens nothing and refers to no secret', () => {
    const fields = { name: 'c', host: 'es', apiKey: 'a:b', url: 'https://es', cloudId: 'x:y', scheme: 'http' };
    expect(toolSchema.safeParse(fields).success).toBe(true);
    for (const key of ['ca', 'indices', 'systemIndices', 'nodes'])
      expect(toolSchema.safeParse({ ...fields, [key]: 'x' }).success).toBe(false);
    expect(toolSchema.safeParse({ ...fields, apiKey: { env: 'X' } }).success).toBe(false);
  });
});
