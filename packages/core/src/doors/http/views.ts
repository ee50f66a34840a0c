import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../failure.ts';
import type { Narrowing } from '../../program/narrowing.ts';
import type { ToolServer } from '../../tools/tool-server.ts';
import { mayWrite, type Principal } from './authenticate.ts';

/** A view holds no connection of its own, but remembers where its caller's names lead. */
const maxViews = 256;

/** What the endpoint needs of one client's tools. Without `call`, every call goes through the SDK. */
export type ServedTools = Pick<ToolServer, 'connect' | 'definitions'> & Partial<Pick<ToolServer, 'call'>>;

export interface View {
  /** Equal for requests that share a view. */
  key: string;
  toolServer: ServedTools;
}

/** Opens one view for each principal and narrowing, and keeps those that were used last. */
export function createViews(openView: (narrowing: Narrowing) => ServedTools) {
  const views = new Map<string, View>();
  return (principal: Principal, asked: Narrowing): View => {
    const own: Narrowing = { ...asked, origin: { door: 'http', principal: principal.id } };
    const narrowing: Narrowing = mayWrite(principal) ? own : { ...own, readonly: true, onlyReadingTools: true };
    const { readonly = false, onlyReadingTools = false, connections } = narrowing;
    const key = JSON.stringify([principal.id, readonly, onlyReadingTools, connections]);
    const view = views.get(key) ?? { key, toolServer: openView(narrowing) };
    // Moved to the end: the first is the one that was not used for the longest time.
    views.delete(key);
    views.set(key, view);
    const [oldest] = views.keys();
    if (views.size > maxViews && oldest !== undefined) views.delete(oldest);
    return view;
  };
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const maxNames = 100;

const known = ['x-mole-readonly', 'x-mole-connections'];

/** Headers that make what a client sees narrower. What cannot be read is an error: ignoring it would widen the view. */
export function readNarrowing(headers: IncomingHttpHeaders): Narrowing {
  const unknown = Object.keys(headers).find((name) => name.startsWith('x-mole-') && !known.includes(name));
  if (unknown !== undefined) {
    throw new Failure('input', `unknown header ${unknown}: expected X-Mole-Readonly or X-Mole-Connections`);
  }
  const readonly = readReadonly(headers['x-mole-readonly']);
  const connections = readConnections(headers['x-mole-connections']);
  return { ...(readonly && { readonly }), ...(connections !== undefined && { connections }) };
}

function readReadonly(value: string | string[] | undefined): boolean {
  if (value === undefined || value === '0') return false;
  if (value === '1') return true;
  throw new Failure('input', `invalid X-Mole-Readonly ${quote(value)}: expected 1 or 0`);
}

function readConnections(value: string | string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = String(value)
    .split(',')
    .map((name) => name.trim());
  if (names.length <= maxNames && names.every((name) => namePattern.test(name))) return [...new Set(names)].toSorted();
  const expected = `expected 1 to ${maxNames} names of connections, such as shop,crm`;
  throw new Failure('input', `invalid X-Mole-Connections ${quote(value)}: ${expected}`);
}

function quote(value: string | string[]): string {
  return JSON.stringify(String(value).slice(0, 100));
}
