import { describe, expect, it } from 'vitest';
import { AddressError, formatNodeAddress, parseNodeAddress } from './node-address.ts';

describe('parseNodeAddress', () => {
  it.each([
    ['es2', 'es2', 9200],
    ['es2.internal:9201', 'es2.internal', 9201],
    ['10.0.0.2:9201', '10.0.0.2', 9201],
    ['::1', '::1', 9200],
    ['[::1]', '::1', 9200],
    ['[2001:db8::1]:443', '2001:db8::1', 443],
  ])('reads %s', (text, host, port) => {
    expect(parseNodeAddress(text, 9200)).toEqual({ host, port });
  });

  it.each([
    '',
    ':9200',
    'es:',
    'es:0',
    'es:65536',
    'es:port',
    'http://es',
    'me@es',
    'es/path',
    'a b',
    '[es]:1',
    'es:1:2',
    'es\n',
  ])('refuses %j without repeating it', (text) => {
    expect(() => parseNodeAddress(text, 9200)).toThrow(AddressError);
    if (text.length > 2) expect(() => parseNodeAddress(text, 9200)).not.toThrow(text);
  });

  it('formats an address as in a Host header', () => {
    expect(formatNodeAddress({ host: '::1', port: 9200 })).toBe('[::1]:9200');
    expect(formatNodeAddress({ host: 'es', port: 1 })).toBe('es:1');
  });
});
