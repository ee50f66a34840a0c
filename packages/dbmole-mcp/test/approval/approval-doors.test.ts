import { mkdirSync, realpathSync } from 'node:fs';
import {
  type AnswerQuestion,
  type AskingClient,
  type AskingClientKind,
  askingClientKinds,
  createTempFolder,
  HttpProcess,
  openAskingClient,
  sendAsking,
  type TempFolder,
} from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bin } from '../bin.ts';
import { type Account, createAccount, runDirect } from '../direct.ts';

const engine = useEngine('postgres18', { shared: true });
let account: Account;
let folder: TempFolder;
let env: Record<string, string>;
let server: HttpProcess;
const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
const count = async () => Number((await direct('select count(*) from things'))[0]?.[0]);

beforeAll(async () => {
  folder = createTempFolder();
  account = await createAccount(engine(), 'approval_doors');
  await direct('create table things (id int primary key, a int)');
  mkdirSync(folder.at('queries'));
  env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.at('config'),
    DBMOLE_CONNECTIONS: JSON.stringify([{ ...account, name: 'prod', environment: 'production' }]),
  };
  server = await new HttpProcess({ file: bin, cwd: folder.path, env, projectPort: true }).listening();
}, 60_000);
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});
beforeEach(async () => {
  await direct('delete from things', 'insert into things values (1, 1), (2, 1), (3, 1)');
});

async function withClient<T>(
  kind: AskingClientKind,
  answer: AnswerQuestion | undefined,
  work: (client: AskingClient) => Promise<T>,
): Promise<T> {
  const client = await openAskingClient(
    kind,
    { bin, tool: 'execute', env, url: server.url, token: server.token, root: realpathSync(folder.path) },
    answer,
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

describe.each(askingClientKinds)('a confirmation through %s', (kind) => {
  it('is asked for in the middle of a call, and nothing is changed without it', async () => {
    const shown: string[] = [];
    const actions = ['accept', 'decline', 'accept'] as const;
    const answer: AnswerQuestion = async (message) => {
      shown.push(message);
      if (shown.length === 3) await direct('insert into things values (4, 1)');
      return shown.length > 3 ? 'decline' : (actions[shown.length - 1] ?? 'decline');
    };
    await withClient(kind, answer, async (client) => {
      const sql = (where: string) => ({ sql: `delete from things where ${where}` });
      expect(await client.execute(sql('id = 1'))).toBe('DELETE changed 1 row. Confirmed by the user in the client.');
      expect(await client.execute(sql('id = 2'))).toMatch(/^E_DECLINED/);
      expect(await client.execute(sql('id > 2'))).toMatch(/^E_DECLINED/);
    });
    expect(shown[0]).toMatch(/^Commit this on prod [\s\S]*^DELETE things: 1 /m);
    expect(shown[3]).toMatch(/^The counts changed[\s\S]*DELETE: 1 rows[\s\S]*DELETE things: 2 /);
    expect([shown.length, await count()]).toEqual([4, 3]);
  });

  it('is refused where the client cannot ask, or closes the question at once', async () => {
    for (const answer of [undefined, async () => 'cancel' as const]) {
      const reply = await withClient(kind, answer, (client) => client.execute({ sql: 'delete from things where id = 1' }));
      expect(reply).toMatch(
        /^E_APPROVAL_NEEDED: .*Nothing was changed: DELETE things: 1 .*\nNext: .*dbmole-mcp approve [a-z2-9]{6}/,
      );
    }
    expect(await count()).toBe(3);
  });
});

describe('the state of a question over HTTP', () => {
  const send = (params: Record<string, unknown>, sql = 'delete from things where id = 1') =>
    sendAsking({ server, tool: 'execute', args: { sql }, params });
  const accept = { confirm: { action: 'accept', content: {} } };

  it('counts once, unchanged, for its own statement, and only with an accept', async () => {
    const { resultType, inputRequests, requestState } = await send({});
    expect([resultType, inputRequests.confirm.method]).toEqual(['input_required', 'elicitation/create']);
    const changed = `${requestState.slice(0, 20)}${requestState[20] === 'A' ? 'B' : 'A'}${requestState.slice(21)}`;
    const codes = [];
    for (const [state, sql] of [
      [changed],
      [`${requestState}A`],
      [''],
      [requestState, 'delete from things where id = 2'],
      [requestState, 'delete from things'],
    ] as const)
      codes.push((await send({ requestState: state, inputResponses: accept }, sql)).structuredContent?.code);
    expect(codes).toEqual(Array(5).fill('E_APPROVAL_INVALID'));
    expect(await count()).toBe(3);
    const done = await send({ requestState, inputResponses: accept });
    expect(done.content[0].text).toBe('DELETE changed 1 row. Confirmed by the user in the client.');
    await direct('insert into things values (1, 1)');
    expect((await send({ requestState, inputResponses: accept })).structuredContent.code).toBe('E_APPROVAL_INVALID');
    expect(await count()).toBe(3);
    for (const responses of [{}, { confirm: { action: 'yes' } }, { other: { action: 'accept' } }]) {
      const asked = await send({});
      const reply = await send({ requestState: asked.requestState, inputResponses: responses });
      expect(reply.structuredContent.code).toBe('E_APPROVAL_NEEDED');
    }
    expect((await send({ inputResponses: accept })).resultType).toBe('input_required');
    expect(await count()).toBe(3);
  });
});
