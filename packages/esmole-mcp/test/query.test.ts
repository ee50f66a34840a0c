import { runProgram } from '@dbmole/core';
import { createFakeTerminal } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../src/server.ts';
import { type FakeNode, startNode } from './fake-node.ts';

/** A table of three rows, which the cluster has counted as four. */
function answerQuery({ query }: { query: string }): string {
  if (query.includes('STATS COUNT')) return '{"columns":[{"name":"COUNT(*)","type":"long"}],"values":[[4]]}';
  const columns = '[{"name":"n","type":"long"},{"name":"t","type":"keyword"}]';
  return `{"columns":${columns},"values":[[9007199254740993,"a, b"],[2,null],[3,["x","y"]]]}`;
}

function answerPath(url: string, body: string): string {
  if (url.startsWith('/_query')) return answerQuery(JSON.parse(body));
  return url.startsWith('/_resolve') ? '{"indices":[{"name":"nine"}]}' : '{"n":9007199254740993,"hits":[]}';
}

describe('a person who asks at the command line', () => {
  let node: FakeNode;
  beforeAll(async () => {
    node = await startNode({
      answer: (response, { url = '', body }) => {
        const root = { version: { number: '9.1.0', build_flavor: 'default' }, tagline: 'You Know, for Search' };
        const isMissing = url.startsWith('/none');
        response.writeHead(isMissing ? 404 : 200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
        const missing = '{"error":{"type":"index_not_found_exception","reason":"no such index [none]","resource.id":"none"}}';
        response.end(url === '/' ? JSON.stringify(root) : isMissing ? missing : answerPath(url, body));
      },
    });
  });
  afterAll(() => node.close());

  const ask = async (words: readonly string[], fields: object = {}) => {
    const place = { type: 'elasticsearch', scheme: 'http', host: node.host, port: node.port, auth: 'none' };
    const env = { ESMOLE_CONNECTIONS: JSON.stringify([{ name: 'main', ...place, ...fields }]) };
    const terminal = createFakeTerminal({ argv: ['query', 'main', ...words], env });
    const code = await runProgram(definition, terminal);
    return { code, printed: terminal.printed, complained: terminal.complained };
  };

  it('prints the answer of the cluster, with every digit', async () => {
    const { code, printed } = await ask(['GET /a/_search']);
    expect({ code, printed }).toEqual({ code: 0, printed: '{\n  "n": 9007199254740993,\n  "hits": []\n}\n' });
    await ask(['/a/_search', '{"size": 1}']);
    expect(node.seen.at(-1)).toMatchObject({ method: 'POST', body: '{"size": 1}' });
  });

  it('prints _cat as a table, unless another format is requested', async () => {
    await ask(['GET /_cat/indices/a*?h=index']);
    expect(node.seen.at(-1)?.url).toBe('/_cat/indices/a*?format=text&v=true&h=index');
    await ask(['/_cat/indices?v=false']);
    expect(node.seen.at(-1)?.url).toBe('/_cat/indices?format=text&v=false');
    await ask(['/_cat/indices?format=json']);
    expect(node.seen.at(-1)?.url).toBe('/_cat/indices?format=json');
  });

  it('only reads, and only what the connection may read', async () => {
    const before = node.seen.length;
    const write = await ask(['DELETE', '/a'], { readonly: false });
    expect(write.code).not.toBe(0);
    expect(write.complained).toMatch(/DELETE[\s\S]*This command only reads/);
    expect((await ask(['DELETE', '/a'], { readonly: true })).complained).toContain('This command only reads');
    const other = await ask(['/b/_search'], { indices: ['a*'] });
    expect(other.complained).toMatch(/not among the indices/);
    const urls = node.seen.slice(before).map(({ url }) => url);
    expect(urls.filter((url) => url !== '/')).toEqual([]);
  });

  it('prints the rows of a query, and what is missing', async () => {
    const all = await ask(['FROM logs | WHERE n > ?', '--format', 'csv', '--param', '5']);
    const printed = 'n,t\n9007199254740993,"a, b"\n2,\n3,"[""x"",""y""]"\n';
    expect(all).toMatchObject({ code: 1, printed });
    expect(all.complained).toContain('E_EXPORT_INCOMPLETE: Incomplete: these are 3 of 4 rows');
    const json = await ask(['FROM logs', '--format', 'json', '--limit', '2', '--param', 'a=x=1', '--param', 'b=false']);
    expect(json).toMatchObject({ code: 0, printed: '{"n":9007199254740993,"t":"a, b"}\n{"n":2,"t":null}\n' });
    const body = JSON.parse(node.seen.at(-1)?.body ?? '');
    expect(body).toEqual({ query: 'FROM logs\n| LIMIT 3', params: [{ a: 'x=1' }, { b: false }] });
    expect((await ask(['FROM logs'], { indices: ['other'] })).complained).toContain('E_INDEX_REFUSED');
  });

  it('prints what is wrong', async () => {
    const none = (await ask(['GET /none/_search'])).complained;
    expect(none).toMatch(/no such index \[none\]"\nDid you mean nine\?\nRun `esmole-mcp indices \w+` to see the indices\./);
    expect((await ask(['/', '--limit', '1'])).complained).toContain('--limit and --param are for rows; this answer has none');
    expect((await ask(['indices'])).complained).toContain('invalid request');
  });
});
