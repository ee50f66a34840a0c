import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSecrets, redact, rememberSecret } from './redact.ts';

afterEach(forgetSecrets);

const canary = `c4n/ry+"q'uo te\\ü€`;

function encodeStrictly(value: string): string {
  const bytes = [...Buffer.from(value)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  return bytes.join('').replace(/%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/g, decodeURIComponent);
}

const forms: [string, (value: string) => string][] = [
  ['as it is', (value) => value],
  ['in a URL', encodeURIComponent],
  ['in a URL, lower-case escapes', (value) => encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
  ['in a URL, every sign encoded', encodeStrictly],
  ['in a URL, but for its slashes', (value) => encodeStrictly(value).replaceAll('%2F', '/')],
  ['in a whole URL', encodeURI],
  ['in a URL, as the password', (value) => Object.assign(new URL('http://me@host'), { password: value }).password],
  ['in a form', (value) => new URLSearchParams({ a: value }).toString().slice(2)],
  ['in JSON', (value) => JSON.stringify(value).slice(1, -1)],
  ['in JSON inside JSON', (value) => JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1)],
  ['in a quoted literal', (value) => value.replaceAll("'", "''")],
  ['in a literal with backslashes', (value) => value.replace(/[\\'"]/g, '\\$&')],
  ['in base64', (value) => Buffer.from(value).toString('base64')],
  ['in base64 for URLs', (value) => Buffer.from(value).toString('base64url')],
  ['in base64 behind a user', (value) => Buffer.from(`u:${value}`).toString('base64')],
  ['in base64 behind another user', (value) => Buffer.from(`me:${value}`).toString('base64')],
  ['in base64 before more', (value) => Buffer.from(`abc${value}xyz`).toString('base64')],
  ['in hex', (value) => Buffer.from(value).toString('hex')],
  ['in upper-case hex', (value) => Buffer.from(value).toString('hex').toUpperCase()],
];

describe('known secrets', () => {
  it.each(forms)('are removed %s', (_, encode) => {
    rememberSecret(canary);
    const core = encode(canary).slice(4, -6);
    expect(redact(`before ${encode(canary)} after`)).not.toContain(core);
    expect(redact(`before ${encode(canary)} after`)).toMatch(/^before .*\[secret\].* after$/s);
  });

  it.each(forms)('stay when nobody made them known: %s', (_, encode) => {
    expect(redact(`before ${encode(canary)} after`)).toBe(`before ${encode(canary)} after`);
  });

  it('that are too short to be told from text stay', () => {
    rememberSecret('abc');
    expect(redact('abc')).toBe('abc');
  });

  it('that contain each other are removed whole', () => {
    rememberSecret('secret');
    rememberSecret('secret-longer');
    expect(redact('a secret-longer b')).toBe('a [secret] b');
  });

  it('may be long and many: nothing throws, and nothing else is shown for it', () => {
    rememberSecret(canary);
    rememberSecret('q'.repeat(200_000));
    for (let index = 0; index < 3_000; index++) rememberSecret(`number-${index}-of-many`);
    const text = `a ${canary} b number-2999-of-many c ${'q'.repeat(200_000)} d`;
    expect(redact(text)).toBe('a [secret] b [secret] c [secret] d');
  });

  it('are removed line by line', () => {
    const line = 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ';
    rememberSecret(`-----BEGIN X-----\n${line}\n-----END X-----`);
    expect(redact(`bad line ${line}`)).toBe('bad line [secret]');
    expect(redact('-----BEGIN X-----')).toBe('-----BEGIN X-----');
  });

  it('may hold anything, also half a surrogate pair', () => {
    const text = fc.string({ unit: 'binary', minLength: 6 });
    const property = fc.property(text, (secret) => {
      rememberSecret(secret);
      const shown = redact(`<${secret}|${JSON.stringify(secret)}>`);
      forgetSecrets();
      return !shown.includes(secret) || '[secret]'.includes(secret);
    });
    fc.assert(property, { numRuns: 200 });
    expect(() => rememberSecret('half \ud800 pair')).not.toThrow();
    expect(redact('half \ud800 pair')).toBe('[secret]');
  });
});

describe('what looks like a secret', () => {
  it.each([
    ['backend://me:hunter2@db:5432/x', 'backend://me:[secret]@db:5432/x'],
    ['backend://me:p@ss@db/x', 'backend://me:[secret]@db/x'],
    ['cache://:hunter2@db', 'cache://:[secret]@db'],
    ['https://db.internal:9200/path?mail=a@b.c', 'https://db.internal:9200/path?mail=a@b.c'],
    ['host=db password=hunter2 user=me', 'host=db password=[secret] user=me'],
    [`password='hunter \\' 2' user=me`, 'password=[secret] user=me'],
    ['{"password": "hunt\\"er2", "user": "me"}', '{"password": [secret], "user": "me"}'],
    ['{\\"password\\":\\"hunter2\\",\\"user\\":1}', '{\\"password\\":[secret],\\"user\\":1}'],
    ["{ password: 'hunter2' }", '{ password: [secret] }'],
    ['PGPASSWORD=hunter2 run', 'PGPASSWORD=[secret] run'],
    ['?user=me&passphrase=hunter2&x=1', '?user=me&passphrase=[secret]&x=1'],
    ['api_key: hunter2', 'api_key: [secret]'],
    ['AWS_SECRET_ACCESS_KEY=hunter2', 'AWS_SECRET_ACCESS_KEY=[secret]'],
    ['Authorization: Basic aHVudGVyMg==', 'Authorization: Basic [secret]'],
    ['{"authorization":"Bearer hunter2"}', '{"authorization":"Bearer [secret]"}'],
    ['authorization=hunter2', 'authorization=[secret]'],
    ['a\n-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----\nb', 'a\n[secret]\nb'],
    ['a -----BEGIN OPENSSH PRIVATE KEY-----\nhunter2 and no end', 'a [secret]'],
    ['-----BEGIN PRIVATE KEY-----\\nhunter2\\n-----END PRIVATE KEY-----', '[secret]'],
    ['password authentication failed for user "me"', 'password authentication failed for user "me"'],
    ['the key "password" is missing', 'the key "password" is missing'],
  ])('%s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it('is removed once and stays removed', () => {
    const part = fc.constantFrom(
      'password=',
      '"',
      "'",
      '\\',
      'x://a:',
      '@',
      '/',
      ' ',
      'abc',
      'Authorization: ',
      'Bearer ',
      ':',
      '=',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const once = redact(parts.join(''));
        expect(redact(once).replaceAll('[secret]', '')).not.toMatch(/password=[a-z]/);
      }),
    );
  });
});

describe('a megabyte that somebody chose', () => {
  const megabyte = (part: string) => part.repeat(Math.ceil(1_000_000 / part.length));

  it.each([
    'a',
    'a.',
    'a-',
    'a:',
    'a://',
    'a://b:',
    'a://b:c',
    'http://',
    '@',
    'a@',
    ':',
    '"',
    "'",
    '\\',
    '\\"',
    ' ',
    '\t',
    '\n',
    'authorization',
    'authorization:',
    'authorization: ',
    'authorization=basic ',
    'password',
    'password=',
    'password="',
    "password='",
    'password="\\',
    'password=\\"',
    'password= ',
    'password:\\\\\\',
    '-----BEGIN ',
    '-----BEGIN A',
    '-----BEGIN PRIVATE KEY-----',
    '-----END ',
    '-----BEGIN PRIVATE KEY-----\n-----END A',
    '%41',
    'api',
    'secret_access_',
  ])('%j again and again', (part) => {
    rememberSecret('known-secret');
    for (const text of [
      megabyte(part),
      `authorization:${megabyte(part)}`,
      `password="${megabyte(part)}`,
      `x://y:${megabyte(part)}`,
    ]) {
      const started = performance.now();
      redact(text);
      // Quadratic time would be minutes.
      expect(performance.now() - started).toBeLessThan(4_000);
    }
  });
});
