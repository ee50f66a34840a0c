import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

const marker = 'marked';

/** Passes everything on, counts the statements that carry the marker, and can lose their answers. */
class Cutter {
  sent = 0;
  /** `answer`: the statement arrives, and its answer does not. `request`: not even the statement arrives. */
  loses: 'answer' | 'request' | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#join(near));
  #target = { host: '', port: 0 };

  async open(target: { host: string; port: number }): Promise<number> {
    this.#target = target;
    return await listenOnLoopback(this.#server);
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cutAll();
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    for (const socket of [near, far]) this.#sockets.add(socket.on('error', () => undefined));
    far.on('data', (chunk) => near.write(chunk)).on('close', () => near.destroy());
    near.on('close', () => far.end());
    near.on('data', (chunk) => {
      const marked = chunk.includes(marker);
      if (marked) this.sent += 1;
      if (marked && this.loses === 'request') near.resetAndDestroy();
      else far.write(chunk);
      // The server has what arrived, and runs it.
      if (marked && this.loses === 'answer') near.destroy();
    });
  }
}

describe.each<ServerId>(['postgres18', 'mysql80', 'mariadb118'])('retries on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const cutter = new Cutter();
  let account: Account;
  let tools: OpenTools;

  beforeAll(async () => {
    account = await createAccount(engine(), `retries_${process.pid}`);
    const port = await cutter.open(engine());
    tools = await openTools([{ ...account, host: '127.0.0.1', name: 'cut', port, tls: 'disable' }]);
    await tools.call('execute', { sql: 'create table items (note text)' });
  });
  afterAll(async () => {
    await tools.close();
    cutter.close();
    const isPostgres = account.type === 'postgres';
    await runDirect(engine(), [`drop database ${account.database}`, `drop ${isPostgres ? 'role' : 'user'} ${account.user}`]);
  });
  beforeEach(async () => {
    cutter.loses = undefined;
    await tools.call('query', { sql: 'select 1' });
    cutter.sent = 0;
  });

  const insert = { sql: `insert into items values ('${marker}')` };
  const read = { sql: `select '${marker}' as word from items` };
  const count = async () => (await tools.call('query', { sql: 'select count(*) as n from items' })).text.split('\n').at(-1);

  it.each(['answer', 'request'] as const)('sends a write once when its %s is lost', async (loses) => {
    const before = Number(await count());
    cutter.loses = loses;
    const { text } = await tools.call('execute', insert);
    expect(text).toContain('E_OUTCOME_UNKNOWN');
    expect(cutter.sent).toBe(1);
    cutter.loses = undefined;
    expect(Number(await count()) - before).toBeLessThanOrEqual(1);
  });

  it('sends a read twice at most when its answer is lost', async () => {
    cutter.loses = 'answer';
    const { isError } = await tools.call('query', read);
    expect(isError).toBe(true);
    expect(cutter.sent).toBeGreaterThan(0);
    // MySQL gets it together with the reset of the session, which may be what was lost.
    expect(cutter.sent).toBeLessThanOrEqual(account.type === 'postgres' ? 1 : 2);
  });

  it('sends a write once, on a new session, when the old one died unused', async () => {
    cutter.cutAll();
    await expect.poll(async () => (await tools.call('execute', insert)).isError).toBe(false);
    expect(cutter.sent).toBe(1);
  });
});
