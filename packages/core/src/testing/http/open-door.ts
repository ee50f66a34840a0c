import * as z from 'zod';
import { respond } from '../../answer/respond.ts';
import { type Authenticate, acceptAll } from '../../doors/http/authenticate.ts';
import { createHostRules } from '../../doors/http/host-check.ts';
import { HttpDoor, type HttpDoorOptions } from '../../doors/http/http-door.ts';
import { defaultLimits, type HttpLimits } from '../../doors/http/limits/limits.ts';
import type { Narrowing } from '../../program/narrowing.ts';
import { RunningCalls } from '../../tools/running-calls.ts';
import { defineTool } from '../../tools/tool.ts';
import { createToolServer, type ToolServer } from '../../tools/tool-server.ts';

export interface OpenDoor {
  door: HttpDoor;
  port: number;
  url: string;
  /** What each view was opened with. */
  narrowings: Narrowing[];
  /** How many calls of `wait` run, and how many were aborted. */
  waiting: { running: number; aborted: number };
  log: string[];
  calls: RunningCalls;
  close(): Promise<void>;
}

export interface OpenDoorOptions extends Partial<Pick<HttpDoorOptions, 'hostRules' | 'tls' | 'documents' | 'page'>> {
  authenticate?: Authenticate;
  limits?: Partial<HttpLimits>;
}

/** The HTTP door over tools of its own: `echo` answers its text, `wait` ends when it is aborted, `large` answers many characters. */
export async function openTestDoor({ limits, authenticate = acceptAll, ...more }: OpenDoorOptions = {}): Promise<OpenDoor> {
  const narrowings: Narrowing[] = [];
  const log: string[] = [];
  const waiting = { running: 0, aborted: 0 };
  const calls = new RunningCalls();
  const openView = (narrowing: Narrowing): ToolServer => {
    narrowings.push(narrowing);
    return createTestTools(calls, waiting);
  };
  const door = new HttpDoor({
    openView,
    limits: { ...defaultLimits, ...limits },
    log: (level, message) => log.push(`${level} ${message}`),
    authenticate,
    hostRules: createHostRules({ address: '127.0.0.1', allowedHosts: [], allowedOrigins: [], isBehindProxy: false }),
    root: '/project',
    ...more,
  });
  const port = await door.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}/mcp`;
  return { door, port, url, narrowings, waiting, log, calls, close: () => door.close() };
}

function createTestTools(calls: RunningCalls, waiting: OpenDoor['waiting']): ToolServer {
  const server = createToolServer({ name: 'test', version: '1', instructions: '', log: () => undefined, calls });
  const effect = 'read';
  server.register(
    defineTool({
      name: 'echo',
      title: 'Echo',
      description: 'Answers with the text.',
      effect,
      input: () => z.strictObject({ connection: z.string().optional(), text: z.string() }),
      handler: async ({ text }) => respond.text(text),
    }),
  );
  server.register(
    defineTool({
      name: 'large',
      title: 'Large',
      description: 'Answers with many characters.',
      effect,
      input: () => z.strictObject({ characters: z.int() }),
      // Past the limit of an answer.
      handler: async ({ characters }) => ({ content: [{ type: 'text', text: 'x'.repeat(characters) }] }),
    }),
  );
  server.register(
    defineTool({
      name: 'wait',
      title: 'Wait',
      description: 'Ends when it is aborted.',
      effect,
      input: () => z.strictObject({}),
      handler: (_args, { signal }) =>
        new Promise((_, reject) => {
          waiting.running += 1;
          signal.addEventListener('abort', () => {
            waiting.running -= 1;
            waiting.aborted += 1;
            reject(signal.reason);
          });
        }),
    }),
  );
  return server;
}
