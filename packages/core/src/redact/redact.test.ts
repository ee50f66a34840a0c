import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  forgetSecrets,
  isOrdinaryWord,
  redact,
  redactData,
  redactKnown,
  rememberSecret,
  sliceKnown,
  spareWord,
} from './redact.ts';

afterEach(forgetSecrets);

const canary = `C4n/ry+"q'uo te\\<&>ü€\`xyz`;

function encodeStrictly(value: string): string {
  const bytes = [...Buffer.from(value)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  return bytes.join('').replace(/%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/g, decodeURIComponent);
}

const toJson = (value: string) => JSON.stringify(value).slice(1, -1);

function escapeUnits(text: string, which: RegExp): string {
  return text.replace(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escapeBytes(value: string, isEscaped: (byte: number) => boolean): string {
  const escapeByte = (byte: number) => (isEscaped(byte) ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte));
  return [...Buffer.from(value.replaceAll('\\', '\\\\'))].map(escapeByte).join('');
}

function entities(value: string, more: Readonly<Record<string, string>>): string {
  const all: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...more };
  return [...value].map((char) => all[char] ?? char).join('');
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
  ['in JSON that escapes slashes and all but ASCII', (value) => escapeUnits(toJson(value), /[^ -~]/g).replaceAll('/', '\\/')],
  ['in JSON for web pages', (value) => escapeUnits(toJson(value), /[<>&]/g)],
  ['in JSON for web pages, quotes too', (value) => escapeUnits(toJson(value).replaceAll('\\"', '"'), /[<>&'"+`]|[^ -~]/g)],
  ['in JSON in a cell of CSV', (value) => toJson(value).replaceAll('"', '""')],
  ['in upper case', (value) => value.toUpperCase()],
  ['in lower case', (value) => value.toLowerCase()],
  ['with capital initials', (value) => value.toLowerCase().replace(/(?<![a-zü0-9])[a-zü]/g, (letter) => letter.toUpperCase())],
  ['in upper case in a URL', (value) => encodeURIComponent(value.toUpperCase())],
  ['in a quoted name', (value) => value.replaceAll('"', '""')],
  ['in a name in backticks', (value) => value.replaceAll('`', '``')],
  ['with its backslashes doubled', (value) => value.replaceAll('\\', '\\\\')],
  ['in a literal with doubled quotes and backslashes', (value) => value.replace(/['\\]/g, '$&$&')],
  ['in a literal that escapes only its own quotes', (value) => value.replace(/['\\]/g, '\\$&')],
  ['in a quoted name in JSON', (value) => toJson(value.replaceAll('"', '""'))],
  ['as bytes with octal escapes', (value) => escapeBytes(value, (byte) => byte < 0x20 || byte > 0x7e)],
  ['as bytes with octal escapes beyond ASCII', (value) => escapeBytes(value, (byte) => byte > 0x7f)],
  ['as bytes with octal escapes, in JSON', (value) => toJson(escapeBytes(value, (byte) => byte > 0x7f))],
  ['in XML', (value) => entities(value, {})],
  ['in an attribute of XML', (value) => entities(value, { '"': '&quot;', '\n': '&#10;' })],
  ['in XML, every quote escaped', (value) => entities(value, { '"': '&quot;', "'": '&apos;' })],
  ['in XML as ASCII', (value) => entities(value, {}).replace(/[^ -~]/gu, (char) => `&#${char.codePointAt(0)};`)],
  [
    'in XML as ASCII, in hexadecimal',
    (value) => entities(value, {}).replace(/[^ -~]/gu, (char) => `&#x${char.codePointAt(0)?.toString(16)};`),
  ],
  [
    'in XML as ASCII, in upper-case hexadecimal',
    (value) => entities(value, {}).replaceAll('ü', '&#xFC;').replaceAll('€', '&#x20AC;'),
  ],
  ['in HTML', (value) => entities(value, { '"': '&#34;', "'": '&#39;' })],
  ['in HTML with decimal quotes', (value) => entities(value, { '"': '&quot;', "'": '&#039;' })],
  ['in the HTML of a highlighter', (value) => entities(value, { '"': '&quot;', "'": '&#x27;', '/': '&#x2F;' })],
  ['in XML in a cell of CSV', (value) => entities(value, {}).replaceAll('"', '""')],
  ['in XML in JSON', (value) => toJson(entities(value, {}))],
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

  it.each(forms)('stay while they are not known: %s', (_, encode) => {
    expect(redact(`before ${encode(canary)} after`)).toBe(`before ${encode(canary)} after`);
  });

  it('known secrets that are too short to be told from text stay', () => {
    rememberSecret('abc');
    expect(redact('abc')).toBe('abc');
  });

  it('are removed in upper case, in lower case and with capital initials, and not in any other mixture', () => {
    rememberSecret('green elephant');
    expect(redact('GREEN ELEPHANT, Green Elephant, green elephant')).toBe('[secret], [secret], [secret]');
    expect(redact('gREEN eLEPHANT')).toBe('gREEN eLEPHANT');
    rememberSecret('straße nach Süden');
    expect(redact('STRASSE NACH SÜDEN, STRAßE NACH SÜDEN')).toBe('[secret], [secret]');
  });

  it('are removed in the case of a language with letters of its own', () => {
    rememberSecret('istanbul-pin');
    rememberSecret('KILIT-ANKARA');
    expect(redact('İSTANBUL-PİN kılıt-ankara')).toBe('[secret] [secret]');
  });

  it('known secrets that are long are removed as far as a text goes on like them', () => {
    const secret = Array.from({ length: 400 }, (_, index) => index.toString(36)).join('-');
    rememberSecret(secret);
    expect(redact(`a ${secret} b`)).toBe('a [secret] b');
    expect(redact(`a ${secret.slice(0, 700)}?${secret.slice(0, 200)} b`)).toBe(`a [secret]?${secret.slice(0, 200)} b`);
  });

  it('known secrets that contain each other are removed whole', () => {
    rememberSecret('s3cret');
    rememberSecret('s3cret-longer');
    expect(redact('a s3cret-longer b')).toBe('a [secret] b');
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
      const shown = redactData(`>${secret}<${JSON.stringify(secret)}`);
      forgetSecrets();
      return !shown.includes(secret) || '[secret]'.includes(secret);
    });
    fc.assert(property, { numRuns: 200 });
    expect(() => rememberSecret('half \ud800 pair')).not.toThrow();
    expect(redact('half \ud800 pair')).toBe('[secret]');
  });
});

describe('a secret that is an ordinary word', () => {
  const words = ['password', 'orders', 'order_items', 'Secret', 'customer', 'shop2024', 'mole_reader', 'größeren'];

  it.each(words)('does not touch texts and names: %s', (word) => {
    rememberSecret(word);
    for (const text of [
      `the key "${word}" is missing`,
      `CREATE ROLE mole_reader LOGIN PASSWORD '<password>'; -- ${word}`,
      `Check user and password, or the apiKey: it may have expired; ${word}.`,
      `the server says “column ${word} does not exist”`,
      `Seq Scan on ${word}: rows 1`,
      word,
    ]) {
      expect(redact(text)).toBe(text);
      expect(redactKnown(text)).toBe(text);
    }
  });

  it.each(words)('is no piece of a longer word, nor of a sentence: %s', (word) => {
    rememberSecret(word);
    for (const text of [`${word}s`, `x${word}`, `${word}_id`, `the ${word} of it`, `public.${word}`, `${word}.id`, `${word}-x`])
      expect(redactData(text)).toBe(text);
  });

  it.each(words)('is removed from data where it is a whole value: %s', (word) => {
    rememberSecret(word);
    for (const [before, after] of [
      ['', ''],
      ['"', '"'],
      ["it's '", "', he said"],
      ['{"user":"me","pass":"', '"}'],
      ['DB_PASS=', ''],
      ['DB_PASS=', '\nHOST=x'],
      ['pass: ', '\nuser: x'],
      ['backend://me:', '@host/db'],
      ['?user=me&pass=', '&x=1'],
      ['a\n', '\nb'],
      ['<pass>', '</pass>'],
    ])
      expect(redactData(`${before}${word}${after}`)).toBe(`${before}[secret]${after}`);
    expect(redactData(word.toUpperCase())).toBe('[secret]');
    expect(redactData(Buffer.from(`me:${word}`).toString('base64'))).toContain('[secret]');
  });

  it('is spared once it is known as a name', () => {
    rememberSecret('orders');
    rememberSecret('customer');
    rememberSecret('Xy7-q!rt');
    for (const word of ['orders', 'Xy7-q!rt']) spareWord(word);
    expect(redactData('orders')).toBe('orders');
    expect(redactData('customer')).toBe('[secret]');
    expect(redactData('Xy7-q!rt')).toBe('[secret]');
  });

  it.each([
    ['password', true],
    ['order_items', true],
    ['shop2024', true],
    ['shop20245', false],
    ['x7k2p9', false],
    ['pass-word', false],
    ['customer_profiles', true],
    ['SuperSecretValue123', false],
    ['correcthorsebatterystaple', false],
  ])('is told from others: %s', (secret, ordinary) => {
    expect(isOrdinaryWord(secret)).toBe(ordinary);
  });
});

describe('a short secret of letters and digits', () => {
  it('is removed as a whole word, also behind an escape', () => {
    rememberSecret('x7k2p9');
    for (const text of ['ax7k2p9', 'x7k2p9b', 'x7k2p90', '_x7k2p9', 'éx7k2p9']) expect(redact(text)).toBe(text);
    expect(redact('a x7k2p9 b, (x7k2p9) me:x7k2p9@h x7k2p9')).toBe('a [secret] b, ([secret]) me:[secret]@h [secret]');
    expect(redact('me%3Ax7k2p9%40h "a\\nx7k2p9" \\u0022x7k2p9\\u0022 \\x22x7k2p9 \\042x7k2p9')).not.toContain('x7k2p9');
  });

  it('is not shown in halves by an edge', () => {
    rememberSecret('x7k2p9');
    expect(sliceKnown('ab x7k2p9 cd', 0, 6)).toBe('ab [secret]');
    expect(sliceKnown('ab x7k2p9z cd', 0, 6)).toBe('ab x7k');
  });
});

it('removes a long or odd secret from inside of a word', () => {
  rememberSecret('hK3kd92mxQz8');
  rememberSecret('n!k3v');
  rememberSecret('n!k3v+');
  expect(redact('abchK3kd92mxQz8def zn!k3v+z')).toBe('abc[secret]def z[secret]z');
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
    ['Check the apiKey: it may have expired.', 'Check the apiKey: it may have expired.'],
    ["Cannot parse 'apiKey: it': lexical error", "Cannot parse 'apiKey: it': lexical error"],
    ['Failed to parse query [apiKey: foo', 'Failed to parse query [apiKey: foo'],
    ['Settings[user: me, password: hunter2]', 'Settings[user: me, password: [secret]'],
    ['Settings[password: hunter2]', 'Settings[password: [secret]'],
    ['index name "nopassword: x" is odd', 'index name "nopassword: x" is odd'],
    ['Store it as "password": {"env": "DB_PASSWORD"}.', 'Store it as "password": {"env": "DB_PASSWORD"}.'],
    ['Write password=<your password> or password=${VARIABLE}.', 'Write password=<your password> or password=${VARIABLE}.'],
    ["the server says password: 'hunter2'", 'the server says password: [secret]'],
    ['{user: me, password: hunter2}', '{user: me, password: [secret]}'],
    ['host: x\n  dbPassword: hunter2', 'host: x\n  dbPassword: [secret]'],
    ['password:hunter2', 'password:[secret]'],
    ['{"password" : 12345}', '{"password" : [secret]}'],
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

describe('a megabyte of chosen text', () => {
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
    'known-secre',
    'KNOWN-secret',
    'ſ',
    'I',
  ])('%j again and again', (part) => {
    rememberSecret('known-secret');
    for (let index = 0; index < 100; index += 1) rememberSecret(`${'a'.repeat(250)}"<'\\${index}`);
    rememberSecret(`${'a'.repeat(16_000)}b`);
    rememberSecret('i'.repeat(300));
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
