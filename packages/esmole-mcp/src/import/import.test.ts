import { readFileSync, writeFileSync } from 'node:fs';
import { createApp, runProgram } from '@dbmole/core';
import { createFakeTerminal, useTempFolder } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { definition } from '../server.ts';

const folder = useTempFolder();
const canary = 'canary-key';

interface Options {
  env?: Record<string, string>;
  answers?: string[];
}

async function run(source: string, { env = {}, answers }: Options = {}) {
  const argv = ['connections', 'import', source, ...(answers === undefined ? ['--yes'] : [])];
  const terminal = createFakeTerminal({ argv, env, folder: folder.path, answers: answers ?? [] });
  const code = await runProgram(definition, terminal);
  const out = `${terminal.printed}${terminal.complained}`;
  expect(out).not.toContain(canary);
  return { code, out };
}

const stored = (): unknown[] => JSON.parse(readFileSync(folder.at('.config', 'esmole', 'connections.json'), 'utf8')).connections;

async function resolved(name: string, env: Record<string, string>) {
  const app = createApp(definition, { env, cwd: folder.path, home: folder.path, log: () => undefined });
  return (await app.registry.resolve(name)).config;
}

const place = { type: 'elasticsearch', scheme: 'https', readonly: true } as const;

describe('connections import', () => {
  it('imports from the environment by reference, and finds keys under names of other programs', async () => {
    const env = {
      ELASTICSEARCH_URL: 'https://search.internal:9243/below',
      ELASTIC_API_KEY: canary,
      SHOP_ES_URL: 'http://shop',
      SHOP_ES_USERNAME: 'reader',
      SHOP_ES_PASSWORD: canary,
      LOGS_OPENSEARCH_URL: `https://reader:${canary}@logs`,
      ES_LOCAL_URL: 'http://localhost:9200',
      ES_LOCAL_PASSWORD: canary,
      ELASTIC_CLOUD_ID: `mine:${Buffer.from('example.net$abc$def').toString('base64')}`,
      OTHER_URL: 'https://nothing.to.us',
    };
    const { out } = await run('environment', { env });
    expect(out).toContain('read from the variable ELASTIC_API_KEY');
    expect(out).toContain('ES_LOCAL_URL: no credentials are given: neither ES_LOCAL_API_KEY nor');
    expect(stored()).toEqual([
      {
        ...{ ...place, name: 'elasticsearch', host: 'search.internal', port: 9243, pathPrefix: '/below' },
        apiKey: { env: 'ELASTIC_API_KEY' },
      },
      { ...place, scheme: 'http', name: 'shop', host: 'shop', port: 80, user: 'reader', password: { env: 'SHOP_ES_PASSWORD' } },
      { name: 'logs', url: '${LOGS_OPENSEARCH_URL}', readonly: true },
      { ...place, name: 'elasticsearch-2', host: 'abc.example.net', port: 443, apiKey: { env: 'ELASTIC_API_KEY' } },
    ]);
    expect(await resolved('elasticsearch', env)).toMatchObject({ host: 'search.internal', apiKey: canary });
    expect(await resolved('logs', env)).toMatchObject({ host: 'logs', user: 'reader', password: canary });
    expect((await run('environment', { env })).out).toContain('All 4 that were found are already configured');
  });

  it('imports from .env, asks before it copies a key, and refers to the environment where possible', async () => {
    const text = [
      `ES_LOCAL_URL="http://localhost:9200"`,
      `ES_LOCAL_API_KEY=${canary}`,
      'ELASTICSEARCH_HOSTS=https://a',
      `ELASTIC_PASSWORD=${canary}-2`,
      'EVIL_ES_URL=https://evil/$' + '{HOME}',
      `EVIL_ES_API_KEY=x`,
      'WILD_ES_URL=https://wild?x=1',
    ];
    writeFileSync(folder.at('.env'), text.join('\n'));
    const env = { ELASTICSEARCH_HOSTS: 'https://a', ELASTIC_PASSWORD: `${canary}-2` };
    const first = await run('.env', { env });
    expect(first.out).toMatch(/local was not added: its password will be copied from \S+\.env/);
    expect(first.out).toContain('WILD_ES_URL: it has a query');
    expect(first.out).toContain('EVIL_ES_URL: other variables are in it');
    expect(stored()).toEqual([
      { ...place, name: 'elasticsearch', host: 'a', port: 443, user: 'elastic', password: { env: 'ELASTIC_PASSWORD' } },
    ]);
    await run('.env', { env, answers: ['local', 'y'] });
    expect(stored()[1]).toEqual({ ...place, scheme: 'http', name: 'local', host: 'localhost', port: 9200, apiKey: canary });
  });

  it('says that there is nothing to import', async () => {
    expect(await run('environment')).toEqual({ code: 0, out: expect.stringContaining('Nothing was found') });
  });
});
