import { Failure } from '@dbmole/core';
import type { Connection } from './schema.ts';

/** The one header that says who we are, or none for a cluster without security. */
export function authorization({
  user,
  password,
  apiKey,
}: Pick<Connection, 'user' | 'password' | 'apiKey'>): Record<string, string> {
  // Secrets are resolved before a backend is opened, so they are texts.
  if (typeof apiKey === 'string') return { authorization: `ApiKey ${encodeApiKey(apiKey)}` };
  if (user === undefined || typeof password !== 'string') return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** As `id:key`, or in the form that Kibana and the API call `encoded`, which has no colon. */
function encodeApiKey(text: string): string {
  const key = text.trim().replace(/^ApiKey\s+/i, '');
  if (key.includes(':')) return Buffer.from(key).toString('base64');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(key)) return key;
  throw new Failure('secret', 'the apiKey is not one', {
    code: 'E_API_KEY',
    hint: 'It is id:key, or the `encoded` form of it as it was shown when the key was made.',
  });
}
