import { expect, it } from 'vitest';
import { authorization } from './client.ts';

const encoded = Buffer.from('the-id:the-key').toString('base64');

it('sends a user and a password', () => {
  const value = `Basic ${Buffer.from('me:pä:ss').toString('base64')}`;
  expect(authorization({ user: 'me', password: 'pä:ss' })).toEqual({ authorization: value });
  expect(authorization({})).toEqual({});
});

it.each(['the-id:the-key', encoded, ` ${encoded}\n`, `ApiKey ${encoded}`])('sends an API key that is given as %j', (apiKey) => {
  expect(authorization({ apiKey })).toEqual({ authorization: `ApiKey ${encoded}` });
});

it('rejects an invalid API key without repeating it', () => {
  const refused = () => authorization({ apiKey: 'no key\u0007' });
  expect(refused).toThrow(expect.objectContaining({ kind: 'secret', code: 'E_API_KEY' }));
  expect(refused).not.toThrow('no key\u0007');
});
