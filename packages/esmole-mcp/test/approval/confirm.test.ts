import { runProgram } from '@dbmole/core';
import {
  type AnswerQuestion,
  createFakeTerminal,
  type FakeTerminalOptions,
  openProgramForMany,
  type PersonAnswer,
  type ProgramForMany,
  type TestClient,
} from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { definition } from '../../src/server.ts';
import { openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch8', 'opensearch3'];

describe.each(engines)('a write that a person has to confirm on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const [one, two, alias] = [`ask-one-${id}`, `ask-two-${id}`, `ask-alias-${id}`];
  let open: TestClient;
  let program: ProgramForMany;
  let connections: readonly Record<string, unknown>[];

  const send = async (method: string, path: string, body?: unknown) => {
    const { text, isError } = await open.call('es_request', { method, path, ...(body !== undefined && { body }) });
    return isError ? expect.unreachable(text) : text;
  };
  const count = async (index = `${one},${two}`) => {
    const text = await send('GET', `/${index}/_count`);
    return Number(/"count":(\d+)/.exec(text)?.[1]);
  };
  /** As it was before each test, whatever the one before has changed. */
  const fill = async () =>
    await send('POST', '/_bulk?refresh=true', [
      ...[1, 2, 3, 4].flatMap((n) => [{ index: { _index: one, _id: `${n}` } }, { n, status: 'open', email: `canary${n}@x.y` }]),
      ...[5, 6].flatMap((n) => [{ index: { _index: two, _id: `${n}` } }, { n, status: 'open' }]),
      ...['7', 'b1', 'b2', 'b3'].map((_id) => ({ delete: { _index: two, _id } })),
    ]);

  beforeAll(async () => {
    const { scheme, host, port } = engine();
    const place = { type: 'elasticsearch', scheme, host, port, auth: 'none' };
    connections = [
      { ...place, name: 'prod', environment: 'production' },
      { ...place, name: 'dev' },
      { ...place, name: 'few', maxRows: 2 },
      { ...place, name: 'never', writes: { ddl: 'never' } },
      { ...place, name: 'hidden', writes: 'ask', columns: { '*.email': 'mask', '*.ssn': 'drop' } },
    ];
    open = await openTools(engine(), { readonly: false, noWhere: 'allow' });
    program = openProgramForMany(definition, { connections, tool: 'es_request' });
    const settings = { number_of_replicas: 0, number_of_shards: 1 };
    for (const index of [one, two]) await send('PUT', `/${index}`, { settings, aliases: { [alias]: {} } });
  }, 120_000);
  afterAll(async () => {
    for (const index of [one, two]) await open.call('es_request', { method: 'DELETE', path: `/${index}` });
    await open.close();
    await program.close();
  });
  beforeEach(fill);

  async function ask(answer: AnswerQuestion | undefined, args: Record<string, unknown>): Promise<string> {
    const client = await program.connect(answer);
    try {
      return await client.execute({ connection: 'prod', method: 'POST', ...args });
    } finally {
      await client.close();
    }
  }

  /** What is shown, and what is answered each time. */
  function person(...answers: (PersonAnswer | (() => Promise<PersonAnswer>))[]) {
    const shown: string[] = [];
    const answer: AnswerQuestion = async (message) => {
      const next = answers[shown.push(message) - 1] ?? 'decline';
      return typeof next === 'string' ? next : await next();
    };
    return { shown, answer };
  }
  const byQuery = (names: string, where: object) => ({
    path: `/${names}/_delete_by_query`,
    params: { refresh: true },
    body: { query: where },
  });

  it('is counted by index behind patterns and aliases, asked about again when that changes, and sent once', async () => {
    const { shown, answer } = person(
      async () => {
        await send('PUT', `/${two}/_doc/7?refresh=true`, { n: 0, status: 'open' });
        return 'accept';
      },
      'accept',
      'decline',
    );
    // Some builds have no module for writes by query.
    const done = await ask(answer, byQuery(alias, { range: { n: { lt: 3 } } }));
    expect(done).toMatch(/^Status 200\. Confirmed by the user in the client\..*\n.*"deleted":3|^E_ENGINE \(400\)/);
    expect(shown[0]).toMatch(
      new RegExp(
        `^Send this to prod \\([^)]+\\)\\?\n\nPOST /${alias}/_delete_by_query\\?refresh=true: 2 of 6 documents deleted: ${one} \\(2\\)\n\\{"query"`,
      ),
    );
    expect(shown[1]).toMatch(/^The counts changed since you confirmed\. Before:\n.*2 of 6 [\s\S]*Now:\nSend [\s\S]*: 3 of 7 /);
    expect(await ask(answer, byQuery(`ask-t*-${id}`, { match_all: {} }))).toMatch(/^E_DECLINED/);
    expect(shown[2]).toMatch(
      /^Send.*\nCareful: the delete_by_query has no query that chooses documents\.\n\n.*: ([23]) of \1 documents/,
    );
    expect(shown).toHaveLength(3);
  });

  it('shows one document before and after, settings, mappings, and what each request of several does', async () => {
    const { shown, answer } = person();
    const each: [object, RegExp][] = [
      [
        { method: 'PUT', path: `/${one}/_doc/1`, body: { n: 1, status: 'closed', more: { a: [1, 2] } } },
        new RegExp(
          `: 1 document of ${one} is replaced\nstatus: open → closed\nemail: canary1@x\\.y → \\(gone\\)\nmore\\.a: \\(new\\) \\[1,2\\]\n\\{`,
        ),
      ],
      [{ path: `/${one}/_update/2`, body: { doc: { n: 9 } } }, /: 1 document of .* is updated\nn: 2 → 9\n/],
      [{ path: `/${one}/_update/2`, body: { script: { source: 'ctx._source.n = 1' } } }, /is updated, by a script or an upsert/],
      [{ method: 'DELETE', path: `/${one}/_doc/3` }, /: 1 document of .* is deleted\nn: 3\nstatus: open\nemail: canary3@x\.y$/],
      [{ method: 'DELETE', path: `/${one}/_doc/nothing` }, /: 1 document of .* to delete, which is not there$/],
      [{ path: `/${one}/_doc`, body: { n: 1 } }, /: 1 new document in .*\nn: 1\n/],
      [
        { method: 'DELETE', path: `/ask-*-${id}` },
        new RegExp(`: 2 indices with [67] documents, .*: ${one} \\(4\\), ${two} \\(\\d\\)$`),
      ],
      [{ path: `/${one}/_close` }, new RegExp(`/_close: 1 index with 4 documents, .*: ${one} \\(4\\)$`)],
      [
        { method: 'PUT', path: `/${one},${two}/_settings`, body: { index: { number_of_replicas: 1 }, refresh_interval: '9s' } },
        /: 2 keys of 2 indices\nindex\.number_of_replicas: 0 → 1\nindex\.refresh_interval: \(new\) 9s\n/,
      ],
      [
        { method: 'PUT', path: `/${one}/_mapping`, body: { properties: { n: { type: 'long' }, k: { type: 'keyword' } } } },
        /: 2 keys of 1 index\nk: \(new\) \{"type":"keyword"\}\n/,
      ],
      [
        {
          path: '/_bulk',
          body: [{ index: { _index: one } }, { a: 1 }, { delete: { _index: two, _id: '5' } }, { create: { _index: one } }, {}],
        },
        new RegExp(`: 1 index, 1 create in ${one}; 1 delete in ${two}\n`),
      ],
      [
        { path: '/_bulk', body: '{"index":{"_index":"a"}}\n{"x":1}\n\n{"delete":{"_index":"b","_id":"1"}}\n' },
        /: not measured: its lines cannot/,
      ],
      [
        { path: '/_reindex', body: { source: { index: two }, dest: { index: 'x' } } },
        new RegExp(`: [23] of [23] documents copied to x: ${two}`),
      ],
      [
        { method: 'PUT', path: '/_ingest/pipeline/x', body: { processors: [] } },
        /: not measured: what it changes is known only when it runs\n/,
      ],
      [{ method: 'PUT', path: `/made-${id}`, body: {} }, new RegExp(`: a new index made-${id}\n`)],
    ];
    for (const [args, expected] of each) {
      expect([args, await ask(answer, { ...args })]).toEqual([args, expect.stringMatching(/^E_DECLINED/)]);
      expect(shown.at(-1)).toMatch(expected);
    }
    expect(shown).toHaveLength(each.length);
    expect(await ask(answer, { path: `/${one}/_search`, body: { size: 0 } })).toMatch(/^Status 200/);
    expect(await ask(answer, byQuery('nothing-here', { match_all: {} }))).toMatch(/^E_UNKNOWN_INDEX/);
    expect(await ask(answer, { method: 'DELETE', path: '/nothing-here' })).toMatch(/^E_UNKNOWN_INDEX/);
    expect(shown).toHaveLength(each.length);
    expect(await count()).toBeGreaterThanOrEqual(6);
  });

  it('shows protected fields as the policy says, before and after', async () => {
    const { shown, answer } = person();
    const body = { n: 2, ssn: 'given' };
    await ask(answer, { connection: 'hidden', method: 'PUT', path: `/${one}/_doc/1`, body });
    await ask(answer, { connection: 'hidden', method: 'DELETE', path: `/${one}/_doc/1` });
    expect(shown[0]).toMatch(/^n: 1 → 2\nstatus: open → \(gone\)\nemail: \*\*\* → \(gone\)$/m);
    expect(shown[1]).toMatch(/^n: 1\nstatus: open\nemail: \*\*\*$/m);
    expect(shown.join('\n')).not.toMatch(/canary1/);
  });

  it('is asked for by default only for all documents, and for more than maxRows', async () => {
    const { shown, answer } = person();
    const sweeps = [
      { path: `/${two}/_delete_by_query`, body: { query: { match_all: {} } } },
      { path: `/${two}/_update_by_query` },
      { path: `/${two}/_update_by_query?q=*` },
      { path: `/${two}/_delete_by_query`, body: { query: { bool: { filter: [{ query_string: { query: '*:*' } }] } } } },
      {
        path: `/${two}/_delete_by_query`,
        body: { query: { bool: { should: [{ term: { n: 1 } }, { exists: { field: '_id' } }] } } },
      },
    ];
    for (const args of sweeps)
      expect([args, await ask(answer, { connection: 'dev', ...args })]).toEqual([args, expect.stringMatching(/^E_DECLINED/)]);
    expect(await ask(undefined, { connection: 'dev', ...sweeps[0] })).toMatch(
      /^E_NO_WHERE: .*cannot ask the user\. Nothing was changed: POST/,
    );
    const few = (args: object) => ask(answer, { connection: 'few', ...args });
    expect(await few(byQuery(one, { range: { n: { gt: 1 } } }))).toMatch(/^E_DECLINED/);
    expect(shown.at(-1)).toMatch(/Careful: more documents change than "maxRows", which is 2\./);
    expect(await few(byQuery(one, { term: { n: 1 } }))).toMatch(/"deleted":1|^E_ENGINE \(400\)/);
    const three = [1, 2, 3].flatMap((n) => [{ index: { _index: two, _id: `b${n}` } }, { n }]);
    expect(await few({ path: '/_bulk', body: three })).toMatch(/^E_DECLINED/);
    expect(await ask(undefined, { connection: 'few', path: '/_bulk', body: three })).toMatch(/^E_TOO_MANY_ROWS: .* 3 documents/);
    expect(await few({ path: '/_bulk?refresh=true', body: three.slice(2) })).toMatch(/^Status 200/);
    expect(await ask(answer, { connection: 'dev', ...byQuery(two, { term: { n: 3 } }) })).toMatch(
      /"deleted":1|^E_ENGINE \(400\)/,
    );
    expect(await ask(answer, { connection: 'never', method: 'DELETE', path: `/${two}` })).toMatch(
      /^E_WRITES_NEVER: the request changes structure/,
    );
    expect(await ask(answer, { connection: 'never', path: `/${two}/_refresh` })).toMatch(/^E_WRITES_NEVER/);
    expect(await ask(answer, { connection: 'never', path: `/${two}/_doc/b3?refresh=true`, body: { n: 1 } })).toMatch(
      /^Status 20/,
    );
  });

  it('deletes an index only with the documents that were shown', async () => {
    const index = `gone-${id}`;
    await send('PUT', `/${index}/_doc/1?refresh=true`, { n: 1 });
    const { shown, answer } = person(async () => {
      await send('PUT', `/${index}/_doc/2?refresh=true`, { n: 2 });
      return 'accept';
    }, 'accept');
    const done = await ask(answer, { method: 'DELETE', path: `/${index}` });
    expect(
      shown.map(
        (text) =>
          text
            .split('Now:')
            .at(-1)
            ?.match(/with (\d) document/)?.[1],
      ),
    ).toEqual(['1', '2']);
    expect(done).toMatch(/^Status 200\. Confirmed by the user in the client\./);
  });

  it('is exactly the request that was asked about, however its path is written', async () => {
    const { shown, answer } = person('accept');
    const strange = 'a b/é';
    for (const path of [
      `/${one}/_doc/${encodeURIComponent(strange)}/`,
      `/${one}/_doc/a%2e`,
      `/${one}/../${two}`,
      `/${one}%2f_doc/1`,
      `/%61/_doc/1`,
    ])
      expect([path, await ask(answer, { method: 'DELETE', path })]).toEqual([path, expect.stringMatching(/^E_PATH/)]);
    expect(shown).toEqual([]);
    const path = `/${one}/_doc/a%20b?refresh=true`;
    expect(await ask(answer, { method: 'PUT', path, body: { n: 8 } })).toMatch(/^Status 201/);
    expect(shown[0]).toContain(`PUT /${one}/_doc/a%20b?refresh=true: 1 document of ${one} is created`);
    expect(await send('GET', `/${one}/_doc/a%20b`)).toContain('"found":true');
    await send('DELETE', `/${one}/_doc/a%20b?refresh=true`);
  });

  it('waits for a terminal where the client cannot ask or closes the question at once, and is sent once', async () => {
    const args = { method: 'DELETE', path: `/${one}/_doc/4?refresh=true` };
    const needed = /^E_APPROVAL_NEEDED: .* 1 document of .* is deleted.*\nNext: .*esmole-mcp approve [a-z2-9]{6}/;
    expect(await ask(undefined, args)).toMatch(needed);
    // On a machine that is busy, a second may have passed.
    const closed = await ask(async () => 'cancel', args);
    if (!closed.startsWith('E_DECLINED: the user closed')) expect(closed).toMatch(needed);
    const reply = await ask(undefined, args);
    const pending = /approve ([a-z2-9]{6})`/.exec(reply)?.[1] ?? expect.unreachable(reply);
    const approve = async (options: FakeTerminalOptions) => {
      const env = { ESMOLE_CONNECTIONS: JSON.stringify(connections) };
      const terminal = createFakeTerminal({ argv: ['approve', pending], env, folder: program.folder.path, ...options });
      return { code: await runProgram(definition, terminal), err: terminal.complained, out: terminal.printed };
    };
    const before = await count(one);
    const done = await approve({ answers: ['y'] });
    expect([done.code, done.err]).toEqual([0, expect.stringMatching(/Send this to prod[\s\S]*1 document of/)]);
    expect(await approve({ answers: ['y'] })).toMatchObject({ code: 1, err: expect.stringContaining('nothing waits') });
    expect(await count(one)).toBe(before - 1);
  });
});
