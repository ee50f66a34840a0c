import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess, type ServerProcessOptions } from '../server-process.ts';
import { HttpProcess } from './http-process.ts';
import { callMessage, modernCall, post } from './raw-http.ts';

interface CancelledServer {
  /** What the statements run on. */
  engine: string;
  server(): Pick<ServerProcessOptions, 'file' | 'env'>;
  /** The name of a tool, and arguments with which it takes longer than any test waits. */
  slow(mark: string): { tool: string; args: Record<string, unknown> };
  /** Counts what the engine is running for this mark. */
  countRunning(mark: string): Promise<number>;
}

/** The promise is 300 ms; the rest is for a busy machine, and for looking. */
const gone = { timeout: 2_000, interval: 20 };

/** Each way in which a client can give up a call ends it in the engine. */
export function describeCancellation({ engine, server, slow, countRunning }: CancelledServer): void {
  describe(`a call that its client gives up, on ${engine}`, () => {
    let http: HttpProcess;
    let stdio: ServerProcess;
    const answers: string[] = [];
    beforeAll(async () => {
      http = await new HttpProcess(server()).listening();
      stdio = new ServerProcess(server());
      const clientInfo = { name: 'test', version: '1' };
      await stdio.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      stdio.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    });
    afterAll(async () => {
      stdio.child.stdin.end();
      await Promise.all([http.stop(), stdio.exited]);
    });

    /** Cancels the call once the engine works on it. */
    async function expectEnd(way: string, begin: (call: Messages) => () => unknown): Promise<void> {
      const mark = `given up ${way}`;
      const { tool, args } = slow(mark);
      const cancel = begin({ id: mark, older: callMessage(mark, tool, args), newer: modernCall(mark, tool, args) });
      await expect
        .poll(() => countRunning(mark), { timeout: 60_000 })
        .toBeGreaterThan(0)
        .catch(failWithAnswers);
      await cancel();
      await expect.poll(() => countRunning(mark), gone).toBe(0);
    }

    /** A call that the engine refused never runs; its answer says why. */
    function failWithAnswers(cause: unknown): never {
      throw new Error(`the engine did not begin; the server answered ${answers.join('\n')}${stdio.stdout}`, { cause });
    }

    function send(message: object, headers: Record<string, string> = {}): () => void {
      const stop = new AbortController();
      const authorization = `Bearer ${http.token}`;
      const sent = post(Number(new URL(http.url).port), message, { headers: { ...headers, authorization }, signal: stop.signal });
      sent.then(
        ({ body }) => answers.push(body),
        () => undefined,
      );
      return () => stop.abort();
    }

    it('ends with a notification over stdio', () =>
      expectEnd('over stdio', ({ id, older }) => {
        stdio.send(older);
        return () => stdio.send(formatCancellation(id));
      }));

    it('ends when a client of the newer era closes its stream', () =>
      expectEnd('by closing a stream', ({ newer }) => send(newer.message, newer.headers)));

    it('ends when a client of the older era closes its connection', () =>
      expectEnd('by closing a connection', ({ older }) => send(older)));

    it('ends with a notification of the older era', () =>
      expectEnd('by a notification', ({ id, older }) => {
        send(older);
        return () => void send(formatCancellation(id));
      }));

    it.each(['older', 'newer'] as const)('ends when a client of the %s era is killed', (era) =>
      expectEnd(`by the death of ${era}`, (call) => {
        const client = startClientProcess(http, era === 'newer' ? call.newer : { message: call.older, headers: {} });
        return () => client.kill('SIGKILL');
      }),
    );
  });
}

interface Messages {
  id: string;
  older: object;
  newer: { message: object; headers: Record<string, string> };
}

function formatCancellation(requestId: string): object {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
}

/** A program that sends one message and waits for the answer. */
function startClientProcess(
  { url, token }: HttpProcess,
  { message, headers }: { message: object; headers: object },
): ChildProcess {
  const script = `fetch(process.env.URL, { method: 'POST', headers: JSON.parse(process.env.HEADERS), body: process.env.BODY }).then((r) => r.text())`;
  const all = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  return spawn(process.execPath, ['-e', script], {
    env: { URL: url, HEADERS: JSON.stringify(all), BODY: JSON.stringify(message) },
    stdio: 'ignore',
  });
}
