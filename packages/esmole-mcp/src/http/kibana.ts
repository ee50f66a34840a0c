import { Failure } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { textAt, valueAt } from '../call/answer-failure.ts';
import { quoteRemoteText } from '../call/quote-remote-text.ts';
import { outcomeUnknown } from '../failure.ts';
import type { WireRequest } from './wire.ts';

/** Kibana refuses a POST without it. */
export const kibanaHeaders: Readonly<Record<string, string>> = { 'kbn-xsrf': 'esmole' };

/** The request to Kibana that makes it send this one to its cluster. `base` is the path before `/api`, with the space. */
export function wrapRequest(wire: WireRequest, base: string): WireRequest {
  const [path = '', query] = wire.path.split('?', 2);
  if (path.includes('%')) throw escapeFailure();
  const target = query === undefined ? path : `${path}?${query}`;
  const own = `${base}/api/console/proxy?path=${encodeURIComponent(target)}&method=${wire.method}`;
  return { method: 'POST', path: own, body: wire.body, contentType: wire.contentType ?? 'application/json' };
}

/**
 * Versions of Kibana escape a path again in different ways, and one of them turns `/a%3Cb/_search` into a name with a slash: the
 * cluster would get another request than the one that was checked.
 */
function escapeFailure(): Failure {
  return new Failure('refused', 'the path has characters that are sent escaped, and Kibana changes these; nothing was sent', {
    code: 'E_KIBANA_PATH',
    hint: 'Name the index without date math and special characters, or find documents by a query on _id.',
  });
}

/** Kibana has sent the request, and does not know what became of it. */
const lost: ReadonlySet<number> = new Set([502, 504]);

/** The place of a space in the paths of Kibana. */
export function formatBase(prefix: string, space: string | undefined): string {
  return space === undefined ? prefix : `${prefix}/s/${encodeURIComponent(space)}`;
}

/** The answer of the cluster, out of Kibana's. Throws when Kibana itself has answered. */
export function unwrapAnswer(answer: Answer, { method, isRead }: Pick<WireRequest, 'method'> & { isRead: boolean }): Answer {
  const { proxy, ...own } = answer;
  // The login was refused, and may have been changed.
  if (proxy !== undefined && own.status === 401 && proxy.status === undefined) return own;
  const isOwn = proxy?.status === undefined ? !isOlderKibana(answer) : readOwnError(answer) !== undefined;
  if (isOwn) throw isRead || !lost.has(own.status) ? kibanaFailure(answer) : outcomeUnknown(kibanaFailure(answer));
  const status = proxy?.status ?? own.status;
  // Kibana answers a HEAD with a text of its own.
  if (method === 'HEAD') return { ...own, status, text: '', json: undefined, contentType: '' };
  const isJson = own.json !== undefined || /^\s*[[{]/.test(own.text);
  return { ...own, status, contentType: isJson ? 'application/json' : 'text/plain' };
}

/** Version 7 answers with the status of the cluster, and does not say so. */
function isOlderKibana({ proxy, status, json, text, cut }: Answer): boolean {
  if (proxy === undefined || (status >= 300 && status < 400)) return false;
  const isPage = json === undefined && cut === undefined && /^\s*<(?:!doctype|html)/i.test(text);
  return !isPage && readOwnError({ json }) === undefined && !isRefusedPath({ status, text });
}

/** An error as Kibana writes it; a cluster writes `error` and `status`. */
function readOwnError({ json }: Pick<Answer, 'json'>): string | undefined {
  if (typeof valueAt(json, ['statusCode']) !== 'number') return undefined;
  return textAt(json, ['message']) ?? textAt(json, ['error']);
}

function isRefusedPath({ status, text }: Pick<Answer, 'status' | 'text'>): boolean {
  return status === 403 && text.startsWith('Error connecting to ');
}

interface Problem {
  readonly message: string;
  readonly hint: string;
}

function kibanaFailure(answer: Answer): Failure {
  const { message, hint } = describeProblem(answer);
  const said = readOwnError(answer);
  const words = said === undefined ? '' : `: ${quoteRemoteText(said, 200)}`;
  return new Failure(isRefusedPath(answer) ? 'refused' : 'connection', `${message}${words}`, {
    code: 'E_KIBANA',
    engineCode: String(answer.status),
    hint,
  });
}

function describeProblem(answer: Answer): Problem {
  const { status, proxy, json, text } = answer;
  if (isRefusedPath(answer))
    return { message: 'Kibana does not send requests to this path (console.proxyFilter)', hint: 'Use another request.' };
  if (status === 401) return { message: 'Kibana does not accept the login', hint: 'Check apiKey, or user and password.' };
  if (status === 403)
    return {
      message: 'Kibana does not let this user use the console',
      hint: 'Ask an administrator for the privilege Dev Tools in this space.',
    };
  if (status === 413)
    return { message: 'the request is longer than Kibana accepts (server.maxPayload)', hint: 'Send less at a time.' };
  if (status === 502 || status === 504)
    return {
      message: 'Kibana did not get an answer of its cluster within its 60 seconds, or cannot reach it',
      hint: 'Narrow the request, or look at the log of Kibana.',
    };
  if (status >= 300 && status < 400)
    return {
      message: 'Kibana redirects to another address, perhaps to its login page',
      hint: 'Check kibana.url with its base path, and the login.',
    };
  if (proxy === undefined && json === undefined && /^\s*</.test(text))
    return { message: 'a page answers there, which is not the API of Kibana', hint: 'Check kibana.url with its base path.' };
  if (proxy === undefined)
    return { message: 'the server there is not Kibana', hint: 'Check kibana.url; for the address of a cluster, use url.' };
  if (status === 404)
    return {
      message: 'Kibana has no console proxy there',
      hint: 'Check kibana.space and the base path in kibana.url; console.ui.enabled may be false.',
    };
  return { message: `Kibana answered ${status} itself`, hint: 'Look at the log of Kibana.' };
}
