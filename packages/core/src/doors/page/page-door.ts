import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { respond } from '../../answer/respond.ts';
import { toFailure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { PageContext, PagePart } from '../../program/page/page-part.ts';
import { isFields } from '../../registry/tree.ts';
import type { ToolServer } from '../../tools/tool-server.ts';
import { BodyReader } from '../http/limits/read-body.ts';
import type { PageExchange, PageHandler } from '../http/page-handler.ts';
import { HttpRefusal } from '../http/refusal.ts';
import { EventStream } from './event-stream.ts';
import type { PageAccess } from './page-access.ts';
import { PageAssets } from './page-assets.ts';
import { checkPageRequest, formatCookie, type PageAddress, readSession, splitSession } from './page-request.ts';

export interface PageDoorOptions {
  /** What the page says of the server. */
  server: { name: string; version: string; root: string };
  /** Loaded when the page is first opened. */
  openParts(): Promise<readonly PagePart[]>;
  /** The tools as the person at the page has them. */
  tools: Pick<ToolServer, 'call'>;
  access: PageAccess;
  address: Omit<PageAddress, 'port'>;
  limits: { body: number; idleTimeout: number };
  log: Log;
}

const maxStreams = 20;
/** The id of this process, by which a page notices that the server was started again. */
const run = randomUUID();

/** Everything under `/ui`: the files of the page, and what it asks of the server. */
export class PageDoor implements PageHandler {
  readonly #options: PageDoorOptions;
  readonly #assets = new PageAssets();
  readonly #bodies: BodyReader;
  readonly #streams = new Set<EventStream>();
  #port = 0;
  #parts: Promise<ReadonlyMap<string, PagePart>> | undefined;

  constructor(options: PageDoorOptions) {
    const { body, idleTimeout } = options.limits;
    this.#options = options;
    this.#bodies = new BodyReader({ maxBytes: body, idleTimeout });
  }

  /** Is told the port, which the name of the cookie has. */
  listening(port: number): void {
    this.#port = port;
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Serves one request to its end. Throws an HttpRefusal before anything was sent. */
  async serve(exchange: PageExchange): Promise<void> {
    const { request, response } = exchange;
    const [path = ''] = (request.url ?? '').split('?');
    if (path === '/ui') return void response.writeHead(308, { ...pageHeaders, location: '/ui/' }).end();
    const name = path.slice('/ui/'.length);
    if (!name.startsWith('api/')) return this.#sendAsset(exchange, name);
    requireMethod(request, ['POST']);
    checkPageRequest(request.headers, this.#address);
    if (name === 'api/session') return await this.#openSession(exchange);
    const session = this.#requireSession(request);
    if (name === 'api/events') return await this.#stream(exchange, session);
    if (name === 'api/run') return await this.#run(exchange);
    if (name === 'api/leave') return await this.#leave(exchange, session);
    throw new HttpRefusal(404, 'the page has no such request');
  }

  get #address(): PageAddress {
    return { ...this.#options.address, port: this.#port };
  }

  #sendAsset({ request, response }: PageExchange, name: string): void {
    requireMethod(request, ['GET', 'HEAD']);
    const asset = this.#assets.find(name);
    if (asset === undefined) throw new HttpRefusal(404, 'the page has no such file');
    const age = asset.isFixed ? 'private, max-age=31536000, immutable' : 'no-cache';
    const headers = { ...pageHeaders, 'content-type': asset.type, 'cache-control': age, 'content-length': asset.bytes.length };
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : asset.bytes);
  }

  async #openSession({ request, response }: PageExchange): Promise<void> {
    const body = await this.#bodies.read(request);
    const code = isFields(body) && typeof body.code === 'string' ? body.code : '';
    const session = await this.#options.access.redeem(code);
    if (session === undefined) throw new HttpRefusal(403, 'this link was used before, or has expired');
    const [cookie, key] = splitSession(session);
    response.setHeader('set-cookie', formatCookie(cookie, this.#address));
    sendJson(response, { key });
  }

  async #leave({ response }: PageExchange, session: string): Promise<void> {
    await this.#options.access.end(session);
    response.setHeader('set-cookie', formatCookie(undefined, this.#address));
    sendJson(response, { ok: true });
  }

  #requireSession({ headers }: IncomingMessage): string {
    const session = readSession(headers, this.#address);
    if (session !== undefined && this.#options.access.isSession(session)) return session;
    throw new HttpRefusal(401, 'this browser is not signed in, or was for too long');
  }

  async #stream({ response }: PageExchange, session: string): Promise<void> {
    if (this.#streams.size >= maxStreams) throw new HttpRefusal(429, `${maxStreams} pages are open, which is the limit`);
    const parts = await this.#openParts();
    // The browser may have left meanwhile; nothing would report it later.
    if (response.destroyed) return;
    const { access, server } = this.#options;
    const stream = new EventStream(response, apiHeaders, () => access.isSession(session));
    this.#streams.add(stream);
    stream.send('hello', { ...server, run, parts: [...parts.keys()] });
    const ends = [...parts.values()].map(({ id, watch }) => watch?.((event) => stream.send(id, event)));
    response.once('close', () => {
      this.#streams.delete(stream);
      for (const end of ends) end?.();
    });
  }

  async #run({ request, response, beginCall }: PageExchange): Promise<void> {
    const controller = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
    const body = await this.#bodies.read(request);
    const { part, action, input } = isFields(body) ? body : {};
    const actions = (await this.#openParts()).get(String(part))?.actions ?? {};
    const found = typeof action === 'string' && Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (found === undefined) throw new HttpRefusal(404, 'the page has no such action');
    const context = this.#createContext(controller.signal, beginCall);
    const result = await found.run(input, context).catch((error: unknown) => this.#toRefusal(error));
    if (!response.destroyed) sendJson(response, result);
  }

  #createContext(signal: AbortSignal, beginCall: () => () => void): PageContext {
    const { tools, server } = this.#options;
    const about = { client: { name: 'page', version: server.version } };
    const caller = { signal, progressToken: undefined, notify: async () => undefined, about };
    return {
      signal,
      async call(tool, args, more) {
        const end = beginCall();
        try {
          return await tools.call(tool, args, { ...caller, ...more });
        } finally {
          end();
        }
      },
    };
  }

  /** What fails is answered as tools answer it. */
  #toRefusal(error: unknown): object {
    if (error instanceof HttpRefusal) throw error;
    const failure = toFailure(error);
    if (failure.kind === 'internal') this.#options.log('error', 'an action of the page failed', { stack: String(failure.stack) });
    const { structuredContent } = respond.failure(failure);
    return { failure: structuredContent };
  }

  #openParts(): Promise<ReadonlyMap<string, PagePart>> {
    this.#parts ??= this.#options.openParts().then((parts) => new Map(parts.map((part) => [part.id, part])));
    return this.#parts;
  }
}

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** No script or style but our own files, no other server, no frame, and no text that becomes markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = { ...commonHeaders, 'content-security-policy': policy };
const apiHeaders = { ...commonHeaders, 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'" };

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { ...apiHeaders, 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function requireMethod({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new HttpRefusal(405, `${method} is not allowed here: expected ${allowed.join(' or ')}`, {
    headers: { allow: allowed.join(', ') },
  });
}
