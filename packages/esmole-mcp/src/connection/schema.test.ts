import { describe, expect, it } from 'vitest';
import { connectionSchema, publicView, resolvePort, toolSchema } from './schema.ts';

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

  const ways = 'give user and password, or apiKey, or set auth to none for a cluster without security';
  it.each([
    [{}, `credentials are missing; ${ways}`],
    [{ user: 'me' }, `password is missing; ${ways}`],
    [{ password: 'x' }, `user is missing; ${ways}`],
    [{ user: 'me', password: 'x', apiKey: 'a:b' }, 'apiKey conflicts with user and password'],
    [{ user: 'me', apiKey: 'a:b' }, 'apiKey conflicts with user and password'],
    [{ ...none, user: 'me', password: 'x' }, 'auth=none conflicts with credentials'],
    [{ ...none, apiKey: 'a:b' }, 'auth=none conflicts with credentials'],
  ])('is not said by %j', (fields, why) => {
    expect(problem(fields)).toContain(why);
  });
});

describe('where the cluster is', () => {
  const cloudId = `my:${Buffer.from('found.io$abc$def').toString('base64')}`;

  it('uses port 9200 by default', () => {
    expect(resolvePort({})).toBe(9200);
    expect(resolvePort({ port: 9243 })).toBe(9243);
  });

  it('accepts a URL or a cloud id', () => {
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

  it('needs no type in a connection', () => {
    const { type: _type, ...rest } = base;
    expect(connectionSchema.parse({ ...rest, ...none })).toMatchObject({ type: 'elasticsearch', host: 'es' });
    expect(connectionSchema.safeParse({ ...rest, ...none, type: 'postgres' }).success).toBe(false);
    expect(connectionSchema.safeParse({ name: 'c', ...none }).success).toBe(false);
  });

  it.each([
    [{ url: 'http://es:1', port: 2, ...none }, 'url: the URL and "port" disagree'],
    [{ url: 'http://other:1', ...none }, 'url: the URL and "host" disagree'],
    [{ cloudId, ...none }, 'cloudId: the cloud ID and "host" disagree'],
    [{ cloudId, url: 'https://es', ...none }, 'cloudId: it conflicts with `url`'],
    [{ cloudId: 'nothing!', ...none }, 'cloudId: expected name:base64'],
    [{ url: 'https://es?x', ...none }, 'url: it has a query'],
    [{ host: 'https://es', ...none }, 'host: expected a name or an address alone'],
    [{ host: 'es:9200', ...none }, 'host: expected a name or an address alone'],
    [{ nodes: ['es2:x'], ...none }, 'nodes.0: expected host or host:port'],
    [{ pathPrefix: 'es', ...none }, 'pathPrefix: expected /path'],
    [{ pathPrefix: '/es/../x', ...none }, 'pathPrefix: expected /path'],
    [{ caFingerprint: 'AB:CD', ...none }, 'caFingerprint: expected the SHA-256'],
    [{ indices: [], ...none }, 'indices: '],
    [{ verifyTLS: false, ...none }, 'Unrecognized key'],
  ])('refuses %j', (fields, why) => {
    expect(problem(fields)).toContain(why);
  });

  it('accepts all other fields', () => {
    const hex = 'a1'.repeat(32);
    const fields = { verifyTls: false, nodes: ['es2', '[::1]:9201'], indices: ['logs-*'], ca: '/ca.crt' };
    expect(parse({ ...none, systemIndices: true, sensitive: true, models: true }).success).toBe(true);
    expect(parse({ ...fields, caFingerprint: hex, ...none }).success).toBe(true);
    expect(parse({ caFingerprint: hex.toUpperCase().match(/../g)?.join(':'), ...none }).success).toBe(true);
  });
});

describe('what a tool may say', () => {
  it('lets no tool name files, widen access or refer to secrets', () => {
    const fields = { name: 'c', host: 'es', apiKey: 'a:b', url: 'https://es', cloudId: 'x:y', scheme: 'http' };
    expect(toolSchema.safeParse(fields).success).toBe(true);
    for (const key of ['ca', 'indices', 'systemIndices', 'sensitive', 'models', 'nodes'])
      expect(toolSchema.safeParse({ ...fields, [key]: 'x' }).success).toBe(false);
    expect(toolSchema.safeParse({ ...fields, apiKey: { env: 'X' } }).success).toBe(false);
  });
});

describe('what a list shows', () => {
  it('lists permissions that are not the default', () => {
    const view = (fields: object) => publicView(connectionSchema.parse({ ...base, ...none, ...fields }));
    const all = { systemIndices: true, sensitive: true, models: true };
    expect(view(all)).toMatchObject(all);
    expect(view({ sensitive: false })).toMatchObject({ systemIndices: undefined, sensitive: undefined, models: undefined });
  });
});

describe('the indices that may be used', () => {
  it('are names and patterns, of which none excludes', () => {
    expect(problem({ ...none, indices: ['logs-*', 'orders', '.own'] })).toBeUndefined();
    for (const name of ['!hr', '-hr', ' !hr*'])
      expect(problem({ ...none, indices: ['logs-*', name] })).toContain('indices.1: an index cannot be excluded: list the names');
  });
});

describe('Kibana in front of a cluster', () => {
  const at = (kibana: object, fields: object = {}) =>
    connectionSchema.safeParse({ name: 'c', kibana, apiKey: 'id:key', ...fields });

  it('is where the connection leads', () => {
    const { data } = at({ url: 'https://kibana.example.com/base/', space: 'ops' });
    expect(data).toMatchObject({ scheme: 'https', host: 'kibana.example.com', port: 443, pathPrefix: '/base' });
    expect(publicView(data ?? {})).toMatchObject({ host: 'kibana.example.com', kibana: 'ops' });
    expect(toolSchema.safeParse({ name: 'c', kibana: { url: 'http://kibana:5601' }, apiKey: 'id:key' }).success).toBe(true);
  });

  it.each([
    [{ url: 'kibana' }, {}, 'kibana'],
    [{ url: 'https://me:secret@kibana' }, {}, 'its url has a login'],
    [{ url: 'https://kibana', space: '../x' }, {}, 'expected the identifier of a space'],
    [{ url: 'https://kibana', spaces: 'x' }, {}, 'spaces'],
    [{ space: 'x' }, {}, 'kibana'],
    [{ url: 'https://kibana' }, { host: 'es' }, 'disagree'],
    [{ url: 'https://kibana' }, { nodes: ['a'] }, 'conflicts'],
    [{ url: 'https://kibana' }, { url: 'https://es' }, 'conflicts'],
  ])('is not accepted as %j with %j', (kibana, fields, why) => {
    expect(JSON.stringify(at(kibana, fields).error?.issues)).toContain(why);
  });
});
