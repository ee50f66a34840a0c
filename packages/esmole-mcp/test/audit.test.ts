import { createAuthority, useEngine } from '@dbmole/engines';
import { afterEach, describe, expect, it } from 'vitest';
import { findCautions } from '../src/audit.ts';
import { connectionSchema } from '../src/connection/schema.ts';
import { type FakeNode, startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const root = { version: { number: '9.1.0', build_flavor: 'default' }, tagline: 'You Know, for Search' };

describe('what a user of a cluster could do', () => {
  const secured = useEngine('elasticsearch8', { security: true });
  let node: FakeNode | undefined;
  afterEach(async () => {
    await node?.close();
    node = undefined;
  });

  async function test(place: Parameters<typeof openTools>[0], fields: object): Promise<string> {
    const tools = await openTools(place, fields);
    try {
      return (await tools.call('test_connection', { name: 'main' })).text;
    } finally {
      await tools.close();
    }
  }

  async function testUser(privileges: object, { roles = ['r'], status = 200 } = {}): Promise<string> {
    node = await startNode({
      answer: (response, { url = '' }) => {
        const isSecurity = url.startsWith('/_security');
        response.writeHead(isSecurity ? status : 200, {
          'content-type': 'application/json',
          'x-elastic-product': 'Elasticsearch',
        });
        response.end(JSON.stringify(!isSecurity ? root : url.endsWith('_authenticate') ? { roles } : privileges));
      },
    });
    return await test(
      { scheme: 'http', host: node.host, port: node.port },
      { auth: undefined, user: 'me', password: 'a-long-one' },
    );
  }

  it('warns about a superuser on a real cluster', async () => {
    const { user, password } = secured();
    const text = await test(secured(), { auth: undefined, user, password });
    expect(text).toMatch(/Elasticsearch 8\.19\.\d+/);
    expect(text).toContain('This user can also: do anything (role superuser).');
  });

  it('names the privileges that write', async () => {
    const indices = [{ names: ['logs-*'], privileges: ['read', 'write'], allow_restricted_indices: false }];
    const text = await testUser({ cluster: ['monitor', 'manage_ilm'], indices, run_as: ['bob'] });
    expect(text).toContain('can also: use the cluster privileges manage_ilm; use write on "logs-*"; act as bob.');
  });

  it('reports nothing for a read-only user', async () => {
    const indices = [{ names: ['*'], privileges: ['read', 'view_index_metadata', 'monitor'] }];
    expect(await testUser({ cluster: ['monitor'], indices, run_as: [] })).toContain('It can only read.');
  });

  it('says when privileges cannot be found out', async () => {
    expect(await testUser({}, { status: 403 })).toContain('may not see its own privileges');
    expect(await testUser({ error: 'no handler' }, { status: 405 })).toContain('reports no security');
  });
});

it('warns in test_connection when the certificate is not checked', async () => {
  const authority = await createAuthority();
  const node = await startNode({
    tls: await authority.issueServer(['127.0.0.1']),
    answer: (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
        .end(JSON.stringify(root)),
  });
  const tools = await openTools({ scheme: 'https', host: node.host, port: node.port }, { verifyTls: false });
  expect((await tools.call('test_connection', { name: 'main' })).text).toContain('its certificate is not checked');
  await tools.close();
  await node.close();
});

it('warns about plain HTTP and missing logins, except on this machine', () => {
  const cautions = (fields: object) =>
    findCautions({ config: connectionSchema.parse({ name: 'c', host: 'es.example.com', ...fields }) }).join(' ');
  const login = { user: 'me', password: 'a-long-one' };
  expect(cautions({ ...login, scheme: 'http' })).toMatch(/sent unencrypted/);
  expect(cautions({ ...login, verifyTls: false })).toMatch(/not checked/);
  expect(cautions({ auth: 'none' })).toMatch(/no login/);
  expect(cautions({ ...login, password: 'short' })).toMatch(/shorter than/);
  for (const fields of [login, { ...login, scheme: 'http', host: '127.0.0.1' }, { auth: 'none', host: 'localhost' }])
    expect(cautions(fields)).toBe('');
  expect(cautions({ ...login, verifyTls: false, caFingerprint: 'ab'.repeat(32) })).toBe('');
});
