import { describePersonFields, openProgram } from '@dbmole/core/testing';
import { expect, it } from 'vitest';
import { definition } from './server.ts';

describePersonFields({
  definition,
  connection: { name: 'logs', type: 'elasticsearch', host: 'es.internal', auth: 'none' },
  taken: ['apiKey', 'auth', 'caFingerprint', 'cloudId', 'kibana.space', 'kibana.url', 'scheme', 'verifyTls'],
  harmless: ['pathPrefix'],
});

it('no tool adds a writable connection to another node of a read-only cluster', async () => {
  const guarded = { name: 'logs', type: 'elasticsearch', host: 'es.invalid', auth: 'none', readonly: true };
  const nodes = ['10.0.0.2:9201', '10.0.0.3'];
  const env = { ESMOLE_CONNECTIONS: JSON.stringify([{ ...guarded, nodes }]) };
  const client = await openProgram(definition, env);
  const add = async (fields: object) =>
    (await client.call('add_connection', { name: 'more', type: 'elasticsearch', auth: 'none', ...fields })).structured?.code;
  expect(await add({ host: '10.0.0.2', port: 9201 })).toBe('E_READONLY_LOCKED');
  expect(await add({ url: 'http://10.0.0.3:9200' })).toBe('E_READONLY_LOCKED');
  expect(await add({ host: '10.0.0.2', port: 9200 })).toBe(undefined);
  await client.close();
});
