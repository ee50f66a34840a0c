import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestClient } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRawNode, type RawNode } from '../guard/raw-node.ts';
import { openTools } from '../open-tools.ts';

/** Each user has the role of its name. */
const roles = {
  guest: { cluster: [], indices: [] },
  reader: { cluster: [], indices: [{ names: ['mine-*'], privileges: ['read'] }] },
  watcher: { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['read', 'view_index_metadata', 'monitor'] }] },
  partial: {
    cluster: ['monitor'],
    indices: [{ names: ['*'], privileges: ['read', 'view_index_metadata', 'monitor'], query: '{"term":{"a":1}}' }],
  },
};

const checks = ['cluster', 'activity', 'locks', 'slow_queries', 'indexes', 'tables', 'settings', 'privileges'];

describe('diagnose on elasticsearch8 with security', () => {
  const engine = useEngine('elasticsearch8', { security: true });
  let node: RawNode;
  const opened: TestClient[] = [];
  const openAs = async (user: string) => {
    const tools = await openTools(engine(), { auth: undefined, user, password: engine().password });
    opened.push(tools);
    return tools;
  };
  const diagnoseAs = async (user: keyof typeof roles) => {
    const tools = await openAs(user);
    return async (check?: string) => (await tools.call('diagnose', check === undefined ? {} : { check })).text;
  };

  beforeAll(async () => {
    node = createRawNode(engine());
    const { directory, user } = engine();
    addUsers(join(directory ?? expect.fail('it has no directory'), 'config'), user);
    // Roles that show only some documents are part of the trial.
    expect((await node.send('POST', '/_license/start_trial?acknowledge=true')).status).toBe(200);
    const blocked = { settings: { number_of_replicas: 0, 'index.blocks.read_only': true } };
    for (const name of ['mine-1', 'theirs-1']) expect((await node.send('PUT', `/${name}`, blocked)).status).toBe(200);
    // The node reads its files again every few seconds.
    const last = createRawNode({ ...engine(), user: 'partial' });
    await vi.waitFor(async () => expect((await last.send('GET', '/_security/_authenticate')).text).toContain('"partial"'), {
      timeout: 30_000,
      interval: 500,
    });
    last.dispose();
  }, 60_000);
  afterAll(async () => {
    node.dispose();
    await Promise.all(opened.map((tools) => tools.close()));
  });

  it('tells a user without any right what each check needs', async () => {
    const diagnose = await diagnoseAs('guest');
    const text = await diagnose();
    expect(text).not.toContain('failed');
    for (const check of checks)
      expect(text, check).toMatch(new RegExp(`^${check}: (?:not available: the user lacks|low: this user|ok as far)`, 'm'));
    expect(text).toContain(
      'activity: not available: the user lacks the cluster privilege monitor. An administrator can add monitor to "cluster" of a role of this user: PUT /_security/role/NAME.',
    );
    const privileges = await diagnose('privileges');
    expect(privileges).toMatch(/^low: this user does not see nodes, tasks and settings of the cluster$/m);
    expect(text).not.toMatch(/mine-1|theirs-1/);
  });

  it('tells a user who may read some indices that the others are hidden', async () => {
    const diagnose = await diagnoseAs('reader');
    const text = await diagnose();
    expect(text).not.toContain('failed');
    expect(text).not.toContain('theirs-1');
    for (const check of checks) expect(await diagnose(check)).toMatch(/privilege|lacks|are seen|does not see/);
    const privileges = await diagnose('privileges');
    expect(privileges).toMatch(/^privileges: 4 findings/);
    expect(privileges).toContain('low: this user does not see nodes, tasks and settings of the cluster');
    expect(privileges).toContain('Next: An administrator can add view_index_metadata to "indices" of a role of this user');
  });

  it('shows everything to a user who may monitor', async () => {
    const diagnose = await diagnoseAs('watcher');
    const text = await diagnose();
    expect(text).toContain('locks: medium: 2 indices are read-only (index.blocks.read_only): mine-1, theirs-1');
    expect(text).not.toMatch(/not available|failed|as far as/);
    expect(await diagnose('privileges')).toMatch(/^privileges: No findings\./);
  });

  it('says when a role shows only some documents', async () => {
    const diagnose = await diagnoseAs('partial');
    expect(await diagnose('privileges')).toMatch(/^low: a role shows this user only some documents or fields of \*$/m);
  });
});

/** Users and roles as the node reads them from files; each has the password of the one that is there. */
function addUsers(config: string, known: string): void {
  const [, hash = ''] = new RegExp(`^${known}:(.*)$`, 'm').exec(readFileSync(join(config, 'users'), 'utf8')) ?? [];
  for (const [name, role] of Object.entries(roles)) {
    // JSON is YAML.
    appendFileSync(join(config, 'roles.yml'), `${name}: ${JSON.stringify(role)}\n`);
    appendFileSync(join(config, 'users'), `${name}:${hash}\n`);
    appendFileSync(join(config, 'users_roles'), `${name}:${name}\n`);
  }
}
