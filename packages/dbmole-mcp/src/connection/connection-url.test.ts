import { UrlError } from '@dbmole/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConnectionUrl } from './connection-url.ts';
import { connectionSchema, publicView } from './schema.ts';

describe('a connection URL', () => {
  it.each([
    [
      'postgres://me:pw@db.example:6432/shop',
      { type: 'postgres', host: 'db.example', port: 6432, user: 'me', password: 'pw', database: 'shop' },
    ],
    ['postgresql://me@db.example', { type: 'postgres', host: 'db.example', user: 'me' }],
    ['mysql://me:pw@127.0.0.1/', { type: 'mysql', host: '127.0.0.1', user: 'me', password: 'pw' }],
    ['mariadb://db.example/shop', { type: 'mariadb', host: 'db.example', database: 'shop' }],
    ['POSTGRES://me@db.example', { type: 'postgres', host: 'db.example', user: 'me' }],
    ['postgres://me@[2001:db8::1]:5433/x', { type: 'postgres', host: '2001:db8::1', port: 5433, user: 'me', database: 'x' }],
    ['postgres://a%40b:p%2Fw%25%3A@h/d%2Fb', { type: 'postgres', host: 'h', user: 'a@b', password: 'p/w%:', database: 'd/b' }],
    ['postgres://h/%E2%82%AC', { type: 'postgres', host: 'h', database: '€' }],
    ['postgres:///shop', { type: 'postgres', database: 'shop' }],
    ['postgresql+psycopg2://me@h/d', { type: 'postgres', host: 'h', user: 'me', database: 'd' }],
    [
      'postgres:///shop?host=/var/run/postgresql&port=5433&user=me&password=p%40w',
      { type: 'postgres', host: '/var/run/postgresql', port: 5433, user: 'me', password: 'p@w', database: 'shop' },
    ],
    ['postgres://me@%2Fvar%2Frun/shop', { type: 'postgres', host: '/var/run', user: 'me', database: 'shop' }],
    ['postgres://me@h?dbname=d&port=5432', { type: 'postgres', host: 'h', user: 'me', port: 5432, database: 'd' }],
    ['postgres://me@h/d?schema=app', { type: 'postgres', host: 'h', user: 'me', database: 'd', schema: 'app' }],
    [
      'postgres://me@h/d?options=-csearch_path%3Dapp,b',
      { type: 'postgres', host: 'h', user: 'me', database: 'd', schema: 'app,b' },
    ],
    [
      'postgres://me@h/d?options=-c%20search_path%3Dapp',
      { type: 'postgres', host: 'h', user: 'me', database: 'd', schema: 'app' },
    ],
  ])('%s', (url, fields) => {
    expect(parseConnectionUrl(url)).toEqual(fields);
  });

  it.each([
    ['sslmode=disable', 'disable'],
    ['sslmode=prefer', 'auto'],
    ['sslmode=require', 'require'],
    ['sslmode=verify-full', 'verify-full'],
    ['ssl-mode=VERIFY_IDENTITY', 'verify-full'],
    ['ssl-mode=VERIFY_CA', 'verify-ca'],
    ['tls=verify-ca', 'verify-ca'],
    ['ssl=true', 'verify-full'],
    ['ssl=1', 'verify-full'],
    ['ssl=false', 'disable'],
    ['ssl={"rejectUnauthorized":true}', 'verify-full'],
    ['sslaccept=strict', 'verify-full'],
    ['sslmode=require&channel_binding=require', 'verify-full'],
    ['sslmode=require&channel_binding=prefer&gssencmode=disable', 'require'],
    ['sslrootcert=system', 'verify-full'],
    // The strictest of several wins.
    ['sslmode=require&sslaccept=strict', 'verify-full'],
    ['ssl=true&sslmode=require', 'verify-full'],
    ['sslmode=prefer&sslaccept=strict', 'verify-full'],
    ['sslmode=require&sslmode=verify-ca', 'verify-ca'],
    ['sslmode=disable&ssl=false', 'disable'],
  ])('says by %s that tls is %s', (query, mode) => {
    expect(parseConnectionUrl(`postgres://h/d?${query}`)).toMatchObject({ tls: mode });
  });

  it.each([
    ['schema=public', { tls: undefined }],
    ['connection_limit=5&pool_timeout=2', { tls: undefined }],
    ['pgbouncer=true', { tls: undefined }],
    ['application_name=shop&connect_timeout=3', { tls: undefined }],
    ['keepalives=1&keepalives_idle=30', { tls: undefined }],
    ['serverVersion=8.0&charset=utf8mb4', { tls: undefined }],
    ['schema=public&sslmode=verify-full&connection_limit=5', { tls: 'verify-full' }],
  ])('can do without %s', (query, { tls }) => {
    const fields = { type: 'postgres', host: 'h', database: 'd' };
    expect(parseConnectionUrl(`postgres://h/d?${query}`)).toEqual(tls === undefined ? fields : { ...fields, tls });
  });

  it.each([
    ['oracle://me:hunter22@h/d', /must begin with/],
    ['constructor://me:hunter22@h/d', /must begin with/],
    ['me:hunter22@h/d', /expected the form/],
    ['postgres://me:hunter22@h:port/d', /expected the form/],
    ['postgres://me:hunter@22@h/d', /%40/],
    ['postgres://me:12/hunter22@h', /%2F/],
    ['postgres://me:12?hunter22@h', /%3F/],
    ['postgres://me:hunter22@h:70000/d', /expected the form/],
    ['postgres://me:hunter22@h:0/d', /invalid port 0/],
    ['postgres://me:hunter22%zz@h/d', /%25/],
    ['postgres://me:hunter22%00@h/d', /NUL/],
    ['postgres://me:hunter22#x@h/d', /%23/],
    ['postgres://me:hunter22/x@h/d', /%2F/],
    ['postgres://me:hunter22@h/d/e', /%2F/],
    ['postgres://me:hunter 22@h/d', /%20/],
    ['postgres://me:hunter22@h1,h2/d', /several hosts/],
    ['postgres://me:hunter22@h/d?sslcert=hunter22', /"sslcert"/],
    ['postgres://me@h/d?schema=hunter22&search_path=b', /two values for "schema"/],
    ['postgres://me@h/d?schema=a&options=-csearch_path%3Dhunter22', /two values for "schema"/],
    ['mysql://me@h/d?schema=public', /"schema" is unknown/],
    ['postgres://me@h/d?sslrootcert=/home/hunter22', /sslrootcert must be one of system/],
    ['postgres://me@h/d?gssencmode=require', /gssencmode must be one of/],
    ['postgres://me@h/d?port=hunter22', /port must be a number/],
    ['postgres://me@h/d?ssl=hunter22', /ssl must be one of true, false/],
    ['postgres://me@h/d?sslaccept=accept_invalid_certs', /sslaccept must be one of strict/],
    ['postgres://me@h/d?ssl={"rejectUnauthorized":false}', /ssl must be one of/],
    ['postgres://me@h/d?options=-c%20hunter22', /invalid options: expected only search_path/],
    ['postgres://me@h/d?options=-csearch_path%3Da%20-cwork_mem%3Dhunter22', /invalid options: expected only search_path/],
    ['postgres://me@h/d?host=hunter22', /"host"/],
    ['postgres://me:hunter22@h/d?hunter22%20=1', /no word/],
    ['postgres://me:hunter22@h/d?sslmode=hunter22', /sslmode must be one of/],
    ['postgres://me:hunter22@h/d?sslmode=toString', /sslmode must be one of/],
    ['postgres://me:hunter22@h/d?sslmode=disable&tls=require', /contradict each other/],
    ['postgres://me:hunter22@h/d?sslmode=prefer&tls=require', /contradict each other/],
    ['postgres://me:hunter22@h/d?sslmode=disable&sslaccept=strict', /contradict each other/],
  ])('%s is refused without being repeated', (url, why) => {
    const error = failureOf(() => parseConnectionUrl(url));
    expect(error).toBeInstanceOf(UrlError);
    expect(error.message).toMatch(why);
    expect(error.message).not.toContain('hunter');
  });

  it('gives back what was put in, whatever it is', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(text, text, text, (user, password, database) => {
        const [u, p, d] = [user, password, database].map(encodeURIComponent);
        fc.pre(d !== '.' && d !== '..');
        expect(parseConnectionUrl(`mysql://${u}:${p}@h:1/${d}`)).toEqual({
          type: 'mysql',
          host: 'h',
          port: 1,
          user,
          password,
          database,
        });
      }),
    );
  });
});

describe('a connection with a URL', () => {
  it('is split into its fields, and the URL is gone', () => {
    const parsed = connectionSchema.parse({ name: 'x', url: 'postgres://me:pw@h/d?sslmode=require', readonly: true });
    expect(parsed).toEqual({
      name: 'x',
      type: 'postgres',
      host: 'h',
      user: 'me',
      password: 'pw',
      database: 'd',
      tls: 'require',
      readonly: true,
    });
  });

  it('takes what the URL leaves out from the other fields', () => {
    const parsed = connectionSchema.parse({ name: 'x', url: 'mysql://h', user: 'me', password: { env: 'PW' }, ssh: 'bastion' });
    expect(parsed).toMatchObject({ type: 'mysql', host: 'h', user: 'me', password: { env: 'PW' }, ssh: 'bastion' });
  });

  it.each([
    ['type', 'mysql'],
    ['host', 'other'],
    ['port', 1],
    ['user', 'other'],
    ['password', 'other'],
    ['password', { env: 'PW' }],
    ['database', 'other'],
    ['tls', 'disable'],
  ])('may not say another %s', (key, value) => {
    const url = 'postgres://me:hunter22@h:2/d?sslmode=require';
    const { error } = connectionSchema.safeParse({ name: 'x', url, [key]: value });
    expect(error?.issues).toMatchObject([{ path: ['url'], message: expect.stringContaining(`"${key}"`) }]);
    expect(JSON.stringify(error?.issues)).not.toContain('hunter22');
  });

  it.each(['app', 'app, $user', 'My Schema'])('takes the schema %j', (schema) => {
    expect(connectionSchema.parse({ name: 'x', url: 'postgres://me@h', schema })).toMatchObject({ schema });
  });

  it.each([
    ['postgres', ''],
    ['postgres', 'a,,b'],
    ['postgres', 'a"b'],
    ['postgres', 'pg_temp'],
    ['postgres', 'app,pg_catalog'],
    ['mysql', 'app'],
  ])('takes for %s no schema %j', (type, schema) => {
    const { error } = connectionSchema.safeParse({ name: 'x', type, host: 'h', user: 'me', schema });
    expect(error?.issues).toMatchObject([{ path: ['schema'] }]);
  });

  it.each([
    ['mariadb', 'mariadb'],
    ['postgresql', 'postgres'],
  ])('takes %s as the type %s', (type, expected) => {
    expect(connectionSchema.parse({ name: 'x', type, host: 'h', user: 'me' })).toMatchObject({ type: expected });
  });

  it('shows MariaDB as what it was called, and lets mysql and mariadb stand for each other', () => {
    const parse = (fields: object) => connectionSchema.parse({ name: 'x', user: 'me', ...fields });
    expect(publicView(parse({ url: 'mariadb://h' }))).toMatchObject({ type: 'mariadb', port: 3306 });
    expect(parse({ url: 'mariadb://h', type: 'mysql' })).toMatchObject({ type: 'mysql' });
    expect(parse({ url: 'mysql://h', type: 'mariadb' })).toMatchObject({ type: 'mariadb' });
  });

  it('must have what every connection has', () => {
    expect(connectionSchema.safeParse({ name: 'x', url: 'postgres://h' }).error?.issues).toMatchObject([{ path: ['user'] }]);
    expect(
      connectionSchema
        .safeParse({ name: 'x' })
        .error?.issues.map(({ path }) => path[0])
        .sort(),
    ).toEqual(['host', 'type', 'user']);
  });
});

function failureOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return expect.fail('it was accepted');
}
