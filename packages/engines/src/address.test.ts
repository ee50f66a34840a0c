import { describe, expect, it } from 'vitest';
import { addressVariable, formatAddress, parseAddress } from './address.ts';
import { catalog } from './catalog.ts';

describe('parseAddress', () => {
  it('takes every part from the URL, decoded', () => {
    expect(parseAddress(catalog.postgres18, 'postgres://me%40home:p%2Fw@db.example:6000/my%20db')).toEqual({
      scheme: 'postgres',
      host: 'db.example',
      port: 6000,
      user: 'me@home',
      password: 'p/w',
      database: 'my db',
    });
  });

  it('knows the usual port of each engine', () => {
    expect(parseAddress(catalog.postgres14, 'postgres://h/').port).toBe(5432);
    expect(parseAddress(catalog.mariadb1011, 'mysql://h/').port).toBe(3306);
    expect(parseAddress(catalog.elasticsearch8, 'https://h/').port).toBe(9200);
  });

  it('refuses what is not an address of that engine, and names the variable', () => {
    for (const text of ['', 'h:5432', 'mysql://h/', 'postgres://']) {
      expect(() => parseAddress(catalog.postgres18, text), text).toThrow(/DBMOLE_TEST_POSTGRES18 is not an address/);
    }
    expect(() => parseAddress(catalog.opensearch3, 'postgres://h/')).toThrow(/http:\/\/.* or https:\/\//);
  });

  it('reads what formatAddress writes', () => {
    for (const text of ['postgres://a%3Ab:c%40d@[::1]:5433/x', 'mysql://root:x@127.0.0.1:1/test']) {
      const entry = text.startsWith('mysql') ? catalog.mysql80 : catalog.postgres18;
      expect(formatAddress(parseAddress(entry, text))).toBe(text);
    }
    expect(formatAddress(parseAddress(catalog.elasticsearch7, 'http://127.0.0.1:9300'))).toBe('http://127.0.0.1:9300');
  });
});

it('names the variable after the engine', () => {
  expect(addressVariable('mariadb1011')).toBe('DBMOLE_TEST_MARIADB1011');
});
