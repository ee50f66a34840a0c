import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@dbmole/core';
import { describePersonFields } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { definition } from './server.ts';

describePersonFields({
  definition,
  connection: { name: 'shop', type: 'postgres', host: 'db.internal', user: 'reader' },
  taken: ['database', 'schema', 'tls', 'file'],
  checked: ['file'],
  harmless: ['noLinks', 'tls.mode', 'tls.serverName'],
});

describe('trust', () => {
  it('counts in the own file of a person, and not in that of a project', async () => {
    const home = mkdtempSync(join(tmpdir(), 'dbmole-own-fields-'));
    const trust = { functions: ['public.f(text)'] };
    const connection = { type: 'postgres', host: 'db.internal', user: 'reader', trust };
    const project = join(home, 'project.json');
    writeFileSync(project, JSON.stringify({ version: 1, connections: [{ name: 'theirs', ...connection }] }));
    const store = join(home, 'store.json');
    writeFileSync(store, JSON.stringify({ version: 1, connections: [{ name: 'own', ...connection }] }), { mode: 0o600 });
    const app = createApp(definition, { env: { DBMOLE_STORE: store }, cwd: home, home, settings: { config: project } });
    try {
      const { entries } = await app.registry.list();
      const problems = Object.fromEntries(entries.map(({ name, problem }) => [name, problem?.message]));
      expect(problems.own).toBeUndefined();
      expect(problems.theirs).toMatch(/the field trust of connection "theirs" is only accepted in the user's own file/);
    } finally {
      await app.dispose();
      rmSync(home, { recursive: true });
    }
  });
});
