import { describe, expect, it } from 'vitest';
import { CloudIdError, parseCloudId } from './connection-url.ts';

const cloudId = (text: string, name = 'deployment:') => `${name}${Buffer.from(text).toString('base64')}`;

describe('parseCloudId', () => {
  it.each([
    [cloudId('us-east-1.aws.found.io$abc123$kib456'), 'abc123.us-east-1.aws.found.io', 443],
    [cloudId('us-east-1.aws.found.io$abc123'), 'abc123.us-east-1.aws.found.io', 443],
    [cloudId('us-east-1.aws.found.io:9243$abc123$kib456'), 'abc123.us-east-1.aws.found.io', 9243],
    [cloudId('found.io:9243$abc123:9244$kib456:9245'), 'abc123.found.io', 9244],
    [cloudId('found.io$abc123', 'a name: with: colons:'), 'abc123.found.io', 443],
    [cloudId('found.io$abc123$', ''), 'abc123.found.io', 443],
  ])('reads %s', (text, host, port) => {
    expect(parseCloudId(text)).toEqual({ host, port });
  });

  it.each([
    '',
    'name:',
    'name:!!!',
    cloudId('found.io'),
    cloudId('found.io$'),
    cloudId('$abc'),
    cloudId('evil/x$abc'),
    cloudId('me@evil$abc'),
    cloudId('a b$abc'),
    cloudId('[::1]:443$abc'),
  ])('refuses %j', (text) => {
    expect(() => parseCloudId(text)).toThrow(CloudIdError);
  });
});
